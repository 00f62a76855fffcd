// cuda:0 behind the Device interface: facts, memory, generator, errors. The last tests need no GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/cuda/clock_probe.hpp"
#include "device/cuda/support.hpp"
#include "device/devices.hpp"

namespace gpubench {
namespace {

class CudaDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    const CudaStatus status = cuda_status();
    if (status.device_count == 0) GTEST_SKIP() << status.reason;
    device_ = open_cuda_device(0);
  }
  std::unique_ptr<Device> device_;
};

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::no_device);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST_F(CudaDeviceTest, KnowsWhatItIs) {
  const DeviceFacts& facts = device_->facts();
  EXPECT_EQ(facts.kind, DeviceKind::cuda);
  EXPECT_EQ(facts.id, "cuda:0");
  EXPECT_FALSE(facts.name.empty());
  ASSERT_TRUE(facts.uuid);
  EXPECT_TRUE(std::regex_match(*facts.uuid,
                               std::regex("(GPU|MIG)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")))
      << *facts.uuid;
  EXPECT_GE(facts.compute_capability.value_or(0), 50);
  EXPECT_GT(facts.multiprocessors.value_or(0), 0);
  EXPECT_GT(facts.l2_bytes.value_or(0), 0);
  EXPECT_GT(facts.memory_bytes, 0);
  EXPECT_GE(facts.shared_bytes_per_block.value_or(0), 48 << 10);
  EXPECT_TRUE(facts.cuda_runtime_version);
  EXPECT_TRUE(facts.driver_api_version);
  if (facts.sm_clock_max_hz) {
    EXPECT_GT(*facts.sm_clock_max_hz, 5e8);
    EXPECT_LT(*facts.sm_clock_max_hz, 5e9);
  }
}

TEST_F(CudaDeviceTest, GeneratorMakesTheHostsElementsBitForBit) {
  const std::int64_t count = 100'003;
  std::vector<Generator> generators(5);
  generators[0] = {Pattern::uniform, 42, 1, 1.0f, 1};
  generators[1] = {Pattern::integers, 7, 0, 5.0f, 1};
  generators[2] = {Pattern::constant, 0, 0, 0.3f, 1};
  generators[3] = {Pattern::outlier, 42, 2, 3e4f, 257};
  generators[4] = {Pattern::infinite_rows, 9, 0, 1e6f, 100};  // finite in f32, infinite in f16
  for (const MemoryKind kind :
       {MemoryKind::device, MemoryKind::host_pinned, MemoryKind::host_pageable}) {
    for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
      const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type);
      const Memory memory = device_->allocate(bytes, kind);
      for (const Generator& generator : generators) {
        device_->fill(memory.data(), 0xff, bytes);
        device_->generate(memory.data(), type, count, generator);
        std::vector<std::byte> made(bytes);
        device_->copy_to_host(made.data(), memory.data(), bytes);
        std::vector<std::byte> expected(bytes);
        for (std::int64_t i = 0; i < count; ++i)
          store(type, expected.data(), static_cast<std::size_t>(i), element(generator, i));
        EXPECT_TRUE(made == expected)
            << name(type) << ", pattern " << static_cast<int>(generator.pattern) << ", memory "
            << static_cast<int>(kind);
      }
    }
  }
}

TEST_F(CudaDeviceTest, GeneratorGoesOnWhereOnePieceOfPageableMemoryEnds) {
  const std::int64_t piece = (std::int64_t{64} << 20) / 8;
  const std::int64_t count = piece + 5;
  const Generator generator{Pattern::uniform, 1, 0, 1.0f, 1};
  const Memory memory =
      device_->allocate(static_cast<std::size_t>(count) * 8, MemoryKind::host_pageable);
  device_->generate(memory.data(), DType::f64, count, generator);
  for (const std::int64_t i : {std::int64_t{0}, piece - 1, piece, piece + 1, count - 1})
    EXPECT_EQ(static_cast<double*>(memory.data())[i], static_cast<double>(element(generator, i)))
        << i;
}

TEST_F(CudaDeviceTest, FillsAndCopiesMemoryOfEveryKind) {
  const std::size_t bytes = 4099;
  const std::vector<unsigned char> sevens(bytes, 7);
  for (const MemoryKind kind :
       {MemoryKind::device, MemoryKind::host_pinned, MemoryKind::host_pageable}) {
    const Memory memory = device_->allocate(bytes, kind);
    std::vector<unsigned char> seen(bytes);
    device_->fill(memory.data(), 0xab, bytes);
    device_->copy_to_host(seen.data(), memory.data(), bytes);
    EXPECT_EQ(seen, std::vector<unsigned char>(bytes, 0xab));
    device_->copy_from_host(memory.data(), sevens.data(), bytes);
    device_->copy_to_host(seen.data(), memory.data(), bytes);
    EXPECT_EQ(seen, sevens);
  }
  EXPECT_NO_THROW(device_->fill(nullptr, 0, 0));
  EXPECT_EQ(device_->allocate(0).data(), nullptr);
}

TEST_F(CudaDeviceTest, RefusesMoreThanIsFreeWithBothNumbers) {
  const std::size_t needed = device_->free_bytes() + (std::size_t{1} << 30);
  const std::string message = refusal([&] { device_->allocate(needed); });
  EXPECT_NE(message.find(std::to_string(needed) + " bytes) are needed"), std::string::npos)
      << message;
  EXPECT_NE(message.find("free on cuda:0"), std::string::npos) << message;
  for (const MemoryKind kind : {MemoryKind::host_pinned, MemoryKind::host_pageable}) {
    const std::string host = refusal([&] { device_->allocate(std::size_t{1} << 50, kind); });
    EXPECT_NE(host.find("free on the host"), std::string::npos) << host;
  }
  EXPECT_NO_THROW(device_->allocate(1 << 20));
}

TEST_F(CudaDeviceTest, FreesWhatItAllocates) {
  const std::size_t bytes = std::size_t{64} << 20;
  const std::size_t before = device_->free_bytes();
  {
    const Memory memory = device_->allocate(bytes);
    EXPECT_LE(device_->free_bytes(), before - bytes / 2);
  }
  EXPECT_GE(device_->free_bytes() + bytes / 2, before);
}

TEST_F(CudaDeviceTest, TelemetryIsPlausibleWhereItIsKnown) {
  const TelemetryReading reading = device_->telemetry();
  if (reading.sm_clock_hz) {
    EXPECT_GT(*reading.sm_clock_hz, 1e8);
    EXPECT_LT(*reading.sm_clock_hz, 5e9);
  }
  if (reading.temperature_c) {
    EXPECT_GT(*reading.temperature_c, 0);
    EXPECT_LT(*reading.temperature_c, 130);
  }
  if (reading.power_w) {
    EXPECT_GT(*reading.power_w, 1);
    EXPECT_LT(*reading.power_w, 3000);
  }
  for (const std::string& reason : reading.throttle_reasons) EXPECT_NE(reason, "gpu_idle");
  if (reading.other_processes) {
    EXPECT_GE(*reading.other_processes, 0);
  }
}

TEST_F(CudaDeviceTest, NamesTheDevicesThatAreThereForOneThatIsNot) {
  const int count = cuda_status().device_count;
  std::string note;
  const std::string missing = "cuda:" + std::to_string(count);
  const std::string message = refusal([&] { open_device(missing, note); });
  EXPECT_EQ(message.find("there is no " + missing + ": this machine has " + std::to_string(count)),
            0u)
      << message;
  EXPECT_EQ(open_device("cuda", note)->facts().id, "cuda:0");
  EXPECT_EQ(open_device("auto", note)->facts().kind, DeviceKind::cuda);
}

TEST(CountersPermissionTest, IsOneOfThreeAnswers) {
  const std::string answer = counters_permission(0);
  EXPECT_TRUE(answer.starts_with("permitted") || answer.starts_with("refused: ") ||
              answer.starts_with("unknown: "))
      << answer;
}

TEST(CheckTest, SaysWhatWasTriedTheErrorAndWhatToDo) {
  EXPECT_NO_THROW(cuda::check(cudaSuccess, "nothing"));
  const auto message = [](cudaError_t error) {
    return refusal([&] { cuda::check(error, "launching matmul tiled"); });
  };
  const std::string image = message(cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(image.find("launching matmul tiled failed: cudaErrorNoKernelImageForDevice: "), 0u)
      << image;
  EXPECT_NE(image.find("GPUBENCH_ARCH"), std::string::npos) << image;
  EXPECT_NE(message(cudaErrorMemoryAllocation).find("smaller parameters"), std::string::npos);
  EXPECT_NE(message(cudaErrorInvalidConfiguration).find("shared memory"), std::string::npos);
  EXPECT_NE(message(cudaErrorIllegalAddress).find("compute-sanitizer"), std::string::npos);
}

using cuda::ClockStamp;

TEST(ClockProbeTest, TakesTheMedianOverMultiprocessorsThatBothProbesSaw) {
  const std::vector<ClockStamp> start{
      {1000, 0, 32, 0}, {5000, 0, 32, 1}, {0, 0, 32, 2}, {7, 0, 32, 9}};
  const std::vector<ClockStamp> end{{4'001'000, 2'000'000, 32, 0},    // 2.0 GHz
                                    {3'605'000, 2'000'000, 32, 1},    // 1.8 GHz
                                    {3'000'000, 2'000'000, 32, 2},    // 1.5 GHz
                                    {9'000'000, 2'000'000, 32, 40}};  // seen once
  const auto clock = cuda::clock_between(start, end);
  ASSERT_TRUE(clock);
  EXPECT_NEAR(*clock, 1.8e9, 1);
}

TEST(ClockProbeTest, IsSilentOnSpansTooShortForTheTimersGranularity) {
  const auto clock = [](std::uint64_t nanoseconds, std::uint32_t tick) {
    const std::vector<ClockStamp> start{{0, 1, tick, 0}};
    const std::vector<ClockStamp> end{{2 * nanoseconds, 1 + nanoseconds, tick, 0}};
    return cuda::clock_between(start, end);
  };
  EXPECT_FALSE(clock(49'000, 32));
  EXPECT_TRUE(clock(51'000, 32));
  EXPECT_FALSE(clock(100'000, 4096));
  EXPECT_TRUE(clock(300'000, 4096));
}

TEST(ClockProbeTest, IsSilentWhereTheCountersStoodStill) {
  const std::vector<ClockStamp> start{{10, 1000, 32, 0}, {10, 1000, 32, 1}, {10, 1000, 0, 2}};
  const std::vector<ClockStamp> end{
      {10, 2'001'000, 32, 0}, {4000, 1000, 32, 1}, {4'000'000, 2'001'000, 32, 2}};
  EXPECT_FALSE(cuda::clock_between(start, end));
  EXPECT_FALSE(cuda::clock_between({}, {}));
}

}  // namespace
}  // namespace gpubench
