#include <gtest/gtest.h>

#include <cmath>
#include <latch>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "measure/statistics.hpp"
#include "statistics_reference.hpp"

namespace gpubench {
namespace {

using Values = std::vector<double>;

// An end of an interval, to a ten-millionth of the interval's width.
void expect_interval(const Interval& actual, double low, double high) {
  EXPECT_NEAR(actual.low, low, 1e-7 * (high - low));
  EXPECT_NEAR(actual.high, high, 1e-7 * (high - low));
}

// 1, 2, ..., n: over a base of {1}, a resample's ratio is its median rank.
Values ranks(int n) {
  Values values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(WelchLogRatio, AgreesWithScipy) {
  const auto rows = statistics_reference("welch");
  ASSERT_GT(rows.size(), 10u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.dump());
    const RatioEstimate estimate =
        welch_log_ratio(row["base"].get<Values>(), row["fresh"].get<Values>(), row["confidence"]);
    EXPECT_NEAR(estimate.ratio, row["ratio"].get<double>(), 1e-14);
    expect_interval(estimate.interval, row["low"], row["high"]);
  }
}

TEST(WelchLogRatio, OfSidesThatDoNotVaryIsTheRatio) {
  const RatioEstimate estimate = welch_log_ratio(Values{0.1, 0.1, 0.1}, Values{0.3, 0.3});
  EXPECT_EQ(estimate.ratio, 0.3 / 0.1);
  EXPECT_EQ(estimate.interval.low, estimate.ratio);
  EXPECT_EQ(estimate.interval.high, estimate.ratio);
}

TEST(WelchLogRatio, OfOneSideThatDoesNotVaryIsTheIntervalOfTheOther) {
  const Values varied = {1.01, 0.98, 1.03, 1.00};
  const RatioEstimate estimate = welch_log_ratio(Values{0.5, 0.5}, varied);
  const Interval alone = log_mean_interval(varied);
  expect_interval(estimate.interval, alone.low / 0.5, alone.high / 0.5);
}

TEST(WelchLogRatio, OfSwappedSidesIsTheInverse) {
  const Values a = {1, 1.1, 0.9, 1.05}, b = {2, 2.5, 2.2};
  const RatioEstimate forth = welch_log_ratio(a, b), back = welch_log_ratio(b, a);
  EXPECT_NEAR(forth.ratio * back.ratio, 1, 1e-14);
  EXPECT_NEAR(forth.interval.low * back.interval.high, 1, 1e-13);
  EXPECT_NEAR(forth.interval.high * back.interval.low, 1, 1e-13);
}

TEST(WelchLogRatio, RefusesOneProcessAndWhatHasNoLogarithm) {
  const Values good = {1, 2};
  for (const Values& bad :
       {Values{}, Values{1}, Values{1, 0}, Values{1, -1}, Values{1, NAN}, Values{1, INFINITY}}) {
    EXPECT_THROW(welch_log_ratio(bad, good), std::invalid_argument);
    EXPECT_THROW(welch_log_ratio(good, bad), std::invalid_argument);
    EXPECT_THROW(log_mean_interval(bad), std::invalid_argument);
  }
  for (const double confidence : {0.0, 1.0, double{NAN}}) {
    EXPECT_THROW(welch_log_ratio(good, good, confidence), std::invalid_argument);
    EXPECT_THROW(log_mean_interval(good, confidence), std::invalid_argument);
  }
}

TEST(LogMeanInterval, AgreesWithScipy) {
  const auto rows = statistics_reference("log_mean");
  ASSERT_GT(rows.size(), 5u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.dump());
    expect_interval(log_mean_interval(row["values"].get<Values>(), row["confidence"]), row["low"],
                    row["high"]);
  }
}

// SciPy's intervals are drawn as well: the file says where those of so many resamples may end.
TEST(MedianRatioBootstrap, AgreesWithScipyWithinWhatItsResamplesAllow) {
  const auto rows = statistics_reference("bootstrap");
  ASSERT_GE(rows.size(), 5u);
  for (const int resamples : {2000, 100'000}) {
    const MedianRatioBootstrap bootstrap(resamples);
    for (const auto& row : rows) {
      const Values base = row["base"], fresh = row["fresh"];
      const auto within = row["within"][std::to_string(resamples)].get<std::vector<double>>();
      SCOPED_TRACE(std::to_string(base.size()) + " and " + std::to_string(fresh.size()) +
                   " samples, " + std::to_string(resamples) + " resamples");
      const RatioEstimate estimate = bootstrap(base, fresh, row["confidence"]);
      EXPECT_DOUBLE_EQ(estimate.ratio, median(fresh) / median(base));
      EXPECT_GE(estimate.interval.low, within[0]);
      EXPECT_LE(estimate.interval.low, within[1]);
      EXPECT_GE(estimate.interval.high, within[2]);
      EXPECT_LE(estimate.interval.high, within[3]);
    }
  }
}

// By hand. Two draws of {1, 2}: a median of 1 has probability 1/4. Three draws of {1, 2, 3}: 7/27 =
// 0.259. Four draws of {1, 2, 3, 4}: 13/256 = 0.0508 that at least three are 1. A tail a little
// smaller ends there, a tail a little larger does not; and so at the other end.
TEST(MedianRatioBootstrap, DrawsSmallSamplesAsCombinatoricsSay) {
  const MedianRatioBootstrap bootstrap(100'000);
  for (const auto& [n, smaller, larger] :
       {std::tuple{2, 0.24, 0.26}, std::tuple{3, 0.25, 0.268}, std::tuple{4, 0.048, 0.0535}}) {
    const Interval wide = bootstrap(Values{1}, ranks(n), 1 - 2 * smaller).interval;
    EXPECT_EQ(wide.low, 1) << n;
    EXPECT_EQ(wide.high, n) << n;
    const Interval narrow = bootstrap(Values{1}, ranks(n), 1 - 2 * larger).interval;
    EXPECT_GT(narrow.low, 1) << n;
    EXPECT_LT(narrow.high, n) << n;
  }
}

// The median's rank is close to normal, with a standard deviation of sqrt(n) / 2; the end of an
// interval of 2,000 resamples has an error of 0.06 of that.
TEST(MedianRatioBootstrap, OfManySamplesIsAsWideAsTheNormalLimit) {
  for (const int n : {1000, 4999}) {
    const Interval interval = MedianRatioBootstrap()(Values{1}, ranks(n)).interval;
    const double deviation = std::sqrt(n) / 2;
    EXPECT_NEAR(interval.low, (n + 1) / 2.0 - 1.96 * deviation, 0.2 * deviation);
    EXPECT_NEAR(interval.high, (n + 1) / 2.0 + 1.96 * deviation, 0.2 * deviation);
  }
}

TEST(MedianRatioBootstrap, DrawsTheTwoSidesIndependently) {
  // The same draws on both sides would make every ratio 1.
  const Interval interval = MedianRatioBootstrap()(ranks(20), ranks(20)).interval;
  EXPECT_LT(interval.low, 0.8);
  EXPECT_GT(interval.high, 1.25);
}

TEST(MedianRatioBootstrap, TakesItsPercentilesAsQuantileDoes) {
  // With two resamples all of it is from the one to the other.
  const Values base = {1}, fresh = ranks(1001);
  const Interval one = MedianRatioBootstrap(1)(base, fresh).interval;
  EXPECT_EQ(one.low, one.high);
  const Interval all_of_two = MedianRatioBootstrap(2)(base, fresh, 1 - 1e-12).interval;
  const Interval half_of_two = MedianRatioBootstrap(2)(base, fresh, 0.5).interval;
  const Values two = {all_of_two.low, all_of_two.high};
  ASSERT_LT(two[0] + 1e-6, two[1]);
  EXPECT_NEAR(half_of_two.low, quantile(two, 0.25), 1e-6);
  EXPECT_NEAR(half_of_two.high, quantile(two, 0.75), 1e-6);
}

TEST(MedianRatioBootstrap, IsTheSameWhateverWasAskedBeforeAndInWhateverOrderSamplesCome) {
  const Values base = {5, 1, 4, 2, 3, 6, 9, 8, 7}, fresh = ranks(10);
  const MedianRatioBootstrap bootstrap, other;
  const RatioEstimate first = bootstrap(base, fresh);
  other(fresh, base);
  const RatioEstimate second = other(ranks(9), fresh);
  EXPECT_EQ(first.ratio, 5.5 / 5);
  EXPECT_EQ(first.interval.low, second.interval.low);
  EXPECT_EQ(first.interval.high, second.interval.high);
}

TEST(MedianRatioBootstrap, OfSamplesThatDoNotVaryIsTheRatio) {
  const RatioEstimate estimate = MedianRatioBootstrap()(Values(20, 0.1), Values(9, 0.3));
  EXPECT_EQ(estimate.ratio, 0.3 / 0.1);
  EXPECT_EQ(estimate.interval.low, estimate.ratio);
  EXPECT_EQ(estimate.interval.high, estimate.ratio);
}

TEST(MedianRatioBootstrap, AnswersSeveralThreadsAsItAnswersOne) {
  constexpr int sizes = 300, resamples = 5;  // little to draw, so that the cache is in demand
  const Values values = ranks(sizes);
  const auto all = [&](const MedianRatioBootstrap& bootstrap) {
    Values lows;
    for (std::size_t n = 1; n <= values.size(); ++n) {
      const auto some = std::span(values).first(n);
      lows.push_back(bootstrap(some, some).interval.low);
    }
    return lows;
  };
  const Values expected = all(MedianRatioBootstrap(resamples));
  for (int round = 0; round < 50; ++round) {
    const MedianRatioBootstrap shared(resamples);
    std::vector<Values> found(4);
    {
      std::latch start(static_cast<std::ptrdiff_t>(found.size()));
      std::vector<std::jthread> threads;
      for (Values& lows : found)
        threads.emplace_back([&] {
          start.arrive_and_wait();
          lows = all(shared);
        });
    }
    for (const Values& lows : found) ASSERT_EQ(lows, expected);
  }
}

TEST(MedianRatioBootstrap, RefusesWhatItHasNoRatioOf) {
  const MedianRatioBootstrap bootstrap;
  const Values good = {1, 2};
  for (const Values& bad : {Values{}, Values{1, 0}, Values{-1}, Values{1, NAN}, Values{INFINITY}}) {
    EXPECT_THROW(bootstrap(bad, good), std::invalid_argument);
    EXPECT_THROW(bootstrap(good, bad), std::invalid_argument);
  }
  EXPECT_THROW(bootstrap(good, good, 1), std::invalid_argument);
  EXPECT_THROW(MedianRatioBootstrap(0), std::invalid_argument);
}

}  // namespace
}  // namespace gpubench
