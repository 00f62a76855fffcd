#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace gpubench {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("statistics of no values");
  for (double value : values)
    if (!std::isfinite(value)) throw std::invalid_argument("statistics of a non-finite value");
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double middle(const std::vector<double>& ordered) {
  const std::size_t half = ordered.size() / 2;
  return ordered.size() % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

}  // namespace

double median(std::span<const double> values) {
  return middle(sorted(values));
}

double quantile(std::span<const double> values, double q) {
  if (!(q >= 0 && q <= 1)) throw std::invalid_argument("a quantile lies between 0 and 1");
  const std::vector<double> ordered = sorted(values);
  const double position = q * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  return ordered[below] +
         (position - static_cast<double>(below)) * (ordered[above] - ordered[below]);
}

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (double value : values) deviations.push_back(std::fabs(value - center));
  return median(deviations);
}

Interval median_interval(std::span<const double> values, double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw std::invalid_argument("a confidence lies between 0 and 1");
  const std::vector<double> ordered = sorted(values);
  const auto n = static_cast<double>(ordered.size());
  // P(the median lies below the k-th order statistic) = P(Binomial(n, 1/2) <= k - 1). Terms are
  // taken through lgamma, so that no n underflows.
  double tail = 0;
  std::size_t dropped = 0;  // order statistics left out on each side
  while (2 * (dropped + 1) < ordered.size()) {
    const auto k = static_cast<double>(dropped);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                     n * std::log(2.0));
    if (1 - 2 * tail < confidence) break;
    ++dropped;
  }
  // Leaving out none is the whole range; leaving out k on each side means ranks k and n + 1 - k.
  const std::size_t low = dropped == 0 ? 0 : dropped - 1;
  return {ordered[low], ordered[ordered.size() - 1 - low]};
}

}  // namespace gpubench
