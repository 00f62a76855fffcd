#include "measure/measure.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

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

TEST(Measure, ALaunchThatIsHeldUpIsNotTakenForALongOne) {
  FakeDevice device;
  device.seconds = {5e-3, 8e-3, 4e-3, 0.2, 5e-3, 1e-6};  // the first five waited for their turn
  const Timing timing = measure(device, nothing, quick()).timing;
  EXPECT_GE(timing.launches_per_sample, 900);
  EXPECT_LE(timing.launches_per_sample, 1100);
  device.seconds = {1e-6, 1e-6, 1e-6, 1e-3, 1e-3, 1e-3, 1e-6};  // and those of 32 launches
  EXPECT_GE(measure(device, nothing, quick()).timing.launches_per_sample, 900);
}

// Draws 100 W, 500 W from the first sample of its newest timer on, and its sensor is 60 ms late.
class Drawing : public FakeDevice {
 public:
  Drawing() { facts().kind = DeviceKind::cuda; }
  std::unique_ptr<LaunchTimer> timer(Launch, const TimerOptions&) override {
    class Timer : public LaunchTimer {
     public:
      explicit Timer(Drawing& device) : device_(device) {}
      std::vector<Sample> run(int samples) override {
        if (!device_.load_start_ns_) device_.load_start_ns_ = now_ns();
        std::this_thread::sleep_for(std::chrono::milliseconds(samples));
        return std::vector<Sample>(static_cast<std::size_t>(samples), {1e-3, 1e9});
      }
      std::string_view clock() const override { return "cuda_event"; }

     private:
      Drawing& device_;
    };
    load_start_ns_ = 0;
    return std::make_unique<Timer>(*this);
  }
  TelemetryReading telemetry() override {
    const std::int64_t load_start_ns = load_start_ns_;
    TelemetryReading made;
    made.power_w = load_start_ns && now_ns() - load_start_ns >= 60'000'000 ? 500 : 100;
    return made;
  }

 private:
  static std::int64_t now_ns() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  }
  std::atomic<std::int64_t> load_start_ns_{0};
};

TEST(Measure, PowerIsThatOfTheLoadAndNotOfWhatCameBefore) {
  for (const auto& [warmup_s, until_s] : {std::pair{0.4, 0.42}, {0.0, 0.4}, {0.3, 0.8}}) {
    Drawing device;
    MeasureOptions options = quick();
    options.warmup_s = warmup_s;
    options.load_until_s = until_s;
    options.max_s = 1;
    const Measurement measured = measure(device, nothing, options);
    ASSERT_TRUE(measured.telemetry.power_w) << warmup_s;
    EXPECT_DOUBLE_EQ(*measured.telemetry.power_w, 500) << warmup_s;
    EXPECT_DOUBLE_EQ(*measured.telemetry.energy_j_per_launch, 500 * measured.timing.median_s);
  }
}

TEST(Measure, AShortLoadHasNoPower) {
  Drawing device;
  MeasureOptions options = quick();
  options.load_until_s = 0.2;
  options.warmup_s = 0.01;
  options.max_s = 1;
  const Measurement measured = measure(device, nothing, options);
  EXPECT_FALSE(measured.telemetry.power_w);
  EXPECT_FALSE(measured.telemetry.energy_j_per_launch);
}

TEST(Measure, TheEnergyOfAColdLaunchIsNotThatOfItsLoad) {
  Drawing device;
  MeasureOptions options = quick();
  options.warmup_s = 0.35;
  options.cache = CacheMode::cold;
  const Measurement measured = measure(device, nothing, options);
  EXPECT_TRUE(measured.telemetry.power_w);
  EXPECT_FALSE(measured.telemetry.energy_j_per_launch);
}

TEST(Measure, WithoutAPowerSensorACounterOfEnergyTells) {
  class Counting : public FakeDevice {
   public:
    TelemetryReading telemetry() override {
      TelemetryReading made;
      made.energy_j = 1e6 + 80 * std::chrono::duration<double>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count();
      return made;
    }
  } device;
  MeasureOptions options = quick();
  options.warmup_s = 0.4;
  const Measurement measured = measure(device, nothing, options);
  ASSERT_TRUE(measured.telemetry.power_w);
  EXPECT_NEAR(*measured.telemetry.power_w, 80, 8);
  EXPECT_DOUBLE_EQ(*measured.telemetry.energy_j_per_launch, *measured.telemetry.power_w * 1e-3);
  // A GPU's counter steps too seldom for that.
  device.facts().kind = DeviceKind::cuda;
  EXPECT_FALSE(measure(device, nothing, options).telemetry.power_w);
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
  // Ten samples find the number of launches. Then the load: faster still in its first 5 ms, 1 ms a
  // launch until 50 ms, 2 ms from there.
  device.seconds.clear();
  for (int i = 0; i < 11; ++i) device.seconds.push_back(1e-3);
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
