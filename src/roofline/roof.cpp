#include "roofline/roof.hpp"

#include <algorithm>

namespace gpubench {
namespace {

// More than this and the ceiling or the work model is wrong; less is the scatter of two
// measurements.
constexpr double above_roof_percent = 101;
// Largest working set, in units of L2, whose warm traffic is held to the L2 ceiling; from the
// second figure on a part of it comes from DRAM.
constexpr double largest_l2_set = 4;
constexpr double l2_transition = 0.6;

const Ceiling* find(std::span<const Ceiling> ceilings, std::string_view name) {
  for (const Ceiling& ceiling : ceilings)
    if (ceiling.name == name && ceiling.status == "ok" && ceiling.value && *ceiling.value > 0)
      return &ceiling;
  return nullptr;
}

struct MemoryTerm {
  std::string_view ceiling;
  double bytes = 0;
  bool in_transition = false;
};

MemoryTerm memory_term(const Work& work, CacheMode cache, std::optional<std::int64_t> l2_bytes) {
  const double l2 = l2_bytes ? static_cast<double>(*l2_bytes) : 0;
  if (cache == CacheMode::cold) {
    // What is written stays in L2 until the sample is over, if it fits.
    const double written = work.bytes_written <= l2 ? 0 : work.bytes_written;
    return {"dram_read", work.bytes_read + written};
  }
  const double bytes = work.bytes_read + work.bytes_written;
  if (work.working_set_bytes > largest_l2_set * l2 || l2 == 0) return {"dram_read", bytes};
  return {"l2_read", bytes, work.working_set_bytes > l2_transition * l2};
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

Placement place_under_roof(const Work& work, DType type, CacheMode cache, double seconds,
                           std::optional<double> sm_clock_hz, std::span<const Ceiling> ceilings,
                           const DeviceFacts& facts) {
  Placement placement;
  if (work.host_transfer || !(seconds > 0)) return placement;

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
  const MemoryTerm term = memory_term(work, cache, facts.l2_bytes);
  const Ceiling* memory = term.bytes > 0 ? find(ceilings, term.ceiling) : nullptr;
  if (memory) {
    roof.memory_ceiling = memory->name;
    roof.memory_bytes_per_s = memory->value;
    memory_s = term.bytes / *memory->value;
    if (term.in_transition) placement.notes.push_back("l2_transition");
  }
  if (!compute && !memory) return placement;

  roof.attainable_s = std::max(compute_s, memory_s);
  roof.limited_by = compute_s >= memory_s ? compute->name : memory->name;
  roof.percent_of_roof = 100 * roof.attainable_s / seconds;
  if (compute && sm_clock_hz && *sm_clock_hz > 0) {
    const std::optional<double> ceiling_clock_hz = compute->telemetry.sm_clock_during_hz;
    if (ceiling_clock_hz && *ceiling_clock_hz > 0) {
      const double at_clock_s = compute_s * *ceiling_clock_hz / *sm_clock_hz;
      roof.percent_of_roof_at_clock = 100 * std::max(at_clock_s, memory_s) / seconds;
    }
  }
  roof.above_roof = roof.percent_of_roof > above_roof_percent;
  if (roof.above_roof) placement.notes.push_back("above_roof");
  placement.roof = std::move(roof);
  return placement;
}

}  // namespace gpubench
