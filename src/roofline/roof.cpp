#include "roofline/roof.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "roofline/memory_limit.hpp"

namespace gpubench {
namespace {

// A case that takes less than this many empty launches is mostly the cost of being launched.
constexpr double launch_bound_within = 3;

// A term whose ceiling is missing could be the longest: what is left of the roof proves nothing.
constexpr const char* no_ceiling = "no_ceiling";

// The last step of every roof.
void finish(Placement& placement, Roof&& roof) {
  // A ceiling read from a file can be near zero.
  if (!std::isfinite(roof.percent_of_roof)) return;
  roof.above_roof = is_above_roof(roof.percent_of_roof);
  if (roof.above_roof) placement.notes.push_back("above_roof");
  placement.roof = std::move(roof);
}

// A trip between host and device: the bus carries both directions at once, so that the longer one
// is what is attainable.
void place_under_bus(Placement& placement, const Work& work, double seconds,
                     std::span<const Ceiling> ceilings) {
  std::optional<Roof> longest;
  for (const auto& [name, bytes] :
       {std::pair{"pcie_h2d", work.bytes_read}, std::pair{"pcie_d2h", work.bytes_written}}) {
    if (!(bytes > 0)) continue;
    const Ceiling* ceiling = find_measured(ceilings, name);
    if (!ceiling) {
      placement.notes.push_back(no_ceiling);
      return;
    }
    const double attainable_s = bytes / *ceiling->value;
    if (longest && longest->attainable_s >= attainable_s) continue;
    longest.emplace();
    longest->memory_ceiling = ceiling->name;
    longest->memory_bytes_per_s = ceiling->value;
    longest->limited_by = ceiling->name;
    longest->attainable_s = attainable_s;
    longest->percent_of_roof = 100 * attainable_s / seconds;
  }
  if (longest) finish(placement, std::move(*longest));
}

}  // namespace

std::string_view compute_ceiling_of(DType type) {
  switch (type) {
    case DType::f32:
      return "fp32_fma";
    case DType::f16:
      return "f16_tensor";
    case DType::bf16:
      return "bf16_tensor";
    case DType::f64:
      return "fp64_fma";
  }
  return "";
}

Placement place_under_roof(const Work& work, DType type, CacheMode cache, const TimedCase& timed,
                           std::span<const Ceiling> ceilings, const DeviceFacts& facts) {
  const double seconds = timed.seconds;
  Placement placement;
  if (!(seconds > 0)) return placement;
  const Ceiling* launch = find_measured(ceilings, "latency_launch");
  if (launch && seconds < launch_bound_within * *launch->value)
    placement.notes.push_back("launch_bound");
  if (work.host_transfer) {
    place_under_bus(placement, work, seconds, ceilings);
    return placement;
  }

  Roof roof;
  double compute_s = 0;
  double memory_s = 0;
  const Ceiling* compute = nullptr;
  if (work.flops > 0)
    compute = find_measured(
        ceilings, work.compute_ceiling.empty() ? compute_ceiling_of(type) : work.compute_ceiling);
  if (compute) {
    roof.compute_ceiling = compute->name;
    roof.compute_flops_per_s = compute->value;
    compute_s = work.flops / *compute->value;
  }
  const MemoryTerm traffic = memory_term(work, cache, ceilings, facts);
  const std::optional<MemoryLimit>& memory = traffic.limit;
  if (memory) {
    roof.memory_ceiling = memory->name;
    roof.memory_bytes_per_s = memory->bytes_per_s;
    memory_s = traffic.bytes / memory->bytes_per_s;
  }
  if (traffic.inner) placement.notes.push_back("inner_caches");
  if ((work.flops > 0 && !compute) || (traffic.needed && !memory)) {
    placement.notes.push_back(no_ceiling);
    return placement;
  }
  if (!compute && !memory) return placement;

  roof.attainable_s = std::max(compute_s, memory_s);
  roof.limited_by = compute_s >= memory_s ? compute->name : memory->name;
  roof.percent_of_roof = 100 * roof.attainable_s / seconds;
  if (compute && compute->burst && timed.burst_s && *compute->burst > 0 && *timed.burst_s > 0) {
    const double burst_s = std::max(work.flops / *compute->burst, memory_s);
    const double percent = 100 * burst_s / *timed.burst_s;
    if (std::isfinite(percent)) roof.percent_of_roof_burst = percent;
  }
  if (compute && timed.sm_clock_hz && *timed.sm_clock_hz > 0) {
    const std::optional<double> ceiling_clock_hz = compute->telemetry.sm_clock_during_hz;
    if (ceiling_clock_hz && *ceiling_clock_hz > 0) {
      const double at_clock_s = compute_s * *ceiling_clock_hz / *timed.sm_clock_hz;
      const double percent = 100 * std::max(at_clock_s, memory_s) / seconds;
      if (std::isfinite(percent)) roof.percent_of_roof_at_clock = percent;
    }
  }
  if (memory && traffic.in_transition) placement.notes.push_back("l2_transition");
  finish(placement, std::move(roof));
  return placement;
}

}  // namespace gpubench
