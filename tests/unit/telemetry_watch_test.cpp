#include "measure/telemetry_watch.hpp"

#include <gtest/gtest.h>

#include "fake_device.hpp"

namespace gpubench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TimedReading reading(Clock::time_point at, std::optional<double> power_w) {
  TimedReading made;
  made.began = at - milliseconds(1);
  made.ended = at + milliseconds(1);
  made.reading.power_w = power_w;
  return made;
}

TEST(MeanPower, is_that_of_the_readings_within_the_span) {
  const Clock::time_point start = Clock::now();
  const std::vector<TimedReading> readings = {
      reading(start, 100), reading(start + milliseconds(50), 490),
      reading(start + milliseconds(100), std::nullopt), reading(start + milliseconds(150), 510),
      reading(start + milliseconds(200), 100)};
  EXPECT_DOUBLE_EQ(*mean_power(readings, start + milliseconds(49), start + milliseconds(151)), 500);
  EXPECT_FALSE(mean_power(readings, start + milliseconds(50), start + milliseconds(151)));
  EXPECT_FALSE(mean_power(readings, start + milliseconds(49), start + milliseconds(150)));
  EXPECT_FALSE(mean_power({}, start, start + milliseconds(500)));
}

TEST(TelemetryWatch, reads_a_device_about_every_fifty_milliseconds) {
  FakeDevice device;
  device.facts().kind = DeviceKind::cuda;
  const auto start = Clock::now();
  TelemetryWatch watch(device);
  std::this_thread::sleep_for(milliseconds(600));
  const std::vector<TimedReading> readings = watch.finish();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_GE(readings.size(), 4u);
  EXPECT_LE(static_cast<double>(readings.size()), seconds / 0.05 + 1);
  for (const TimedReading& timed : readings) EXPECT_LE(timed.began, timed.ended);
  EXPECT_TRUE(watch.finish().empty());
}

TEST(TelemetryWatch, leaves_a_host_alone) {
  FakeDevice device;
  TelemetryWatch watch(device);
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_TRUE(watch.finish().empty());
}

}  // namespace
}  // namespace gpubench
