// The roof of a case: what its ceilings allow, and how near it came.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "registry/work.hpp"
#include "roofline/ceiling.hpp"

namespace gpubench {

// The document's `roof`.
struct Roof {
  std::optional<std::string> compute_ceiling;
  std::optional<std::string> memory_ceiling;
  std::optional<double> compute_flops_per_s;
  std::optional<double> memory_bytes_per_s;
  std::string limited_by;
  double attainable_s = 0;
  double percent_of_roof = 0;
  std::optional<double> percent_of_roof_at_clock;
  std::optional<double> percent_of_roof_burst;
  bool above_roof = false;  // by more than 1 %
};

// More than this and the ceiling or the work model is wrong; less is the scatter of two
// measurements.
inline bool is_above_roof(double percent_of_roof) {
  return percent_of_roof > 101;
}

struct Placement {
  std::optional<Roof> roof;  // empty where no ceiling applies, or one that does is missing
  // no_ceiling, l2_transition, inner_caches, launch_bound, above_roof
  std::vector<std::string> notes;
};

// What was measured of a case.
struct TimedCase {
  double seconds = 0;                 // a launch, sustained
  std::optional<double> sm_clock_hz;  // during the samples
  std::optional<double> burst_s;      // a launch in the burst window
};

// attainable_s = max(flops / compute ceiling, bytes / memory ceiling); percent of roof =
// attainable_s / seconds; in the burst regime the same with the burst of the compute ceiling, where
// both were measured. Of a trip between host and device, attainable_s = max(bytes read / pcie_h2d,
// bytes written / pcie_d2h). Which ceiling: docs/measurement.md.
Placement place_under_roof(const Work&, DType, CacheMode, const TimedCase&,
                           std::span<const Ceiling>, const DeviceFacts&);

// The ceiling of the unit that does arithmetic in the type: fp32_fma, f16_tensor, ...
std::string_view compute_ceiling_of(DType);

}  // namespace gpubench
