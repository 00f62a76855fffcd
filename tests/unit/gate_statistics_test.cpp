// Whether the intervals that decide `compare` keep their word on made-up measurements: how often
// the same build is flagged, and how often a slow-down is found. What noise between processes does
// to them is why `compare` wants five processes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <numbers>
#include <random>
#include <vector>

#include "measure/statistics.hpp"

namespace gpubench {
namespace {

using Values = std::vector<double>;

constexpr int redraws = 2000;
constexpr int samples_per_process = 20;
constexpr double within_sd = 0.005;
constexpr double min_effect = 0.02;

// Lognormal times: a process has an effect of its own, its samples scatter around it. The engine's
// numbers are the standard's, and the normal ones are made here, so that every build draws the
// same.
class Simulator {
 public:
  explicit Simulator(std::uint64_t seed) : engine_(seed) {}

  Values process(double center, double between_sd) {
    const double effect = between_sd * normal();
    Values samples;
    for (int i = 0; i < samples_per_process; ++i)
      samples.push_back(center * std::exp(effect + within_sd * normal()));
    return samples;
  }

  Values medians(int processes, double center, double between_sd) {
    Values values;
    for (int i = 0; i < processes; ++i) values.push_back(median(process(center, between_sd)));
    return values;
  }

 private:
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

  double normal() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  std::mt19937_64 engine_;
};

// Of all redraws, in percent.
struct Rates {
  double above_one = 0;     // the whole interval above 1
  double regression = 0;    // the whole interval above 1 + min_effect
  double holds_target = 0;  // the ratio that was put in lies in the interval
};

template <class Estimate>
Rates rates(double target, Estimate estimate) {
  Rates rates;
  for (int i = 0; i < redraws; ++i) {
    const Interval interval = estimate().interval;
    rates.above_one += interval.low > 1;
    rates.regression += interval.low > 1 + min_effect;
    rates.holds_target += interval.low <= target && target <= interval.high;
  }
  for (double* rate : {&rates.above_one, &rates.regression, &rates.holds_target})
    *rate *= 100.0 / redraws;
  return rates;
}

TEST(GateStatistics, FiveProcessesOfOneBuildAreHardlyEverARegression) {
  for (const double sd : {0.001, 0.003, 0.007, 0.015, 0.027}) {
    Simulator simulator(1);
    const Rates found = rates(1, [&] {
      const Values base = simulator.medians(5, 1e-5, sd), fresh = simulator.medians(5, 1e-5, sd);
      return welch_log_ratio(base, fresh);
    });
    std::cout << "same build, 5 processes, sd " << 100 * sd << " %: above 1.02 " << found.regression
              << " %, above 1 " << found.above_one << " %\n";
    EXPECT_LE(found.regression, 1) << sd;
    EXPECT_LE(found.above_one, 4) << sd;
    EXPECT_GE(found.above_one, 1) << sd;  // an interval too wide would never be wrong either
  }
}

TEST(GateStatistics, FiveProcessesFindTenPercentInTheWorstNoise) {
  Simulator simulator(2);
  const Rates found = rates(1.1, [&] {
    const Values base = simulator.medians(5, 1e-5, 0.027);
    const Values fresh = simulator.medians(5, 1.1e-5, 0.027);
    return welch_log_ratio(base, fresh);
  });
  std::cout << "10 % slower, 5 processes, sd 2.7 %: found " << found.regression << " %\n";
  EXPECT_GE(found.regression, 90);
}

TEST(GateStatistics, OneProcessFindsThreePercentWhenProcessesAgree) {
  Simulator simulator(3);
  const MedianRatioBootstrap bootstrap;
  const Rates found = rates(1.03, [&] {
    const Values base = simulator.process(1e-5, 0), fresh = simulator.process(1.03e-5, 0);
    return bootstrap(base, fresh);
  });
  std::cout << "3 % slower, 1 process, 0.5 % noise: found " << found.regression
            << " %, interval holds it " << found.holds_target << " %\n";
  EXPECT_GE(found.regression, 95);
  EXPECT_GE(found.holds_target, 93);  // nominally 95; so few samples make it a little wide
  EXPECT_LE(found.holds_target, 98.5);
}

TEST(GateStatistics, WelchIntervalsCoverAtThreeToEightProcesses) {
  for (int processes = 3; processes <= 8; ++processes) {
    Simulator simulator(10 + static_cast<std::uint64_t>(processes));
    const Rates found = rates(1.05, [&] {
      const Values base = simulator.medians(processes, 1e-5, 0.015);
      const Values fresh = simulator.medians(processes, 1.05e-5, 0.015);
      return welch_log_ratio(base, fresh);
    });
    std::cout << processes << " processes: interval holds the ratio " << found.holds_target
              << " %\n";
    EXPECT_GE(found.holds_target, 93) << processes;
    EXPECT_LE(found.holds_target, 97.5) << processes;
  }
}

// Where a pooled variance, or its degrees of freedom, would be far too sure.
TEST(GateStatistics, WelchIntervalsCoverFewNoisyProcessesAgainstManyQuietOnes) {
  Simulator simulator(20);
  const Rates found = rates(1, [&] {
    const Values base = simulator.medians(12, 1e-5, 0.003);
    const Values fresh = simulator.medians(4, 1e-5, 0.027);
    return welch_log_ratio(base, fresh);
  });
  std::cout << "12 quiet processes and 4 noisy ones: interval holds the ratio "
            << found.holds_target << " %\n";
  EXPECT_GE(found.holds_target, 93);
  EXPECT_LE(found.holds_target, 97.5);
}

}  // namespace
}  // namespace gpubench
