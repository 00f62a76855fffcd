#include "measure/telemetry_watch.hpp"

#include <gtest/gtest.h>

#include "fake_device.hpp"

namespace gpubench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TimedReading reading(Clock::time_point at, std::optional<double> power_w) {
  TimedReading made;
  made.at = at;
  made.reading.power_w = power_w;
  return made;
}

TEST(MeanPower, is_that_of_the_readings_within_the_span) {
  const Clock::time_point start = Clock::now();
  const std::vector<TimedReading> readings = {
      reading(start, 100), reading(start + milliseconds(50), 490),
      reading(start + milliseconds(100), std::nullopt), reading(start + milliseconds(150), 510),
      reading(start + milliseconds(200), 100)};
  EXPECT_DOUBLE_EQ(*mean_power(readings, start + milliseconds(50), start + milliseconds(150)), 500);
  EXPECT_FALSE(mean_power(readings, start + milliseconds(60), start + milliseconds(150)));
  EXPECT_FALSE(mean_power({}, start, start + milliseconds(500)));
}

TEST(TelemetryWatch, reads_a_device_about_every_fifty_milliseconds) {
  FakeDevice device;
  device.facts().kind = DeviceKind::cuda;
  TelemetryWatch watch(device);
  std::this_thread::sleep_for(milliseconds(600));
  const std::vector<TimedReading> readings = watch.finish();
  EXPECT_GE(readings.size(), 6u);
  EXPECT_LE(readings.size(), 13u);
  EXPECT_TRUE(watch.finish().empty());
}

TEST(TelemetryWatch, has_a_reading_of_the_shortest_load_and_leaves_a_host_alone) {
  FakeDevice device;
  EXPECT_TRUE(TelemetryWatch(device).finish().empty());
  device.facts().kind = DeviceKind::cuda;
  EXPECT_EQ(TelemetryWatch(device).finish().size(), 1u);
}

}  // namespace
}  // namespace gpubench
