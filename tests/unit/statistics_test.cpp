#include "measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "statistics_reference.hpp"

namespace gpubench {
namespace {

TEST(Statistics, MedianAveragesTheTwoMiddleValuesOfAnEvenCount) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{7}), 7);
}

TEST(Statistics, QuantilesInterpolateAsNumpyDoesByDefault) {
  // numpy.quantile([1, 2, 4, 8, 16], [0, .1, .25, .5, .9, 1])
  const std::vector<double> values = {16, 1, 8, 2, 4};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 4);
  EXPECT_NEAR(quantile(values, 0.9), 12.8, 1e-12);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 16);
}

TEST(Statistics, MedianAbsoluteDeviationIsUnscaled) {
  // scipy.stats.median_abs_deviation([1, 1, 2, 2, 4, 6, 9]) is 1
  EXPECT_DOUBLE_EQ(median_absolute_deviation(std::vector<double>{1, 1, 2, 2, 4, 6, 9}), 1);
}

// The largest k with 1 - 2 P(Binomial(n, 1/2) < k) >= 0.95, computed with exact integers (Python's
// math.comb).
TEST(Statistics, MedianIntervalTakesTheRanksOfTheBinomialDistribution) {
  const std::vector<std::pair<int, int>> ranks = {{6, 1},  {9, 2},    {10, 2},    {20, 6},
                                                  {25, 8}, {100, 40}, {1000, 469}};
  for (const auto& [n, k] : ranks) {
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 1.0);
    const Interval interval = median_interval(values);
    EXPECT_EQ(interval.low, k) << n;
    EXPECT_EQ(interval.high, n + 1 - k) << n;
  }
}

TEST(Statistics, AgreeWithNumpyAndScipy) {
  const auto rows = statistics_reference("summaries");
  ASSERT_GT(rows.size(), 5u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.dump());
    const std::vector<double> values = row["values"];
    EXPECT_DOUBLE_EQ(median(values), row["median"].get<double>());
    EXPECT_DOUBLE_EQ(median_absolute_deviation(values),
                     row["median_absolute_deviation"].get<double>());
    for (const auto& pair : row["quantiles"])
      EXPECT_DOUBLE_EQ(quantile(values, pair[0]), pair[1].get<double>()) << pair[0];
  }
}

TEST(Statistics, MedianIntervalTakesTheRanksThatScipysBinomialGives) {
  const auto rows = statistics_reference("median_ranks");
  ASSERT_GT(rows.size(), 100u);
  for (const auto& row : rows) {
    std::vector<double> values(row[0].get<std::size_t>());
    std::iota(values.begin(), values.end(), 1.0);
    const Interval interval = median_interval(values, row[1]);
    EXPECT_EQ(interval.low, row[2].get<double>()) << row;
    EXPECT_EQ(interval.high, row[3].get<double>()) << row;
  }
}

TEST(Statistics, MedianIntervalOfTooFewValuesIsTheirRange) {
  const Interval interval = median_interval(std::vector<double>{5, 3, 4});
  EXPECT_EQ(interval.low, 3);
  EXPECT_EQ(interval.high, 5);
}

TEST(Statistics, MedianIntervalDoesNotUnderflowForManyValues) {
  std::vector<double> values(20000);
  std::iota(values.begin(), values.end(), 0.0);
  const Interval interval = median_interval(values);
  // Half width 1.96 sqrt(n) / 2 ranks.
  EXPECT_NEAR(interval.high - interval.low, 1.96 * std::sqrt(20000.0), 4);
}

TEST(Statistics, RefusesNothingAndNaN) {
  EXPECT_THROW(median(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(median(std::vector<double>{1, NAN}), std::invalid_argument);
  EXPECT_THROW(quantile(std::vector<double>{1}, 1.5), std::invalid_argument);
  EXPECT_THROW(median_interval(std::vector<double>{1}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace gpubench
