#include "cli/session.hpp"

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cli/results_table.hpp"
#include "device/devices.hpp"
#include "document/read.hpp"
#include "document/write.hpp"

namespace gpubench {

Session::Session(const Arguments& arguments) : arguments_(arguments) {
  if (arguments.json == "-" && arguments.csv == "-")
    throw Error(ExitCode::usage,
                "--json - and --csv - exclude each other: both want standard output");
  if (!arguments.json.empty()) json_.emplace(arguments.json);
  if (!arguments.csv.empty()) csv_.emplace(arguments.csv);
}

bool Session::data_on_standard_output() const {
  return (json_ && json_->is_standard_output()) || (csv_ && csv_->is_standard_output());
}

void Session::open(Progress& progress) {
  std::string note;
  device_ = open_device(arguments_.device, note);
  if (!note.empty()) progress.note(note);
  document_.tool = this_tool();
  document_.command = arguments_.command_line;
  document_.started_at = now_utc();
  document_.host = this_host();
  document_.device = device_->facts();
  const TelemetryReading now = device_->telemetry();
  if (now.other_processes.value_or(0) > 0)
    progress.note(std::to_string(*now.other_processes) + " other process" +
                  (*now.other_processes == 1 ? " uses " : "es use ") + device_->facts().id +
                  ": the figures may suffer");
}

void Session::measure_ceilings(Progress& progress) {
  if (!arguments_.ceilings.empty()) {
    const Document source = read_document(arguments_.ceilings);
    check_ceilings_fit(source, device_->facts());
    if (source.ceilings.empty())
      throw Error(ExitCode::not_comparable, arguments_.ceilings + " has no ceilings");
    document_.ceilings = source.ceilings;
    document_.ceilings_source = arguments_.ceilings;
    return;
  }
  std::vector<Wanted> core;
  for (const std::string_view name : core_ceilings(device_->facts().kind))
    core.push_back({std::string(name)});
  measure_ceilings(core, progress);
}

void Session::measure_ceilings(const std::vector<Wanted>& wanted, Progress& progress) {
  for (const Wanted& one : wanted) {
    progress.start("ceiling " + one.name + (one.pattern == DataPattern::zeros ? " on zeros" : ""));
    try {
      document_.ceilings.push_back(measure_ceiling(*device_, one.name, one.pattern, one.burst));
    } catch (const Interrupted&) {
      document_.status = Document::Status::interrupted;
      return;
    }
    const Ceiling& ceiling = document_.ceilings.back();
    progress.finish(ceiling.value ? significant(*ceiling.value, 4) + " " + ceiling.unit
                                  : ceiling.status);
    if (ceiling.status == "failed")
      progress.note("ceiling " + ceiling.name + " failed: " + ceiling.reason.value_or(""));
  }
}

void Session::finish() {
  document_.finished_at = now_utc();
  if (interrupted()) document_.status = Document::Status::interrupted;
  if (csv_) {
    csv_->write(cases_csv(document_.cases));
    csv_->commit();
  }
  if (json_) {
    json_->write(document_text(document_));
    json_->commit();
  }
}

}  // namespace gpubench
