// The example of docs/adding-a-kernel.md is built, and proven the way `gpubench verify` proves a
// family.
#include <gtest/gtest.h>

#include <vector>

#include "device/devices.hpp"
#include "family.hpp"
#include "verify/verification.hpp"

namespace gpubench {
namespace {

// Runs a variant on one shape of the matrix and compares its outputs with the oracle's.
Verification prove(const Family& family, std::size_t variant, Device& device,
                   const VerifyShape& shape, InputKind kind) {
  ParameterSet given;
  for (const auto& [name, value] : shape.parameters) given.set(name, value);
  const auto instance =
      family.instantiate(variant, complete(family.parameters(), given, device.facts().kind));
  Buffers buffers;
  std::vector<Memory> memory;
  const std::vector<BufferSpec> inputs = instance->inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    memory.push_back(device.allocate(inputs[i].bytes()));
    buffers.inputs[i] = memory.back().data();
    device.generate(memory.back().data(), inputs[i].dtype, inputs[i].count,
                    instance->generator(i, kind, 1));
  }
  memory.push_back(device.allocate(instance->output().bytes()));
  buffers.output = memory.back().data();
  poison(device, buffers.output, instance->output().bytes());
  Verifier verifier(*instance, kind, 1, VerifyMode::full);
  EXPECT_FALSE(verifier.check(device, buffers.output).passed) << "poison was accepted";
  instance->launch(buffers, device.stream());
  device.synchronize();
  return verifier.check(device, buffers.output);
}

void prove_all(Device& device) {
  const Family& family = scale::family();
  const auto variants = family.variants();
  int proven = 0;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (unsupported(variants[i], device.facts())) continue;
    for (const VerifyShape& shape : family.verify_shapes())
      for (const InputKind kind : shape.inputs) {
        const Verification result = prove(family, i, device, shape, kind);
        EXPECT_TRUE(result.passed) << variants[i].name << ": " << result.failure;
        ++proven;
      }
  }
  EXPECT_GT(proven, 0);
}

TEST(Example, IsProvenOnTheHost) {
  prove_all(*open_host_device());
}

TEST(Example, IsProvenOnTheGpu) {
  const CudaStatus status = cuda_status();
  if (status.device_count == 0) GTEST_SKIP() << status.reason;
  prove_all(*open_cuda_device(0));
}

TEST(Example, ListsTheCudaVariantInEveryBuild) {
  const auto variants = scale::family().variants();
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0].name, "grid_stride");
  EXPECT_EQ(variants[0].built, built_with_cuda);
}

}  // namespace
}  // namespace gpubench
