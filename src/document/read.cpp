#include "document/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "measure/statistics.hpp"

namespace gpubench {
namespace {

using strict_json::Cursor;
using strict_json::Json;
using strict_json::quote;

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

// The value that `names` calls as the text says.
template <class T, std::size_t count>
T one_of(const Cursor& at, const std::array<std::pair<std::string_view, T>, count>& names) {
  const std::string& text = at.text();
  for (const auto& [name, value] : names)
    if (name == text) return value;
  std::vector<std::string> allowed;
  for (const auto& [name, value] : names) allowed.emplace_back(name);
  at.fail(fmt::format("{} is not allowed; allowed: {}", quote(text), join(allowed, ", ")));
}

template <class T, std::size_t count>
std::array<std::pair<std::string_view, T>, count> named(const T (&values)[count]) {
  std::array<std::pair<std::string_view, T>, count> names;
  for (std::size_t i = 0; i < count; ++i) names[i] = {name(values[i]), values[i]};
  return names;
}

// One of some words.
template <std::size_t count>
std::string word(const Cursor& at, const std::string_view (&words)[count]) {
  std::array<std::pair<std::string_view, std::string_view>, count> names;
  for (std::size_t i = 0; i < count; ++i) names[i] = {words[i], words[i]};
  return std::string(one_of(at, names));
}

std::string text_of(const Cursor& at) {
  return at.text();
}
double number_of(const Cursor& at) {
  return at.number();
}
bool boolean_of(const Cursor& at) {
  return at.boolean();
}
std::int64_t size_of(const Cursor& at) {
  return at.integer(0, any);
}
int small_of(const Cursor& at) {
  return static_cast<int>(at.integer(0, 1 << 30));
}

double above_zero(const Cursor& at) {
  const double value = at.number();
  if (!(value > 0)) at.fail("expected a number above 0, found " + shortest(value));
  return value;
}

double not_negative(const Cursor& at) {
  const double value = at.number();
  if (!(value >= 0)) at.fail("expected a number of at least 0, found " + shortest(value));
  return value;
}

// A key that must be there and may be null.
template <class Read>
auto nullable(const Cursor& object, std::string_view key, Read read)
    -> std::optional<decltype(read(object))> {
  const Cursor at = object.at(key);
  if (at.value().is_null()) return std::nullopt;
  return read(at);
}

// A key that may be missing or null.
template <class Read>
auto optional(const Cursor& object, std::string_view key, Read read)
    -> std::optional<decltype(read(object))> {
  const auto at = object.find(key);
  if (!at) return std::nullopt;
  return read(*at);
}

template <class Read>
auto list(const Cursor& at, Read read) -> std::vector<decltype(read(at))> {
  at.expect_array();
  std::vector<decltype(read(at))> values;
  values.reserve(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) values.push_back(read(at.element(i)));
  return values;
}

std::vector<std::string> texts(const Cursor& at) {
  return list(at, text_of);
}

Tool read_tool(const Cursor& at) {
  return {.version = at.at("version").text(),
          .git_commit = nullable(at, "git_commit", text_of),
          .git_dirty = nullable(at, "git_dirty", boolean_of),
          .compiler = at.at("compiler").text(),
          .cuda_toolkit = nullable(at, "cuda_toolkit", text_of),
          .cuda_architectures = texts(at.at("cuda_architectures")),
          .build_type = at.at("build_type").text(),
          .kernel_sources_sha256 = nullable(at, "kernel_sources_sha256", text_of)};
}

HostFacts read_host(const Cursor& at) {
  return {.name = nullable(at, "name", text_of),
          .os = nullable(at, "os", text_of),
          .cpu = nullable(at, "cpu", text_of),
          .logical_cores = nullable(at, "logical_cores", size_of),
          .memory_bytes = nullable(at, "memory_bytes", size_of)};
}

// "9.0" is 90.
int capability_of(const Cursor& at) {
  const std::string& text = at.text();
  const auto point = text.find('.');
  const auto major = parse_integer(text.substr(0, point));
  const auto minor =
      point == std::string::npos ? std::nullopt : parse_integer(text.substr(point + 1));
  if (!major || !minor || *major < 1 || *major > 999 || *minor < 0 || *minor > 9)
    at.fail(fmt::format("expected a compute capability such as '9.0', found {}", quote(text)));
  return static_cast<int>(*major * 10 + *minor);
}

DeviceFacts read_device(const Cursor& at) {
  DeviceFacts device;
  device.kind = one_of(at.at("kind"), named({DeviceKind::cuda, DeviceKind::host}));
  device.id = at.at("id").text();
  device.name = at.at("name").text();
  device.uuid = nullable(at, "uuid", text_of);
  device.compute_capability = nullable(at, "compute_capability", capability_of);
  device.multiprocessors = nullable(at, "multiprocessors", small_of);
  device.l2_bytes = nullable(at, "l2_bytes", size_of);
  device.memory_bytes = size_of(at.at("memory_bytes"));
  device.sm_clock_max_hz = nullable(at, "sm_clock_max_hz", number_of);
  device.memory_clock_max_hz = nullable(at, "memory_clock_max_hz", number_of);
  device.driver_version = nullable(at, "driver_version", text_of);
  device.cuda_runtime_version = nullable(at, "cuda_runtime_version", text_of);
  device.ecc_enabled = nullable(at, "ecc_enabled", boolean_of);
  device.mig_profile = nullable(at, "mig_profile", text_of);
  device.power_limit_w = nullable(at, "power_limit_w", number_of);
  return device;
}

Interval read_interval(const Cursor& at) {
  const std::vector<double> ends = list(at, above_zero);
  if (ends.size() != 2) at.fail("expected two numbers");
  return {ends[0], ends[1]};
}

Timing read_timing(const Cursor& at) {
  Timing timing;
  timing.clock = word(at.at("clock"), {"cuda_event", "steady_clock"});
  timing.launches_per_sample = static_cast<int>(at.at("launches_per_sample").integer(1, 1 << 30));
  timing.warmup_s = not_negative(at.at("warmup_s"));
  timing.samples_s = list(at.at("samples_s"), above_zero);
  timing.samples_by_process_s =
      optional(at, "samples_by_process_s", [](const Cursor& processes) {
        return list(processes, [](const Cursor& samples) { return list(samples, above_zero); });
      }).value_or(std::vector<std::vector<double>>{});
  std::vector<double> all;
  for (const std::vector<double>& samples : timing.samples_by_process_s)
    all.insert(all.end(), samples.begin(), samples.end());
  if (!timing.samples_by_process_s.empty() && all != timing.samples_s)
    at.fail("samples_s is not samples_by_process_s, one process after the other");
  timing.median_s = above_zero(at.at("median_s"));
  // Rates and percentages are of the median, and compare judges the samples: they must be of one
  // measurement. (A median of an even count may round differently elsewhere.)
  if (!timing.samples_s.empty())
    if (const double of_samples = median(timing.samples_s);
        std::fabs(timing.median_s - of_samples) > 1e-9 * of_samples)
      at.fail(fmt::format("median_s is {}, and the median of samples_s is {}",
                          shortest(timing.median_s), shortest(of_samples)));
  timing.min_s = above_zero(at.at("min_s"));
  timing.max_s = above_zero(at.at("max_s"));
  timing.mad_s = not_negative(at.at("mad_s"));
  timing.median_ci95_s = nullable(at, "median_ci95_s", read_interval);
  timing.burst_s = optional(at, "burst_s", above_zero);
  timing.stop_reason = optional(at, "stop_reason", text_of).value_or("");
  return timing;
}

Telemetry read_telemetry(const Cursor& at) {
  at.expect_object();
  Telemetry telemetry;
  if (const auto clock = at.find("sm_clock_hz")) {
    telemetry.sm_clock_before_hz = optional(*clock, "before", number_of);
    telemetry.sm_clock_during_hz = optional(*clock, "during", number_of);
    telemetry.sm_clock_after_hz = optional(*clock, "after", number_of);
    telemetry.sm_clock_burst_hz = optional(*clock, "burst", number_of);
  }
  telemetry.memory_clock_hz = optional(at, "memory_clock_hz", number_of);
  telemetry.power_w = optional(at, "power_w", number_of);
  telemetry.energy_j_per_launch = optional(at, "energy_j_per_launch", number_of);
  telemetry.temperature_c = optional(at, "temperature_c", number_of);
  telemetry.throttle_reasons =
      optional(at, "throttle_reasons", texts).value_or(std::vector<std::string>{});
  telemetry.other_processes = optional(at, "other_processes", small_of);
  return telemetry;
}

DataPattern pattern_of(const Cursor& at) {
  constexpr std::array<std::pair<std::string_view, DataPattern>, 2> names{
      {{"random", DataPattern::random}, {"zeros", DataPattern::zeros}}};
  return one_of(at, names);
}

Ceiling read_ceiling(const Cursor& at) {
  Ceiling ceiling;
  ceiling.name = at.at("name").text();
  ceiling.unit = word(at.at("unit"), {"flop/s", "op/s", "byte/s", "s"});
  ceiling.status = word(at.at("status"), {"ok", "skipped", "failed"});
  ceiling.reason = nullable(at, "reason", text_of);
  ceiling.value = nullable(at, "value", above_zero);
  ceiling.burst = optional(at, "burst", above_zero);
  ceiling.sustained = optional(at, "sustained", above_zero);
  ceiling.theoretical = nullable(at, "theoretical", above_zero);
  ceiling.percent_of_theoretical = nullable(at, "percent_of_theoretical", number_of);
  ceiling.percent_of_theoretical_at_clock =
      optional(at, "percent_of_theoretical_at_clock", number_of);
  ceiling.technique = at.at("technique").text();
  ceiling.data_pattern = nullable(at, "data_pattern", pattern_of);
  ceiling.working_set_bytes = nullable(at, "working_set_bytes", size_of);
  ceiling.timing = nullable(at, "timing", read_timing);
  ceiling.telemetry = nullable(at, "telemetry", read_telemetry).value_or(Telemetry{});
  return ceiling;
}

Verification read_verification(const Cursor& at) {
  Verification verification;
  verification.passed = at.at("passed").boolean();
  verification.full = word(at.at("mode"), {"full", "sampled"}) == "full";
  verification.checked = size_of(at.at("checked"));
  verification.max_abs_error = nullable(at, "max_abs_error", number_of);
  verification.max_rel_error = nullable(at, "max_rel_error", number_of);
  verification.bound = at.at("bound").number();
  return verification;
}

WorkRecord read_work(const Cursor& at) {
  return {.flops = not_negative(at.at("flops")),
          .bytes_read = not_negative(at.at("bytes_read")),
          .bytes_written = not_negative(at.at("bytes_written")),
          .modelled_bytes = nullable(at, "modelled_bytes", not_negative),
          .working_set_bytes = not_negative(at.at("working_set_bytes")),
          .convention = at.at("convention").text()};
}

Achieved read_achieved(const Cursor& at) {
  return {.flops_per_s = at.at("flops_per_s").number(),
          .bytes_per_s = at.at("bytes_per_s").number(),
          .arithmetic_intensity = nullable(at, "arithmetic_intensity", number_of),
          .flops_per_j = optional(at, "flops_per_j", number_of)};
}

Roof read_roof(const Cursor& at) {
  word(at.at("regime"), {"sustained", "burst"});
  return {.compute_ceiling = nullable(at, "compute_ceiling", text_of),
          .memory_ceiling = nullable(at, "memory_ceiling", text_of),
          .compute_flops_per_s = nullable(at, "compute_flops_per_s", number_of),
          .memory_bytes_per_s = nullable(at, "memory_bytes_per_s", number_of),
          .limited_by = at.at("limited_by").text(),
          .attainable_s = not_negative(at.at("attainable_s")),
          .percent_of_roof = not_negative(at.at("percent_of_roof")),
          .percent_of_roof_at_clock = nullable(at, "percent_of_roof_at_clock", not_negative),
          .percent_of_roof_burst = optional(at, "percent_of_roof_burst", not_negative),
          .above_roof = at.at("above_roof").boolean()};
}

ParameterSet read_parameters(const Cursor& at) {
  at.expect_object();
  ParameterSet parameters;
  for (const auto& [key, value] : at.value().items()) {
    const Cursor parameter(value, at, key);
    if (value.is_boolean())
      parameters.set(key, value.get<bool>());
    else if (value.is_string())
      parameters.set(key, parameter.text());
    else
      parameters.set(key, parameter.integer(std::numeric_limits<std::int64_t>::min(), any));
  }
  return parameters;
}

StageTime read_stage(const Cursor& at) {
  return {.name = at.at("name").text(), .median_s = above_zero(at.at("median_s"))};
}

CaseRecord read_case(const Cursor& at) {
  CaseRecord record;
  record.id = at.at("id").text();
  record.family = at.at("family").text();
  record.variant = at.at("variant").text();
  record.role = one_of(at.at("role"), named({Role::ladder, Role::reference}));
  record.dtype = one_of(at.at("dtype"), named({DType::f32, DType::f16, DType::bf16, DType::f64}));
  const Cursor parameters = at.at("parameters");
  record.parameters = read_parameters(parameters);
  record.seed = at.at("seed").natural();
  record.cache = one_of(at.at("cache"), named({CacheMode::warm, CacheMode::cold}));
  record.input = one_of(at.at("input"),
                        named({InputKind::random, InputKind::integers, InputKind::large,
                               InputKind::equal, InputKind::outlier, InputKind::infinite_rows}));
  record.status = one_of(at.at("status"), named({CaseStatus::ok, CaseStatus::failed,
                                                 CaseStatus::skipped, CaseStatus::interrupted}));
  record.reason = nullable(at, "reason", text_of);
  record.verification = nullable(at, "verification", read_verification);
  record.timing = nullable(at, "timing", read_timing);
  record.telemetry = nullable(at, "telemetry", read_telemetry).value_or(Telemetry{});
  record.telemetry_by_process = optional(at, "telemetry_by_process", [](const Cursor& processes) {
                                  return list(processes, read_telemetry);
                                }).value_or(std::vector<Telemetry>{});
  record.work = read_work(at.at("work"));
  record.achieved = nullable(at, "achieved", read_achieved);
  record.roof = nullable(at, "roof", read_roof);
  nullable(at, "counters", [](const Cursor& counters) {
    counters.expect_object();
    return true;
  });
  record.notes = texts(at.at("notes"));
  record.stages = optional(at, "stages", [](const Cursor& stages) {
                    return list(stages, read_stage);
                  }).value_or(std::vector<StageTime>{});
  record.transfer_share = optional(at, "transfer_share", number_of);
  return record;
}

void check_schema(const Cursor& document) {
  constexpr std::string_view family = "gpubench.results/";
  const Cursor schema = document.at("schema");
  const std::string& text = schema.text();
  if (text == document_schema) return;
  if (text.starts_with(family))
    document.fail(fmt::format("is {}; this gpubench reads {}", quote(text), document_schema));
  schema.fail(fmt::format("{} is not a gpubench results document", quote(text)));
}

Document parse(std::string_view text, const strict_json::Source& source,
               const TakeCase& take_case) {
  Document document;
  // The first fault of an element waits until the rest is parsed: a file that is not JSON, or of
  // another schema, is to be told so.
  std::optional<Error> fault;
  std::unordered_set<std::string> ids;
  std::set<std::string> ceiling_names;

  constexpr std::array<std::string_view, 2> arrays = {"ceilings", "cases"};
  const Json nothing;
  const Cursor top(nothing, source);
  const auto take = [&](std::string_view array, std::size_t index, const Json& value) {
    if (fault) return;
    const Cursor parent(nothing, top, array);
    const Cursor at(value, parent, index);
    try {
      if (array == "ceilings") {
        Ceiling ceiling = read_ceiling(at);
        if (!ceiling_names.insert(ceiling.name).second)
          at.fail(fmt::format("there is a second ceiling {}", quote(ceiling.name)));
        document.ceilings.push_back(std::move(ceiling));
      } else {
        CaseRecord record = read_case(at);
        if (!ids.insert(record.id).second)
          at.fail(fmt::format("there is a second case {}", quote(record.id)));
        take_case(std::move(record));
      }
    } catch (const Error& error) {
      fault = error;
    }
  };
  const Json json = strict_json::parse(text, source, {arrays, take});

  const Cursor at(json, source);
  at.expect_object();
  check_schema(at);
  if (fault) throw *fault;
  for (const std::string_view array : arrays) at.at(array).expect_array();
  document.status =
      one_of(at.at("status"), named({Document::Status::complete, Document::Status::interrupted}));
  document.tool = read_tool(at.at("tool"));
  document.command = texts(at.at("command"));
  document.started_at = at.at("started_at").text();
  document.finished_at = optional(at, "finished_at", text_of);
  document.host = read_host(at.at("host"));
  document.ceilings_source = nullable(at, "ceilings_source", text_of);
  document.device = read_device(at.at("device"));
  return document;
}

strict_json::Source source_named(const std::string& name) {
  return {name, ExitCode::not_comparable};
}

// Keeps the cases in the document itself.
template <class Read>
Document with_cases(Read read) {
  std::vector<CaseRecord> cases;
  Document document = read([&](CaseRecord&& record) { cases.push_back(std::move(record)); });
  document.cases = std::move(cases);
  return document;
}

}  // namespace

Document read_document(const std::string& path, const TakeCase& take_case) {
  const strict_json::Source source = source_named(path);
  const std::string text = strict_json::read_text(source, largest_document);
  return parse(text, source, take_case);
}

Document read_document(const std::string& path) {
  return with_cases([&](const TakeCase& take) { return read_document(path, take); });
}

Document parse_document(std::string_view text, const std::string& name) {
  return with_cases([&](const TakeCase& take) { return parse(text, source_named(name), take); });
}

}  // namespace gpubench
