// The records of CUPTI against the timer's events, for kernels whose cost is known, on cuda:0.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/activity.hpp"
#include "device/cuda/handles.hpp"
#include "device/cuda/support.hpp"
#include "device/cuda/timer.hpp"
#include "device/devices.hpp"
#include "measure/cross_check.hpp"

namespace gpubench {
namespace {

using cuda::native;

constexpr long long a_millisecond = 2'000'000;  // cycles, give or take a third by device
constexpr int samples = 5;

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

Launch spinning(long long cycles) {
  return [cycles](Stream stream) {
    spin<<<1, 1, 0, native(stream)>>>(cycles);
    cuda::check_launch("spin");
  };
}

class ActivityTest : public testing::Test {
 protected:
  void SetUp() override {
    const CudaStatus status = cuda_status();
    if (status.device_count == 0) GTEST_SKIP() << status.reason;
    device_ = open_cuda_device(0);
    spinning(200'000'000)(device_->stream());  // loads the kernel, lifts the clocks
    device_->synchronize();
    try {
      tracer_ = open_activity_tracer(*device_);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  // Samples that are all complete, or the test fails with the reason.
  std::vector<TracedSample> trace(const Launch& launch, const TimerOptions& options) {
    auto traced = tracer_->trace(launch, options, samples);
    EXPECT_EQ(traced.size(), static_cast<std::size_t>(samples));
    for (const TracedSample& sample : traced) EXPECT_EQ(sample.incomplete, "");
    return traced;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<ActivityTracer> tracer_;
};

// Says what was seen, for whoever runs this by hand.
CrossCheck checked(const std::vector<TracedSample>& traced) {
  CrossCheck check = cross_check(traced);
  std::cout << "    " << text(check, 0) << "\n";
  return check;
}

TEST_F(ActivityTest, EventsAndRecordsAgreeHoweverTheLaunchesAreQueued) {
  for (const Submission submission : {Submission::graph, Submission::held}) {
    for (const int launches : {1, 5}) {
      SCOPED_TRACE("submission " + std::to_string(static_cast<int>(submission)) + ", " +
                   std::to_string(launches) + " launches");
      const auto traced = trace(spinning(a_millisecond), {launches, submission, CacheMode::warm});
      for (const TracedSample& sample : traced)
        EXPECT_EQ(sample.activities.size(), static_cast<std::size_t>(launches));
      const CrossCheck check = checked(traced);
      EXPECT_EQ(check.failure, "");
      EXPECT_EQ(check.not_judged, "");
      EXPECT_LT(check.idle_share, 0.05);
    }
  }
}

TEST_F(ActivityTest, EventsOfAClockThatIsFivePercentOffFail) {
  const auto traced = trace(spinning(a_millisecond), {1, Submission::graph, CacheMode::warm});
  for (const double factor : {0.95, 1.05}) {
    auto wrong = traced;
    for (TracedSample& sample : wrong) sample.events_s *= factor;
    EXPECT_NE(checked(wrong).failure.find("disagree"), std::string::npos) << factor;
  }
  EXPECT_EQ(checked(traced).failure, "");
}

TEST_F(ActivityTest, TheGapsOfShortLaunchesAreSeenAndThoseOfLongOnesAreSmall) {
  // 400 launches of 2 µs; how much a graph leaves between them differs between cards and drivers.
  const auto traced = trace(spinning(4'000), {400, Submission::graph, CacheMode::warm});
  for (const TracedSample& sample : traced) EXPECT_EQ(sample.activities.size(), 400u);
  const CrossCheck check = checked(traced);
  EXPECT_EQ(check.failure, "");
  ASSERT_TRUE(check.gap_median_s);
  EXPECT_LT(*check.gap_median_s, 20e-6);
  EXPECT_GT(*check.gap_max_s, 0);
  const CrossCheck of_long =
      checked(trace(spinning(a_millisecond / 4), {4, Submission::graph, CacheMode::warm}));
  EXPECT_LT(of_long.idle_share, check.idle_share / 2);
}

TEST_F(ActivityTest, TheSweepOfAColdSampleIsNotOfIt) {
  const auto traced = trace(spinning(a_millisecond), {1, Submission::graph, CacheMode::cold});
  for (const TracedSample& sample : traced) EXPECT_EQ(sample.activities.size(), 1u);
  EXPECT_EQ(checked(traced).failure, "");
}

TEST_F(ActivityTest, CopiesAndFillsAreRecordedToo) {
  constexpr std::size_t bytes = std::size_t{512} << 20;
  const Memory from = device_->allocate(bytes);
  const Memory to = device_->allocate(bytes);
  const Launch launch = [&](Stream stream) {
    cuda::check(cudaMemsetAsync(from.data(), 1, bytes, native(stream)), "filling");
    cuda::check(
        cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, native(stream)),
        "copying");
  };
  for (const int launches : {1, 3}) {  // plain, and as the nodes of a graph
    const auto traced = trace(launch, {launches, Submission::graph, CacheMode::warm});
    for (const TracedSample& sample : traced)
      EXPECT_EQ(sample.activities.size(), static_cast<std::size_t>(2 * launches));
    EXPECT_EQ(checked(traced).failure, "");
  }
}

TEST_F(ActivityTest, WorkThatForksToAnotherStreamOverlapsInTheRecords) {
  cudaStream_t other = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "opening a stream");
  const cuda::StreamHandle owner(other);
  const cuda::EventHandle fork = cuda::make_event(cudaEventDisableTiming);
  const cuda::EventHandle join = cuda::make_event(cudaEventDisableTiming);
  const Launch launch = [&](Stream stream) {
    cuda::check(cudaEventRecord(fork.get(), native(stream)), "forking");
    cuda::check(cudaStreamWaitEvent(other, fork.get()), "forking");
    spinning(a_millisecond)(stream);
    spinning(a_millisecond)(Stream{other});
    cuda::check(cudaEventRecord(join.get(), other), "joining");
    cuda::check(cudaStreamWaitEvent(native(stream), join.get()), "joining");
  };
  const auto traced = trace(launch, {1, Submission::held, CacheMode::warm});
  for (const TracedSample& sample : traced) {
    ASSERT_EQ(sample.activities.size(), 2u);
    EXPECT_LT(sample.activities[1].start_ns, sample.activities[0].end_ns)
        << "kernels of two streams ran one after the other: recording serialises them";
  }
  EXPECT_EQ(checked(traced).failure, "");
}

TEST_F(ActivityTest, RecordsThatFillSeveralBuffersAreAllThere) {
  constexpr int launches = 20'000;
  const auto traced = trace(spinning(100), {launches, Submission::held, CacheMode::warm});
  for (const TracedSample& sample : traced)
    EXPECT_EQ(sample.activities.size(), static_cast<std::size_t>(launches));
}

TEST_F(ActivityTest, ASampleIsHeldUnlessItsLaunchesBlock) {
  for (const Submission submission : {Submission::graph, Submission::held, Submission::blocking})
    for (const TracedSample& sample :
         trace(spinning(a_millisecond), {1, submission, CacheMode::warm}))
      EXPECT_EQ(sample.held, submission != Submission::blocking && cuda::holding_is_safe());
}

TEST_F(ActivityTest, TwoTracesStayApartAndTheDeviceStaysUsable) {
  EXPECT_EQ(
      trace(spinning(a_millisecond), {3, Submission::graph, CacheMode::warm})[0].activities.size(),
      3u);
  EXPECT_EQ(
      trace(spinning(a_millisecond), {2, Submission::graph, CacheMode::warm})[0].activities.size(),
      2u);
  EXPECT_EQ(device_->timer(spinning(10'000), {})->run(4).size(), 4u);
}

TEST_F(ActivityTest, RecordingDoesNotPassForAProfilerThatForbidsHolding) {
  const bool before = cuda::holding_is_safe();
  trace(spinning(a_millisecond), {1, Submission::graph, CacheMode::warm});
  EXPECT_EQ(cuda::holding_is_safe(), before);
}

TEST_F(ActivityTest, ALaunchThatFailsIsReportedAndRecordingEnds) {
  const Launch impossible = [](Stream stream) {
    spin<<<1, 4096, 0, native(stream)>>>(1);
    cuda::check_launch("spin with 4096 threads");
  };
  EXPECT_THROW(tracer_->trace(impossible, {}, samples), Error);
  EXPECT_EQ(checked(trace(spinning(a_millisecond), {})).failure, "");
}

}  // namespace
}  // namespace gpubench
