// Ceilings against what else the device can be seen to do, in one process: a ceiling that something
// passes is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cub/device/device_reduce.cuh>
#include <iostream>
#include <memory>
#include <string>

#include "device/cuda/support.hpp"
#include "device/devices.hpp"
#include "measure/telemetry_watch.hpp"
#include "roofline/ceiling.hpp"

namespace gpubench {
namespace {

class CeilingsOnTheGpu : public testing::Test {
 protected:
  void SetUp() override {
    const CudaStatus status = cuda_status();
    if (status.device_count == 0) GTEST_SKIP() << status.reason;
    device_ = open_cuda_device(0);
  }

  // Bytes a second of a launch, sampled like the DRAM ceilings.
  double rate(double bytes, const Launch& launch) {
    MeasureOptions options;
    options.warmup_s = 0.08;
    options.load_until_s = 0.3;
    return bytes / measure(*device_, launch, options).timing.median_s;
  }

  std::unique_ptr<Device> device_;
};

TEST_F(CeilingsOnTheGpu, NothingReadsOrWritesDramFasterThanTheCeilings) {
  constexpr std::int64_t count = std::int64_t{1} << 30;
  constexpr double bytes = 4.0 * count;
  if (static_cast<double>(device_->free_bytes()) < 2 * bytes)
    GTEST_SKIP() << "needs 8 GiB of device memory";
  const Memory data = device_->allocate(static_cast<std::size_t>(bytes));
  device_->generate(data.data(), DType::f32, count, Generator{.seed = 1});
  const Memory sum = device_->allocate(sizeof(float));
  std::size_t workspace_bytes = 0;
  const auto* values = static_cast<const float*>(data.data());
  auto* out = static_cast<float*>(sum.data());
  cuda::check(cub::DeviceReduce::Sum(nullptr, workspace_bytes, values, out, count),
              "asking CUB for the workspace of a sum");
  const Memory workspace = device_->allocate(workspace_bytes);
  const Launch cub_sum = [&](Stream stream) {
    std::size_t size = workspace_bytes;
    cuda::check(
        cub::DeviceReduce::Sum(workspace.data(), size, values, out, count, cuda::native(stream)),
        "CUB's sum");
  };
  const Memory target = device_->allocate(static_cast<std::size_t>(bytes));
  const Launch memset = [&](Stream stream) {
    cuda::check(cudaMemsetAsync(target.data(), 0, target.bytes(), cuda::native(stream)), "memset");
  };
  double read = 0, write = 0, cub = 0, set = 0;
  for (int round = 0; round < 2; ++round) {
    read = std::max(read, measure_ceiling(*device_, "dram_read").value.value_or(0));
    cub = std::max(cub, rate(bytes, cub_sum));
    write = std::max(write, measure_ceiling(*device_, "dram_write").value.value_or(0));
    set = std::max(set, rate(bytes, memset));
  }
  std::cout << "dram_read " << read / 1e12 << ", CUB's sum of 2^30 " << cub / 1e12
            << ", dram_write " << write / 1e12 << ", memset of 4 GiB " << set / 1e12 << " TB/s\n";
  // The scatter of two measurements, minutes apart, is 0.04 %.
  constexpr double scatter = 1.001;
  EXPECT_GE(read * scatter, cub);
  EXPECT_GE(write * scatter, set);
  EXPECT_GE(std::max(read, write) * scatter, std::max(cub, set));
}

TEST_F(CeilingsOnTheGpu, TheEnergyOfALaunchIsPowerTimesTime) {
  if (!device_->telemetry().energy_j || !device_->telemetry().power_w)
    GTEST_SKIP() << "the device tells neither its energy nor its power";
  const CeilingSpec* spec = find_spec(DeviceKind::cuda, "fp32_fma");
  ASSERT_TRUE(spec && spec->prepare);
  const auto candidates = spec->prepare(*device_, DataPattern::random);
  // Long samples, so that what lies between them does not count; NVML's power is a mean over a
  // second.
  MeasureOptions options;
  options.sample_s = 50e-3;
  options.warmup_s = 2;
  options.load_until_s = 6;
  TelemetryWatch watch(*device_);
  const auto start = std::chrono::steady_clock::now();
  const Measurement measured = measure(*device_, candidates.front().launch, options);
  double power_w = 0;
  int readings = 0;
  for (const TimedReading& reading : watch.finish().readings) {
    const double at_s = std::chrono::duration<double>(reading.at - start).count();
    if (at_s < 3 || at_s > 5.5 || !reading.reading.power_w) continue;
    power_w += *reading.reading.power_w;
    ++readings;
  }
  ASSERT_GT(readings, 10);
  power_w /= readings;
  ASSERT_TRUE(measured.telemetry.energy_j_per_launch);
  const double expected_j = power_w * measured.timing.median_s;
  std::cout << "energy of a launch " << *measured.telemetry.energy_j_per_launch << " J; " << power_w
            << " W (sensor) x " << measured.timing.median_s << " s = " << expected_j << " J\n";
  EXPECT_NEAR(*measured.telemetry.energy_j_per_launch, expected_j, 0.05 * expected_j);
}

}  // namespace
}  // namespace gpubench
