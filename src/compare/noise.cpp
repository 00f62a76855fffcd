#include "compare/noise.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/table.hpp"
#include "base/text.hpp"

namespace gpubench {
namespace {

// Ranges of the medians of twelve processes of one build on an H200: the largest of each kind (the
// f16 product of 1024, of 4096, the sum of 2^28, the f16 product of 8192).
constexpr double launch_sized = 0.087;
constexpr double l2_sized = 0.038;
constexpr double dram_sized = 0.007;
constexpr double power_limited = 0.059;
// Processors share their caches, memory and clock with everything else that a machine does.
constexpr double on_the_host = 0.10;

constexpr double launch_sized_until_s = 20e-6;
constexpr double l2_sized_until = 4;  // times the L2, as the warm roof

constexpr std::size_t largest_noise_file = std::size_t{64} << 20;

double shortest_sample(const Entry& entry) {
  double least = entry.processes.empty() ? 0 : entry.processes.front().samples_s.front();
  for (const ProcessFigures& process : entry.processes)
    least = std::min(least, *std::ranges::min_element(process.samples_s));
  return least;
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string percent(const std::optional<double>& value) {
  return value ? percent_text(*value) : "";
}

}  // namespace

Floor default_floor(const Entry& entry, const DeviceFacts& device) {
  if (device.kind == DeviceKind::host) return {on_the_host, "on the host"};
  if (entry.power_limited) return {power_limited, "power-limited"};
  if (!entry.id.starts_with("ceiling/") && shortest_sample(entry) < launch_sized_until_s)
    return {launch_sized, "launch-sized"};
  const double l2 = static_cast<double>(device.l2_bytes.value_or(0));
  if (entry.working_set_bytes > 0 && entry.working_set_bytes <= l2_sized_until * l2)
    return {l2_sized, "L2-sized"};
  return {dram_sized, "DRAM-sized"};
}

std::optional<double> NoiseCase::of(Metric metric) const {
  switch (metric) {
    case Metric::time:
      return time;
    case Metric::percent_of_roof:
      return percent_of_roof;
    case Metric::percent_of_roof_at_clock:
      return percent_of_roof_at_clock;
    case Metric::energy:
      return energy;
  }
  return std::nullopt;
}

std::optional<double> noise_floor(const Entry& entry, Metric metric) {
  std::vector<double> medians;
  for (const ProcessFigures& process : entry.processes)
    if (const std::vector<double> values = costs(process, metric); !values.empty()) {
      if (!std::ranges::all_of(values, in_range)) return std::nullopt;
      medians.push_back(median(values));
    }
  std::vector<double> differences;
  for (std::size_t i = 0; i < medians.size(); ++i)
    for (std::size_t j = i + 1; j < medians.size(); ++j)
      differences.push_back(std::max(medians[i], medians[j]) / std::min(medians[i], medians[j]) -
                            1);
  if (differences.empty()) return std::nullopt;
  return quantile(differences, 0.95);
}

Noise calibrate(const Side& side) {
  Noise noise;
  noise.device = side.facts.device;
  noise.created_at = now_utc();
  noise.files = side.facts.files;
  for (const Entry& entry : side.entries) {
    if (!entry.disagreement.empty())
      throw Error(ExitCode::not_comparable, entry.id + ": " + entry.disagreement);
    if (entry.processes.size() < 2) continue;
    noise.cases.push_back(
        {.id = entry.id,
         .processes = static_cast<int>(entry.processes.size()),
         .time = noise_floor(entry, Metric::time),
         .percent_of_roof = noise_floor(entry, Metric::percent_of_roof),
         .percent_of_roof_at_clock = noise_floor(entry, Metric::percent_of_roof_at_clock),
         .energy = noise_floor(entry, Metric::energy)});
  }
  noise.warnings = side.warnings;
  const Side* const sides[] = {&side};
  // Of ceilings their differences are what is calibrated.
  if (std::string warning = ceiling_differences(sides); !side.of_ceilings && !warning.empty())
    noise.warnings.push_back(std::move(warning));
  if (noise.files.size() > 1 && !side.facts.git_commit)
    noise.warnings.push_back("the documents are not of one commit of gpubench, or do not tell");
  if (noise.cases.empty())
    throw Error(ExitCode::not_comparable,
                "no case was measured in two processes: calibrating takes several documents of one "
                "build, or one of 'gpubench run --processes K'");
  return noise;
}

std::string noise_json(const Noise& noise) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const NoiseCase& one : noise.cases)
    cases.push_back({{"id", one.id},
                     {"processes", one.processes},
                     {"time", or_null(one.time)},
                     {"percent_of_roof", or_null(one.percent_of_roof)},
                     {"percent_of_roof_at_clock", or_null(one.percent_of_roof_at_clock)},
                     {"energy", or_null(one.energy)}});
  const nlohmann::ordered_json json = {{"schema", noise_schema},
                                       {"device", noise.device},
                                       {"created_at", noise.created_at},
                                       {"files", noise.files},
                                       {"cases", cases}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Noise read_noise(const std::string& path) {
  return parse_noise(strict_json::read_text({path, ExitCode::not_comparable}, largest_noise_file),
                     path);
}

Noise parse_noise(std::string_view text, const std::string& name) {
  using strict_json::Cursor;
  const strict_json::Source source{name, ExitCode::not_comparable};
  const strict_json::Json json = strict_json::parse(text, source);
  const Cursor top(json, source);
  const Cursor schema = top.at("schema");
  if (schema.text() != noise_schema)
    schema.fail(strict_json::quote(schema.text()) + " is not " + std::string(noise_schema) +
                ", which 'gpubench compare --calibrate' writes");
  Noise noise;
  noise.device = top.at("device").text();
  noise.created_at = top.at("created_at").text();
  const Cursor cases = top.at("cases");
  cases.expect_array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Cursor at = cases.element(i);
    const auto floor = [&](std::string_view key) -> std::optional<double> {
      const auto value = at.find(key);
      if (!value) return std::nullopt;
      if (!(value->number() >= 0)) value->fail("a floor is not negative");
      return value->number();
    };
    noise.cases.push_back({.id = at.at("id").text(),
                           .processes = static_cast<int>(at.at("processes").integer(2, 1 << 30)),
                           .time = floor("time"),
                           .percent_of_roof = floor("percent_of_roof"),
                           .percent_of_roof_at_clock = floor("percent_of_roof_at_clock"),
                           .energy = floor("energy")});
  }
  return noise;
}

std::string noise_table(const Noise& noise, std::size_t width) {
  Table table({{"case", false},
               {"processes", true, 1},
               {"time"},
               {"% roof", true, 2},
               {"% roof at clock"},
               {"energy", true, 1}});
  std::vector<std::string> shrunk;
  int known = 0;
  for (const NoiseCase& one : noise.cases) {
    table.add({printable(one.id), std::to_string(one.processes), percent(one.time),
               percent(one.percent_of_roof), percent(one.percent_of_roof_at_clock),
               percent(one.energy)});
    if (!one.time || !one.percent_of_roof_at_clock) continue;
    ++known;
    // A tenth less is within what a 95th percentile of few pairs is sure of.
    if (*one.percent_of_roof_at_clock < 0.9 * *one.time)
      shrunk.push_back(printable(one.id) + " (" + percent(one.time) + " to " +
                       percent(one.percent_of_roof_at_clock) + ")");
  }
  std::string text;
  for (const std::string& warning : noise.warnings) text += "warning: " + printable(warning) + "\n";
  text += "Noise between processes on " + printable(noise.device) +
          ": in 95 of 100 pairs the figures differ by less than\n" + table.text(width);
  if (known == 0)
    text +=
        "No case has a percent of roof at clock: whether the clock explains the noise is not "
        "known.\n";
  else if (shrunk.empty())
    text +=
        "The clock explains the noise of no case: --metric percent-of-roof-at-clock shrinks no "
        "floor.\n";
  else
    text += "--metric percent-of-roof-at-clock shrinks the floor of " +
            std::to_string(shrunk.size()) + " of " + std::to_string(known) +
            " cases: " + join(shrunk, ", ") + "\n";
  return text;
}

}  // namespace gpubench
