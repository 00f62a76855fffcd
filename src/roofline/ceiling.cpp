#include "roofline/ceiling.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "registry/family.hpp"
#include "roofline/candidates.hpp"

namespace gpubench {
namespace {

// As the document names it: a run on zeros is no roof, and says so in its name.
Ceiling started(const CeilingSpec& spec, DataPattern pattern) {
  Ceiling ceiling;
  ceiling.name = spec.name;
  ceiling.unit = spec.unit;
  if (spec.uses_data) {
    ceiling.data_pattern = pattern;
    if (pattern == DataPattern::zeros) ceiling.name += "_zeros";
  }
  return ceiling;
}

std::optional<std::string> lacking(const CeilingSpec& spec, const DeviceFacts& facts) {
  VariantFacts variant;
  variant.device = spec.device;
  variant.needs = spec.needs;
  variant.built = spec.prepare != nullptr;
  if (auto reason = unsupported(variant, facts)) return reason;
  return spec.unsupported ? spec.unsupported(facts) : std::nullopt;
}

double try_candidate(Device& device, const CeilingCandidate& candidate, double seconds) {
  // By itself first: a kernel is loaded on first use, which must not fall into a capture.
  candidate.launch(device.stream());
  device.synchronize();
  TimerOptions options;
  options.submission = candidate.submission;
  const auto timer = device.timer(candidate.launch, options);
  const double first_s = timer->run(1).front().seconds_per_launch;
  constexpr int fewest = 4, most = 10'000, at_once = 50;
  const int count =
      first_s > 0
          ? static_cast<int>(std::clamp(std::ceil(seconds / first_s), 1.0 * fewest, 1.0 * most))
          : most;
  std::vector<double> samples_s;
  for (int left = count; left > 0; left -= at_once) {
    for (const Sample& sample : timer->run(std::min(left, at_once)))
      samples_s.push_back(sample.seconds_per_launch);
    check_interrupt();
  }
  const double second_half_s =
      median(std::span<const double>(samples_s).subspan(samples_s.size() / 2));
  return second_half_s > 0 ? candidate.amount / second_half_s : 0;
}

}  // namespace

SpecChoice choose_spec(std::span<const CeilingSpec> specs, std::string_view name,
                       const DeviceFacts& facts) {
  std::vector<std::string> names;
  std::string_view device_needed;
  std::optional<std::string> reason;
  for (const CeilingSpec& spec : specs) {
    if (std::ranges::find(names, spec.name) == names.end()) names.emplace_back(spec.name);
    if (spec.name != name) continue;
    device_needed = gpubench::name(spec.device);
    if (spec.device != facts.kind) continue;
    // Of several reasons the last one stays: the general form of a measurement, which needs least.
    reason = lacking(spec, facts);
    if (!reason) return {&spec, ""};
  }
  if (device_needed.empty())
    throw Error(ExitCode::usage,
                "there is no ceiling '" + std::string(name) + "'" + suggestion(name, names));
  if (!reason)
    reason = "needs a " + std::string(device_needed) + " device; this device is " + facts.id;
  return {nullptr, *reason};
}

std::vector<double> try_candidates(Device& device, std::span<const CeilingCandidate> candidates,
                                   double seconds) {
  std::vector<double> rates;
  for (const CeilingCandidate& candidate : candidates)
    rates.push_back(try_candidate(device, candidate, seconds));
  return rates;
}

void record(Ceiling& ceiling, const CeilingSpec& spec, const CeilingCandidate& candidate,
            Measurement measurement, const DeviceFacts& facts) {
  ceiling.technique = candidate.technique;
  if (candidate.working_set_bytes)
    ceiling.working_set_bytes = static_cast<std::int64_t>(*candidate.working_set_bytes);
  ceiling.timing = std::move(measurement.timing);
  ceiling.telemetry = std::move(measurement.telemetry);
  // A latency is the time of one; all else is a rate.
  const bool latency = spec.unit == "s";
  ceiling.value = latency ? ceiling.timing->median_s / candidate.amount
                          : candidate.amount / ceiling.timing->median_s;
  ceiling.sustained = ceiling.value;
  if (latency) return;  // nothing that a device has on paper, and less would be better
  if (ceiling.timing->burst_s) ceiling.burst = candidate.amount / *ceiling.timing->burst_s;
  if (spec.theoretical) ceiling.theoretical = spec.theoretical(facts);
  if (!ceiling.theoretical) return;
  ceiling.percent_of_theoretical = 100 * *ceiling.value / *ceiling.theoretical;
  const std::optional<double> clock_hz = ceiling.telemetry.sm_clock_during_hz;
  if (spec.scales_with_clock && clock_hz && *clock_hz > 0 && facts.sm_clock_max_hz)
    ceiling.percent_of_theoretical_at_clock =
        *ceiling.percent_of_theoretical * *facts.sm_clock_max_hz / *clock_hz;
}

Ceiling measure_spec(Device& device, const CeilingSpec& spec, DataPattern pattern, bool burst) {
  Ceiling ceiling = started(spec, pattern);
  try {
    const std::vector<CeilingCandidate> candidates = spec.prepare(device, pattern);
    std::size_t best = 0;
    if (candidates.size() > 1) {
      const std::vector<double> rates = try_candidates(device, candidates, spec.trial_s);
      best = static_cast<std::size_t>(std::ranges::max_element(rates) - rates.begin());
    }
    const CeilingCandidate& chosen = candidates.at(best);
    MeasureOptions options;
    options.warmup_s = spec.from_s;
    options.load_until_s = spec.until_s;
    options.submission = chosen.submission;
    options.burst = burst;
    record(ceiling, spec, chosen, measure(device, chosen.launch, options), device.facts());
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    ceiling.status = "failed";
    ceiling.reason = error.what();
  }
  return ceiling;
}

std::vector<std::string_view> ceiling_names(DeviceKind kind) {
  std::vector<std::string_view> names;
  for (const CeilingSpec& spec : ceiling_specs())
    if (spec.device == kind && std::ranges::find(names, spec.name) == names.end())
      names.push_back(spec.name);
  return names;
}

const CeilingSpec* find_spec(DeviceKind kind, std::string_view name) {
  for (const CeilingSpec& spec : ceiling_specs())
    if (spec.device == kind && spec.name == name) return &spec;
  return nullptr;
}

std::span<const std::string_view> core_ceilings(DeviceKind kind) {
  static constexpr std::string_view cuda[] = {"fp32_fma", "f16_tensor", "dram_read", "l2_read"};
  static constexpr std::string_view host[] = {"fp32_fma",   "f16_tensor", "dram_read",
                                              "dram_triad", "dram_copy",  "l2_read"};
  if (kind == DeviceKind::host) return host;
  return cuda;
}

Ceiling measure_ceiling(Device& device, std::string_view name, DataPattern pattern, bool burst) {
  const std::span<const CeilingSpec> specs = ceiling_specs();
  const SpecChoice choice = choose_spec(specs, name, device.facts());
  if (choice.spec) return measure_spec(device, *choice.spec, pattern, burst);
  const auto any = std::ranges::find(specs, name, &CeilingSpec::name);
  Ceiling ceiling = started(*any, pattern);
  ceiling.status = "skipped";
  ceiling.reason = choice.reason;
  return ceiling;
}

}  // namespace gpubench
