#include "measure/measure.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "base/error.hpp"
#include "fake_device.hpp"

namespace gpubench {
namespace {

const Launch nothing = [](Stream) {};

MeasureOptions quick() {
  MeasureOptions options;
  options.warmup_s = 0;
  options.max_s = 0.05;
  return options;
}

TEST(Measure, FillsASampleWithShortLaunches) {
  FakeDevice device;
  device.seconds = {1e-6};
  const Measurement measured = measure(device, nothing, quick());
  EXPECT_GE(measured.timing.launches_per_sample, 900);
  EXPECT_LE(measured.timing.launches_per_sample, 1100);
}

TEST(Measure, TakesOneLaunchASampleWhenTheLaunchIsLongColdOrBlocking) {
  FakeDevice device;
  device.seconds = {0.02};
  EXPECT_EQ(measure(device, nothing, quick()).timing.launches_per_sample, 1);
  device.seconds = {1e-6};
  MeasureOptions options = quick();
  options.cache = CacheMode::cold;
  EXPECT_EQ(measure(device, nothing, options).timing.launches_per_sample, 1);
  options = quick();
  options.submission = Submission::blocking;
  EXPECT_EQ(measure(device, nothing, options).timing.launches_per_sample, 1);
}

TEST(Measure, StopsWhenTheIntervalIsNarrowAndKeepsEverySample) {
  FakeDevice device;
  const Measurement measured = measure(device, nothing, quick());
  EXPECT_GE(measured.timing.samples_s.size(), 20u);
  EXPECT_EQ(measured.timing.stop_reason, "interval within 0.5 %");
  EXPECT_DOUBLE_EQ(measured.timing.median_s, 1e-3);
  EXPECT_DOUBLE_EQ(*measured.telemetry.sm_clock_during_hz, 1e9);
}

TEST(Measure, StopsAtTheTimeBudgetWhenSamplesScatter) {
  FakeDevice device;
  device.seconds.clear();
  for (int i = 0; i < 4'000'000; ++i) device.seconds.push_back(i % 2 ? 1e-3 : 2e-3);
  const Measurement measured = measure(device, nothing, quick());
  EXPECT_EQ(measured.timing.stop_reason, "time budget");
  EXPECT_EQ(measured.timing.min_s, 1e-3);
  EXPECT_EQ(measured.timing.max_s, 2e-3);
}

TEST(Measure, SamplesInTheSustainedWindow) {
  FakeDevice device;
  MeasureOptions options = quick();
  options.warmup_s = 0.02;
  options.load_until_s = 0.05;
  const Measurement measured = measure(device, nothing, options);
  EXPECT_GE(measured.timing.warmup_s, 0.02);
  EXPECT_EQ(measured.timing.stop_reason, "sustained window, 0.02 to 0.05 s of load");
}

TEST(Measure, TheBurstIsWhatRanFiveToFiftyMillisecondsAfterAnIdleSecond) {
  FakeDevice device;
  // One sample finds the number of launches. Then the load: faster still in its first 5 ms, 1 ms a
  // launch until 50 ms, 2 ms from there.
  device.seconds.clear();
  for (int i = 0; i < 2; ++i) device.seconds.push_back(1e-3);
  for (int i = 0; i < 5; ++i) device.seconds.push_back(9e-4);
  for (int i = 0; i < 45; ++i) device.seconds.push_back(1e-3);
  device.seconds.push_back(2e-3);
  MeasureOptions options = quick();
  options.burst = true;
  const auto start = std::chrono::steady_clock::now();
  const Measurement measured = measure(device, nothing, options);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  ASSERT_TRUE(measured.timing.burst_s);
  EXPECT_DOUBLE_EQ(*measured.timing.burst_s, 1e-3);
  EXPECT_DOUBLE_EQ(measured.timing.median_s, 2e-3);
  EXPECT_DOUBLE_EQ(*measured.telemetry.sm_clock_burst_hz, 1e9);
  EXPECT_FALSE(measure(device, nothing, quick()).timing.burst_s);
}

TEST(Measure, RefusesASampleBelowTheTimersResolution) {
  FakeDevice device;
  device.seconds = {0};
  EXPECT_THROW(measure(device, nothing, quick()), Error);
}

TEST(Measure, PassesOnWhatTheLaunchThrows) {
  FakeDevice device;
  EXPECT_THROW(measure(
                   device, [](Stream) { throw Error(ExitCode::failed, "no"); }, quick()),
               Error);
}

}  // namespace
}  // namespace gpubench
