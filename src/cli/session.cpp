#include "cli/session.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cli/output.hpp"
#include "cli/results_table.hpp"
#include "device/devices.hpp"
#include "document/read.hpp"
#include "document/write.hpp"

namespace gpubench {

namespace {

// Whether two paths lead to one regular file, there or not. Devices and pipes take what comes from
// both.
bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code error;
  const bool both = fs::exists(a, error) && fs::exists(b, error);
  if (both) return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  const fs::path first = fs::weakly_canonical(fs::absolute(a, error), error);
  return !error && first == fs::weakly_canonical(fs::absolute(b, error), error) && !error;
}

// No output may destroy an input or another output.
void refuse_shared_files(const Arguments& arguments) {
  const std::pair<std::string_view, const std::string&> outputs[] = {{"--json", arguments.json},
                                                                     {"--csv", arguments.csv}};
  const std::pair<std::string_view, const std::string&> files[] = {
      {"--csv", arguments.csv}, {"--config", arguments.config}, {"--ceilings", arguments.ceilings}};
  for (const auto& [output, path] : outputs)
    for (const auto& [option, other] : files)
      if (output != option && same_file(path, other))
        throw Error(ExitCode::usage, std::string(output) + " and " + std::string(option) +
                                         " name the same file, '" + path + "'");
}

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
  refuse_shared_files(arguments);
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
  if (!arguments_.ceilings.empty()) {
    document_.ceilings =
        read_ceilings(arguments_.ceilings, document_.device, document_.host).ceilings;
    document_.ceilings_source = arguments_.ceilings;
  }
  const TelemetryReading now = device_->telemetry();
  if (now.other_processes.value_or(0) > 0)
    progress.note(std::to_string(*now.other_processes) + " other process" +
                  (*now.other_processes == 1 ? " uses " : "es use ") + device_->facts().id +
                  ": the figures may suffer");
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
