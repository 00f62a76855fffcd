// The rule of the gate: from two sides to verdicts.
#pragma once

#include <optional>

#include "compare/comparison.hpp"
#include "compare/noise.hpp"
#include "compare/side.hpp"

namespace gpubench {

struct CompareOptions {
  Metric metric = Metric::time;
  double min_effect = 0.02;
  double confidence = 0.95;
  bool strict = false;
  bool allow_missing = false;
  bool ignore_device = false;
  // Floors where a side has fewer than five processes: calibrated ones, or none at all; the default
  // by kind of case where neither is given.
  std::optional<Noise> noise;
  bool no_floor = false;
};

// From this many processes a side on, the interval carries the noise between them.
inline constexpr int processes_for_welch = 5;
// Fewer samples a side than this prove nothing.
inline constexpr int fewest_samples = 9;

// Whether a case of one side can be judged by its time.
bool has_enough_samples(const Entry&);

// Per case the ratio of the medians, new over old, with its interval. Five processes a side or
// more: Welch's t interval on the logarithms of the process medians, held against min_effect.
// Fewer: a percentile bootstrap of the samples, held against the larger of min_effect and the
// floor. A regression only where the whole interval lies beyond 1 + threshold on the bad side, an
// improvement where it lies below 1 / (1 + threshold); the same where it lies within both; else
// inconclusive. Throws Error{not_comparable} where the devices differ (unless ignored), where one
// side holds cases and the other ceilings, or where no case is in common.
Comparison compare(const Side& base, const Side& fresh, const CompareOptions&);

}  // namespace gpubench
