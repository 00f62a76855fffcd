#include "roofline/roof.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpubench {
namespace {

// More than this and the ceiling or the work model is wrong; less is the scatter of two
// measurements.
constexpr double above_roof_percent = 101;
// Largest working set, in units of L2, whose warm traffic is held to the L2 ceiling; from the
// second figure on a part of it comes from DRAM.
constexpr double largest_l2_set = 4;
constexpr double l2_transition = 0.6;
// Up to this many times the caches below the last level, a part of a warm working set is found
// there (a CPU keeps them from launch to launch), faster than any ceiling that is measured.
constexpr double largest_inner_set = 2;

// A case that takes no more than this many empty launches is mostly the cost of being launched.
constexpr double launch_bound_within = 3;

const Ceiling* find(std::span<const Ceiling> ceilings, std::string_view name) {
  for (const Ceiling& ceiling : ceilings)
    if (ceiling.name == name && ceiling.status == "ok" && ceiling.value && *ceiling.value > 0)
      return &ceiling;
  return nullptr;
}

// Where a case's traffic goes, and how much of it is writing.
struct Traffic {
  bool dram = true;
  double bytes = 0;
  double write_share = 0;
  bool in_transition = false;  // from L2 to DRAM
  bool inner = false;          // in caches that no ceiling is measured for
};

Traffic traffic_of(const Work& work, CacheMode cache, const DeviceFacts& facts) {
  const double l2 = static_cast<double>(facts.l2_bytes.value_or(0));
  const double inner = static_cast<double>(facts.inner_cache_bytes.value_or(0));
  double written = work.bytes_written;
  // Cold: what is written stays in L2 until the sample is over, if it fits.
  if (cache == CacheMode::cold && written <= l2) written = 0;
  Traffic traffic;
  traffic.bytes = work.bytes_read + written;
  traffic.write_share = traffic.bytes > 0 ? written / traffic.bytes : 0;
  if (cache == CacheMode::warm && l2 > 0 && work.working_set_bytes <= largest_l2_set * l2) {
    traffic.dram = false;
    traffic.in_transition = work.working_set_bytes > l2_transition * l2;
    traffic.inner = work.working_set_bytes <= largest_inner_set * inner;
  }
  return traffic;
}

struct MemoryLimit {
  std::string name;
  double bytes_per_s = 0;
};

// Memory that reads and writes at once is faster, or slower, than memory that only reads: the limit
// follows the write share, piecewise linear between the ceilings that were measured and level
// beyond the outermost. It bears the name of the nearest.
std::optional<MemoryLimit> dram_limit(std::span<const Ceiling> ceilings, double write_share) {
  constexpr std::pair<std::string_view, double> shares[] = {
      {"dram_read", 0}, {"dram_triad", 1.0 / 3}, {"dram_copy", 0.5}, {"dram_write", 1}};
  struct Point {
    double write_share;
    MemoryLimit limit;
  };
  std::vector<Point> points;
  for (const auto& [name, share] : shares)
    if (const Ceiling* ceiling = find(ceilings, name))
      points.push_back({share, {ceiling->name, *ceiling->value}});
  if (points.empty()) return std::nullopt;
  const auto above = std::ranges::lower_bound(points, write_share, {}, &Point::write_share);
  if (above == points.begin()) return points.front().limit;
  if (above == points.end()) return points.back().limit;
  const Point& below = *(above - 1);
  const double t = (write_share - below.write_share) / (above->write_share - below.write_share);
  return MemoryLimit{t < 0.5 ? below.limit.name : above->limit.name,
                     std::lerp(below.limit.bytes_per_s, above->limit.bytes_per_s, t)};
}

std::optional<MemoryLimit> memory_limit(std::span<const Ceiling> ceilings, const Traffic& traffic) {
  if (!(traffic.bytes > 0) || traffic.inner) return std::nullopt;
  if (traffic.dram) return dram_limit(ceilings, traffic.write_share);
  const Ceiling* l2 = find(ceilings, "l2_read");
  if (!l2) return std::nullopt;
  return MemoryLimit{l2->name, *l2->value};
}

// A trip between host and device: the bus carries both directions at once, so that the longer one
// is what is attainable.
std::optional<Roof> transfer_roof(const Work& work, double seconds,
                                  std::span<const Ceiling> ceilings) {
  std::optional<Roof> longest;
  for (const auto& [name, bytes] :
       {std::pair{"pcie_h2d", work.bytes_read}, std::pair{"pcie_d2h", work.bytes_written}}) {
    const Ceiling* ceiling = find(ceilings, name);
    if (!ceiling || !(bytes > 0)) continue;
    const double attainable_s = bytes / *ceiling->value;
    if (longest && longest->attainable_s >= attainable_s) continue;
    longest.emplace();
    longest->memory_ceiling = ceiling->name;
    longest->memory_bytes_per_s = ceiling->value;
    longest->limited_by = ceiling->name;
    longest->attainable_s = attainable_s;
    longest->percent_of_roof = 100 * attainable_s / seconds;
  }
  return longest;
}

// The last step of every roof.
void flag_above_roof(Placement& placement) {
  if (!placement.roof) return;
  placement.roof->above_roof = placement.roof->percent_of_roof > above_roof_percent;
  if (placement.roof->above_roof) placement.notes.push_back("above_roof");
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
  if (work.host_transfer) {
    placement.roof = transfer_roof(work, seconds, ceilings);
    flag_above_roof(placement);
    return placement;
  }

  Roof roof;
  double compute_s = 0;
  double memory_s = 0;
  const Ceiling* compute = nullptr;
  if (work.flops > 0)
    compute = find(ceilings,
                   work.compute_ceiling.empty() ? compute_ceiling_of(type) : work.compute_ceiling);
  if (compute) {
    roof.compute_ceiling = compute->name;
    roof.compute_flops_per_s = compute->value;
    compute_s = work.flops / *compute->value;
  }
  const Traffic traffic = traffic_of(work, cache, facts);
  const std::optional<MemoryLimit> memory = memory_limit(ceilings, traffic);
  if (memory) {
    roof.memory_ceiling = memory->name;
    roof.memory_bytes_per_s = memory->bytes_per_s;
    memory_s = traffic.bytes / memory->bytes_per_s;
  }
  if (traffic.inner) placement.notes.push_back("inner_caches");
  // A term whose ceiling is missing could be the longer one: what is left of the roof proves
  // nothing.
  const bool needs_memory = traffic.bytes > 0 && !traffic.inner;
  if ((work.flops > 0 && !compute) || (needs_memory && !memory)) return placement;
  if (!compute && !memory) return placement;

  roof.attainable_s = std::max(compute_s, memory_s);
  roof.limited_by = compute_s >= memory_s ? compute->name : memory->name;
  roof.percent_of_roof = 100 * roof.attainable_s / seconds;
  // A ceiling read from a file can be near zero.
  if (!std::isfinite(roof.percent_of_roof)) return placement;
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
  const Ceiling* launch = find(ceilings, "latency_launch");
  if (launch && seconds < launch_bound_within * *launch->value)
    placement.notes.push_back("launch_bound");
  placement.roof = std::move(roof);
  flag_above_roof(placement);
  return placement;
}

}  // namespace gpubench
