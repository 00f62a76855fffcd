#include "document/write.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace gpubench {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A whole number of FLOPs or bytes is written without a fraction.
Json count(double value) {
  if (value == std::floor(value) && std::fabs(value) <= 0x1p53)
    return static_cast<std::int64_t>(value);
  return value;
}

Json or_null_unless_finite(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json to_json(const Tool& tool) {
  return {{"version", tool.version},
          {"git_commit", or_null(tool.git_commit)},
          {"git_dirty", or_null(tool.git_dirty)},
          {"compiler", tool.compiler},
          {"cuda_toolkit", or_null(tool.cuda_toolkit)},
          {"cuda_architectures", tool.cuda_architectures},
          {"build_type", tool.build_type},
          {"kernel_sources_sha256", or_null(tool.kernel_sources_sha256)}};
}

Json to_json(const HostFacts& host) {
  return {{"name", or_null(host.name)},
          {"os", or_null(host.os)},
          {"cpu", or_null(host.cpu)},
          {"logical_cores", or_null(host.logical_cores)},
          {"memory_bytes", or_null(host.memory_bytes)}};
}

Json to_json(const DeviceFacts& device) {
  Json capability;
  if (device.compute_capability)
    capability =
        fmt::format("{}.{}", *device.compute_capability / 10, *device.compute_capability % 10);
  return {{"kind", name(device.kind)},
          {"id", device.id},
          {"name", device.name},
          {"uuid", or_null(device.uuid)},
          {"compute_capability", capability},
          {"multiprocessors", or_null(device.multiprocessors)},
          {"l2_bytes", or_null(device.l2_bytes)},
          {"memory_bytes", device.memory_bytes},
          {"sm_clock_max_hz", or_null(device.sm_clock_max_hz)},
          {"memory_clock_max_hz", or_null(device.memory_clock_max_hz)},
          {"driver_version", or_null(device.driver_version)},
          {"cuda_runtime_version", or_null(device.cuda_runtime_version)},
          {"ecc_enabled", or_null(device.ecc_enabled)},
          {"mig_profile", or_null(device.mig_profile)},
          {"power_limit_w", or_null(device.power_limit_w)}};
}

Json to_json(const Timing& timing) {
  Json interval;
  if (timing.median_ci95_s) interval = {timing.median_ci95_s->low, timing.median_ci95_s->high};
  return {{"clock", timing.clock},
          {"launches_per_sample", timing.launches_per_sample},
          {"warmup_s", timing.warmup_s},
          {"samples_s", timing.samples_s},
          {"samples_by_process_s",
           timing.samples_by_process_s.empty() ? Json() : Json(timing.samples_by_process_s)},
          {"median_s", timing.median_s},
          {"min_s", timing.min_s},
          {"max_s", timing.max_s},
          {"mad_s", timing.mad_s},
          {"median_ci95_s", interval},
          {"burst_s", or_null(timing.burst_s)},
          {"stop_reason", timing.stop_reason}};
}

Json to_json(const Telemetry& telemetry) {
  return {{"sm_clock_hz",
           {{"before", or_null(telemetry.sm_clock_before_hz)},
            {"during", or_null(telemetry.sm_clock_during_hz)},
            {"after", or_null(telemetry.sm_clock_after_hz)},
            {"burst", or_null(telemetry.sm_clock_burst_hz)}}},
          {"memory_clock_hz", or_null(telemetry.memory_clock_hz)},
          {"power_w", or_null(telemetry.power_w)},
          {"energy_j_per_launch", or_null(telemetry.energy_j_per_launch)},
          {"temperature_c", or_null(telemetry.temperature_c)},
          {"throttle_reasons", telemetry.throttle_reasons},
          {"other_processes", or_null(telemetry.other_processes)}};
}

Json to_json(const Ceiling& ceiling) {
  Json pattern;
  if (ceiling.data_pattern)
    pattern = *ceiling.data_pattern == DataPattern::random ? "random" : "zeros";
  return {{"name", ceiling.name},
          {"unit", ceiling.unit},
          {"status", ceiling.status},
          {"reason", or_null(ceiling.reason)},
          {"value", or_null(ceiling.value)},
          {"burst", or_null(ceiling.burst)},
          {"sustained", or_null(ceiling.sustained)},
          {"theoretical", or_null(ceiling.theoretical)},
          {"percent_of_theoretical", or_null(ceiling.percent_of_theoretical)},
          {"percent_of_theoretical_at_clock", or_null(ceiling.percent_of_theoretical_at_clock)},
          {"technique", ceiling.technique},
          {"data_pattern", pattern},
          {"working_set_bytes", or_null(ceiling.working_set_bytes)},
          {"timing", ceiling.timing ? to_json(*ceiling.timing) : Json()},
          {"telemetry", ceiling.timing ? to_json(ceiling.telemetry) : Json()}};
}

Json to_json(const Verification& verification) {
  return {{"passed", verification.passed},
          {"mode", verification.full ? "full" : "sampled"},
          {"checked", verification.checked},
          {"max_abs_error", or_null_unless_finite(verification.max_abs_error)},
          {"max_rel_error", or_null_unless_finite(verification.max_rel_error)},
          {"bound", verification.bound}};
}

Json to_json(const WorkRecord& work) {
  return {{"flops", count(work.flops)},
          {"bytes_read", count(work.bytes_read)},
          {"bytes_written", count(work.bytes_written)},
          {"modelled_bytes", work.modelled_bytes ? count(*work.modelled_bytes) : Json()},
          {"working_set_bytes", count(work.working_set_bytes)},
          {"convention", work.convention}};
}

Json to_json(const Achieved& achieved) {
  return {{"flops_per_s", achieved.flops_per_s},
          {"bytes_per_s", achieved.bytes_per_s},
          {"arithmetic_intensity", or_null(achieved.arithmetic_intensity)},
          {"flops_per_j", or_null(achieved.flops_per_j)}};
}

Json to_json(const Roof& roof) {
  return {{"regime", "sustained"},
          {"compute_ceiling", or_null(roof.compute_ceiling)},
          {"memory_ceiling", or_null(roof.memory_ceiling)},
          {"compute_flops_per_s", or_null(roof.compute_flops_per_s)},
          {"memory_bytes_per_s", or_null(roof.memory_bytes_per_s)},
          {"limited_by", roof.limited_by},
          {"attainable_s", roof.attainable_s},
          {"percent_of_roof", roof.percent_of_roof},
          {"percent_of_roof_at_clock", or_null(roof.percent_of_roof_at_clock)},
          {"percent_of_roof_burst", or_null(roof.percent_of_roof_burst)},
          {"above_roof", roof.above_roof}};
}

Json to_json(const CaseRecord& record) {
  const bool figures = record.status != CaseStatus::failed && record.status != CaseStatus::skipped;
  Json parameters = Json::object();
  for (const auto& [key, value] : record.parameters.values())
    parameters[key] = std::visit([](const auto& known) { return Json(known); }, value);
  Json stages;
  if (figures)
    for (const StageTime& stage : record.stages)
      stages.push_back({{"name", stage.name}, {"median_s", stage.median_s}});
  const bool timed = figures && record.timing;
  Json telemetry_by_process;
  if (timed)
    for (const Telemetry& telemetry : record.telemetry_by_process)
      telemetry_by_process.push_back(to_json(telemetry));
  return {{"id", record.id},
          {"family", record.family},
          {"variant", record.variant},
          {"role", name(record.role)},
          {"dtype", name(record.dtype)},
          {"parameters", parameters},
          {"seed", record.seed},
          {"cache", name(record.cache)},
          {"input", name(record.input)},
          {"status", name(record.status)},
          {"reason", or_null(record.reason)},
          {"verification", record.verification ? to_json(*record.verification) : Json()},
          {"timing", timed ? to_json(*record.timing) : Json()},
          {"telemetry", timed ? to_json(record.telemetry) : Json()},
          {"work", to_json(record.work)},
          {"achieved", figures && record.achieved ? to_json(*record.achieved) : Json()},
          {"roof", figures && record.roof ? to_json(*record.roof) : Json()},
          {"counters", nullptr},
          {"notes", record.notes},
          {"stages", stages},
          {"transfer_share", figures ? or_null(record.transfer_share) : Json()},
          {"telemetry_by_process", telemetry_by_process}};
}

void refuse_non_finite(const Json& value, const std::string& path) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    throw Error(ExitCode::io,
                fmt::format("the document is not written: {} is not a finite number", path));
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      refuse_non_finite(value[i], fmt::format("{}[{}]", path, i));
  if (value.is_object())
    for (const auto& [key, member] : value.items())
      refuse_non_finite(member, path.empty() ? key : fmt::format("{}.{}", path, key));
}

template <class T>
Json array_of(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(to_json(value));
  return array;
}

}  // namespace

nlohmann::ordered_json to_json(const Document& document) {
  Json json = {{"schema", document_schema},
               {"status", name(document.status)},
               {"tool", to_json(document.tool)},
               {"command", document.command},
               {"started_at", document.started_at},
               {"finished_at", or_null(document.finished_at)},
               {"host", to_json(document.host)},
               {"device", to_json(document.device)},
               {"ceilings", array_of(document.ceilings)},
               {"cases", array_of(document.cases)},
               {"ceilings_source", or_null(document.ceilings_source)}};
  refuse_non_finite(json, "");
  return json;
}

std::string document_text(const Document& document) {
  return to_json(document).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpubench
