// Statistics of samples, in one place for run and compare alike.
#pragma once

#include <memory>
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

// The quantile of Student's t distribution, 0 < p < 1, degrees > 0 (not only whole ones).
double student_t_quantile(double p, double degrees);

// Intervals of a ratio of medians, and the ratio itself.
struct RatioEstimate {
  double ratio = 1;
  Interval interval;
};

// Welch's t interval on logarithms: exp of the interval of mean(log fresh) - mean(log base), with
// Welch-Satterthwaite degrees of freedom. `base` and `fresh` are one figure a process, at least two
// each, all above 0. Where neither side varies the interval is the ratio.
RatioEstimate welch_log_ratio(std::span<const double> base, std::span<const double> fresh,
                              double confidence = 0.95);

// The same of one side alone: exp of Student's t interval of the mean of the logarithms. At least
// two values, all above 0.
Interval log_mean_interval(std::span<const double> values, double confidence = 0.95);

// Percentile bootstrap of the ratio of two medians, fresh over base: both sides are drawn again
// with replacement. A resample's median depends only on which order statistics it falls between, so
// the ranks are drawn once for each size, with a fixed seed, and looked up for every case: two
// calls with the same samples give the same interval. Keep one object for many cases; calls may
// come from several threads.
class MedianRatioBootstrap {
 public:
  explicit MedianRatioBootstrap(int resamples = 2000);
  ~MedianRatioBootstrap();
  // At least one value each, all above 0; ratio is the ratio of the medians.
  RatioEstimate operator()(std::span<const double> base, std::span<const double> fresh,
                           double confidence = 0.95) const;

 private:
  struct Ranks;
  std::unique_ptr<Ranks> ranks_;
};

}  // namespace gpubench
