#include "measure/telemetry_watch.hpp"

#include <gtest/gtest.h>

#include "fake_device.hpp"

namespace gpubench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TEST(MeanPower, is_the_slope_between_steps_of_the_counter) {
  const Clock::time_point start = Clock::now();
  // 500 W, after 100 W of idling; the counter is updated every 100 ms.
  const std::vector<EnergyStep> steps = {{start, 10},
                                         {start + milliseconds(100), 20},
                                         {start + milliseconds(200), 70},
                                         {start + milliseconds(300), 120},
                                         {start + milliseconds(400), 170}};
  EXPECT_DOUBLE_EQ(*mean_power(steps, start + milliseconds(150), start + milliseconds(450)), 500);
  EXPECT_DOUBLE_EQ(*mean_power(steps, start, start + milliseconds(450)), 400);
}

TEST(MeanPower, needs_a_fifth_of_a_second_and_a_counter_that_grows) {
  const Clock::time_point start = Clock::now();
  EXPECT_FALSE(mean_power({}, start, start + milliseconds(500)));
  const std::vector<EnergyStep> brief = {{start, 1}, {start + milliseconds(190), 100}};
  EXPECT_FALSE(mean_power(brief, start, start + milliseconds(500)));
  // The driver was loaded again meanwhile.
  const std::vector<EnergyStep> falling = {{start, 100}, {start + milliseconds(300), 1}};
  EXPECT_FALSE(mean_power(falling, start, start + milliseconds(500)));
}

// A device whose counter is updated every 50 ms, at 1000 W.
class Counting : public FakeDevice {
 public:
  Counting() { facts().kind = DeviceKind::cuda; }
  std::optional<double> energy_total_j() override {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return 50.0 * static_cast<int>(seconds / 0.05);
  }

 private:
  Clock::time_point start_ = Clock::now();
};

TEST(TelemetryWatch, sees_when_the_energy_counter_steps) {
  Counting device;
  TelemetryWatch watch(device);
  const auto begin = Clock::now();
  std::this_thread::sleep_for(milliseconds(600));
  const Watched watched = watch.finish();
  const auto power_w = mean_power(watched.energy, begin, Clock::now());
  ASSERT_TRUE(power_w);
  EXPECT_NEAR(*power_w, 1000, 100);
  EXPECT_GE(watched.readings.size(), 5u);
  EXPECT_LE(watched.readings.size(), 12u);
}

}  // namespace
}  // namespace gpubench
