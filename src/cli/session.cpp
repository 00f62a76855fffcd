#include "cli/session.hpp"

#include <utility>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cli/output.hpp"
#include "cli/results_table.hpp"
#include "cli/same_file.hpp"
#include "device/devices.hpp"
#include "document/read.hpp"
#include "document/write.hpp"

namespace gpubench {

namespace {

// The document of --ceilings, of this device as it is.
Document read_ceilings(const std::string& path, const DeviceFacts& device, const HostFacts& host) {
  Document source = read_document(path);
  try {
    check_ceilings_fit(source, device, host);
  } catch (const Error& error) {
    throw Error(error.code(), path + ": " + error.what());
  }
  return source;
}

}  // namespace

Session::Session(const Arguments& arguments) : arguments_(arguments) {
  const NamedPath outputs[] = {{"--json", arguments.json}, {"--csv", arguments.csv}};
  const NamedPath inputs[] = {{"--config", arguments.config}, {"--ceilings", arguments.ceilings}};
  refuse_shared_files(outputs, inputs);
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
  if (!arguments_.ceilings.empty()) {
    document_.ceilings =
        read_ceilings(arguments_.ceilings, document_.device, document_.host).ceilings;
    document_.ceilings_source = arguments_.ceilings;
  }
  const TelemetryReading now = device_->telemetry();
  if (now.other_processes.value_or(0) > 0)
    progress.note(counted(*now.other_processes, "other process uses ", "other processes use ") +
                  device_->facts().id + ": the figures may suffer");
}

void Session::measure_ceilings(Progress& progress) {
  if (document_.ceilings_source) return;
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

void Session::finish(std::string_view table) {
  const bool print = !data_on_standard_output();
  try {
    write_files();
  } catch (const Error&) {
    if (print) print_output(table);
    throw;
  }
  if (print) print_output(table);
}

void Session::write_files() {
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
