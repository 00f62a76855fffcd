// Samples of kernels whose cost is known, on cuda:0. The last test needs no GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/cuda/support.hpp"
#include "device/cuda/timer.hpp"
#include "device/devices.hpp"
#include "measure/statistics.hpp"

namespace gpubench {
namespace {

using cuda::native;

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

// Each load waits for the one before: the time is latency alone, of L2 or of DRAM.
__global__ void chase(const std::uint32_t* next, int steps, std::uint32_t* out) {
  std::uint32_t at = 0;
  for (int i = 0; i < steps; ++i) at = __ldcg(next + at);
  *out = at;
}

__global__ void write_to(int* address) {
  *address = 1;
}

Launch spinning(long long cycles) {
  return [cycles](Stream stream) {
    spin<<<1, 1, 0, native(stream)>>>(cycles);
    cuda::check_launch("spin");
  };
}

Launch impossible() {
  return [](Stream stream) {
    spin<<<1, 4096, 0, native(stream)>>>(1);
    cuda::check_launch("spin with 4096 threads");
  };
}

class TimerTest : public testing::Test {
 protected:
  void SetUp() override {
    const CudaStatus status = cuda_status();
    if (status.device_count == 0) GTEST_SKIP() << status.reason;
    device_ = open_cuda_device(0);
    spinning(200'000'000)(
        device_->stream());  // a tenth of a second: loads the kernel, lifts the clocks
    device_->synchronize();
  }
  std::vector<Sample> samples(const Launch& launch, const TimerOptions& options, int count = 15) {
    return device_->timer(launch, options)->run(count);
  }
  static double median_seconds(const std::vector<Sample>& samples) {
    std::vector<double> seconds;
    for (const Sample& sample : samples) seconds.push_back(sample.seconds_per_launch);
    return median(seconds);
  }
  std::unique_ptr<Device> device_;
};

TEST_F(TimerTest, SecondsTimesClockAreTheCyclesOfASpinKernelHoweverItIsQueued) {
  const long long cycles = 1'000'000;
  for (const Submission submission : {Submission::graph, Submission::held, Submission::blocking}) {
    for (const int launches : {1, 5}) {
      const auto taken = samples(spinning(cycles), {launches, submission, CacheMode::warm});
      ASSERT_EQ(taken.size(), 15u);
      for (const Sample& sample : taken) {
        ASSERT_TRUE(sample.sm_clock_hz);
        EXPECT_GT(*sample.sm_clock_hz, 1e9);
        EXPECT_LT(*sample.sm_clock_hz, 3e9);
      }
      std::vector<double> seen;
      for (const Sample& sample : taken)
        seen.push_back(sample.seconds_per_launch * *sample.sm_clock_hz);
      EXPECT_NEAR(median(seen) / static_cast<double>(cycles), 1.0, 0.05)
          << "submission " << static_cast<int>(submission) << ", launches " << launches;
    }
  }
}

TEST_F(TimerTest, TheGapBetweenLaunchesIsNotTheHosts) {
  // 2 us of work a launch. Queued one by one it would take the host longer than that.
  const long long cycles = 4'000;
  for (const Submission submission : {Submission::graph, Submission::held}) {
    const auto taken = samples(spinning(cycles), {200, submission, CacheMode::warm}, 20);
    EXPECT_LT(median_seconds(taken), 8e-6) << static_cast<int>(submission);
    EXPECT_GT(median_seconds(taken), 1e-6) << static_cast<int>(submission);
  }
}

TEST_F(TimerTest, MoreLaunchesThanAStreamQueuesDoNotWaitForEver) {
  const auto taken = samples(spinning(1'000), {5'000, Submission::held, CacheMode::warm}, 3);
  ASSERT_EQ(taken.size(), 3u);
  for (const Sample& sample : taken) EXPECT_LT(sample.seconds_per_launch * 5'000, 1.0);
}

TEST_F(TimerTest, ReturnsAsManySamplesAsAsked) {
  const auto timer = device_->timer(spinning(50'000), {});
  for (const int count : {0, 1, 2, 5, 11})
    EXPECT_EQ(timer->run(count).size(), static_cast<std::size_t>(count));
  EXPECT_EQ(timer->clock(), "cuda_event");
}

TEST_F(TimerTest, WorksWhereALaunchWaitsForTheDeviceThoughItIsNotMarkedSo) {
  const Launch waits = [](Stream stream) {
    spin<<<1, 1, 0, native(stream)>>>(100'000);
    cudaStreamSynchronize(
        native(stream));  // refused in a capture; behind a gate it waits for the gate
    cudaGetLastError();
  };
  for (const int launches : {1, 4}) {
    const auto taken = samples(waits, {launches, Submission::graph, CacheMode::warm}, 6);
    ASSERT_EQ(taken.size(), 6u);
    for (const Sample& sample : taken) {
      EXPECT_GT(sample.seconds_per_launch, 0);
      EXPECT_LT(sample.seconds_per_launch, 0.1);
    }
  }
}

TEST_F(TimerTest, TimesAnEmptyLaunchAsNothingOrAlmost) {
  for (const Sample& sample : samples([](Stream) {}, {}, 5)) {
    EXPECT_GE(sample.seconds_per_launch, 0);
    EXPECT_LT(sample.seconds_per_launch, 1e-4);
  }
}

TEST_F(TimerTest, AColdLaunchFindsNothingInL2) {
  const int steps = 2048;
  const std::uint32_t stride = 64;  // 256 bytes: a line of its own for each load
  std::vector<std::uint32_t> host(static_cast<std::size_t>(steps) * stride);
  // The chain visits i * 1031 mod 2048, every line once.
  for (int i = 0, at = 0; i < steps; ++i) {
    const int next = (at + 1031) % steps;
    host[static_cast<std::size_t>(at) * stride] = static_cast<std::uint32_t>(next) * stride;
    at = next;
  }
  const std::size_t bytes = host.size() * sizeof(std::uint32_t);
  const Memory chain = device_->allocate(bytes);
  const Memory out = device_->allocate(sizeof(std::uint32_t));
  device_->copy_from_host(chain.data(), host.data(), bytes);
  const Launch launch = [&](Stream stream) {
    chase<<<1, 1, 0, native(stream)>>>(static_cast<const std::uint32_t*>(chain.data()), steps,
                                       static_cast<std::uint32_t*>(out.data()));
    cuda::check_launch("chase");
  };
  const double warm = median_seconds(samples(launch, {1, Submission::graph, CacheMode::warm}));
  const double cold = median_seconds(samples(launch, {1, Submission::graph, CacheMode::cold}));
  EXPECT_GT(cold, 1.3 * warm) << "warm " << warm << " s, cold " << cold << " s";
}

TEST_F(TimerTest, AFailingLaunchIsReportedAndLeavesTheDeviceUsable) {
  for (const Submission submission : {Submission::graph, Submission::held, Submission::blocking}) {
    for (const int launches : {1, 3}) {
      try {
        samples(impossible(), {launches, submission, CacheMode::warm});
        ADD_FAILURE() << "nothing was thrown";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::no_device);
        EXPECT_NE(
            std::string(error.what()).find("launching spin with 4096 threads failed: cudaError"),
            std::string::npos)
            << error.what();
      }
      EXPECT_NO_THROW(device_->synchronize());
      EXPECT_EQ(samples(spinning(10'000), {}, 2).size(), 2u);
    }
  }
}

TEST_F(TimerTest, RefusesOptionsThatContradictTheirContract) {
  EXPECT_THROW(samples(spinning(1), {0, Submission::graph, CacheMode::warm}),
               std::invalid_argument);
  EXPECT_THROW(samples(spinning(1), {2, Submission::graph, CacheMode::cold}),
               std::invalid_argument);
}

// Ends the process with the error's code: a sticky error spoils it for every other test.
void write_to_nowhere(Device& device) {
  write_to<<<1, 1, 0, native(device.stream())>>>(nullptr);
  try {
    device.synchronize();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(static_cast<int>(error.code()));
  }
}

TEST_F(TimerTest, AnIllegalAddressIsReportedWithWhatFindsIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(write_to_nowhere(*device_), testing::ExitedWithCode(3),
              "the work queued on cuda:0 failed: cudaError.*compute-sanitizer");
}

TEST(HoldingTest, IsNotDoneUnderToolsOrWithBlockingLaunches) {
  for (const char* variable :
       {"CUDA_LAUNCH_BLOCKING", "CUDA_INJECTION64_PATH", "NV_COMPUTE_PROFILER_X"}) {
    const char* before = std::getenv(variable);
    const std::string saved = before ? before : "";
    setenv(variable, "1", 1);
    EXPECT_FALSE(cuda::holding_is_safe()) << variable;
    if (before)
      setenv(variable, saved.c_str(), 1);
    else
      unsetenv(variable);
  }
}

}  // namespace
}  // namespace gpubench
