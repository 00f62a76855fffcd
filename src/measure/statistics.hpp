// Statistics of samples, in one place for run and compare alike.
#pragma once

#include <span>
#include <utility>

namespace gpubench {

// All throw std::invalid_argument on an empty span or a non-finite value.
double median(std::span<const double> values);  // an even count averages the two middle values
// Linear interpolation between order statistics (R's type 7), 0 <= q <= 1.
double quantile(std::span<const double> values, double q);
// Median of absolute deviations from the median, unscaled.
double median_absolute_deviation(std::span<const double> values);

struct Interval {
  double low = 0;
  double high = 0;
};
// Distribution-free interval of the median from order statistics: the narrowest symmetric pair of
// ranks whose binomial(n, 1/2) coverage is at least `confidence` (David & Nagaraja, Order
// Statistics, 7.1). With too few values for that coverage (n < 6 at 95 %) it is the whole range.
Interval median_interval(std::span<const double> values, double confidence = 0.95);

}  // namespace gpubench
