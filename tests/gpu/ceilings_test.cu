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
#include "registry/family.hpp"
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

  // What a ceiling of the device launches; nothing where the device lacks it.
  Launch launch_of(std::string_view name) {
    for (const CeilingSpec& spec : ceiling_specs()) {
      VariantFacts variant;
      variant.device = spec.device;
      variant.needs = spec.needs;
      if (spec.name == name && !unsupported(variant, device_->facts()) &&
          !(spec.unsupported && spec.unsupported(device_->facts())))
        return spec.prepare(*device_, DataPattern::random).front().launch;
    }
    return nullptr;
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

// The counter of energy is updated ten times a second: over three seconds it is known to 3 %.
TEST_F(CeilingsOnTheGpu, TheEnergyOfALaunchIsThatOfTheDevicesCounter) {
  if (!device_->telemetry().energy_j || !device_->telemetry().power_w)
    GTEST_SKIP() << "the device tells neither its energy nor its power";
  // Long samples, so that what lies between them does not count.
  MeasureOptions options;
  options.sample_s = 50e-3;
  options.warmup_s = 1;
  options.load_until_s = 4;
  TelemetryWatch watch(*device_);
  const Measurement measured = measure(*device_, launch_of("fp32_fma"), options);
  const std::vector<TimedReading> readings = watch.finish();
  ASSERT_GT(readings.size(), 20u);
  // Without the second before the load and what comes after it.
  const TimedReading& first = readings[readings.size() / 6];
  const TimedReading& last = readings[readings.size() - 3];
  const double seconds = std::chrono::duration<double>(last.began - first.began).count();
  const double power_w = (*last.reading.energy_j - *first.reading.energy_j) / seconds;
  ASSERT_TRUE(measured.telemetry.energy_j_per_launch);
  const double expected_j = power_w * measured.timing.median_s;
  std::cout << "energy of a launch " << *measured.telemetry.energy_j_per_launch << " J; " << seconds
            << " s of the counter: " << power_w << " W x " << measured.timing.median_s
            << " s = " << expected_j << " J\n";
  EXPECT_NEAR(*measured.telemetry.energy_j_per_launch, expected_j, 0.05 * expected_j);
}

TEST_F(CeilingsOnTheGpu, PowerIsNotThatOfWhatRanBefore) {
  if (!device_->telemetry().power_w) GTEST_SKIP() << "the device does not tell its power";
  const Launch quiet = launch_of("shared_read");
  const Launch loud = launch_of("f16_tensor");
  if (!loud) GTEST_SKIP() << "the device has no f16 tensor cores";
  MeasureOptions options;
  options.warmup_s = 0.08;
  options.load_until_s = 0.3;
  const auto power_w = [&](const Launch& launch) {
    return measure(*device_, launch, options).telemetry.power_w.value_or(0);
  };
  const double after_idling = power_w(quiet);
  const double of_loud = power_w(loud);
  const double after_loud = power_w(quiet);
  std::cout << "shared_read " << after_idling << " W, f16_tensor " << of_loud
            << " W, shared_read right after it " << after_loud << " W\n";
  if (of_loud < 1.3 * after_idling) GTEST_SKIP() << "one draws hardly more than the other";
  EXPECT_NEAR(after_loud, after_idling, 0.1 * after_idling);
}

}  // namespace
}  // namespace gpubench
