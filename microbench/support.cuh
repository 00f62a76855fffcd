// What the CUDA ceilings share: inputs on the device, and the size of a grid that fills it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "device/cuda/support.hpp"
#include "device/device.hpp"
#include "roofline/ceiling.hpp"

namespace gpubench::ceilings {

// Results are consumed by a write under a condition that never holds, which the compiler cannot
// know: a float that equals this argument (NaN equals nothing).
inline constexpr float never = std::numeric_limits<float>::quiet_NaN();

// The products that a tensor-core ceiling sums before it starts anew, so that the accumulators stay
// of the magnitude that they have in a matrix product, and integers do not overflow.
inline constexpr int k_of_a_sum = 4096;

// `count` elements, uniform in [-1, 1] or zeros; several candidates and their launches may hold it.
inline std::shared_ptr<Memory> input(Device& device, DType type, std::int64_t count,
                                     DataPattern pattern) {
  auto memory =
      std::make_shared<Memory>(device.allocate(static_cast<std::size_t>(count) * size_of(type)));
  if (pattern == DataPattern::zeros)
    device.fill(memory->data(), 0, memory->bytes());
  else
    device.generate(memory->data(), type, count, Generator{.seed = 1});
  return memory;
}

// Where a kernel would write its result.
inline std::shared_ptr<Memory> sink(Device& device) {
  return std::make_shared<Memory>(device.allocate(256));
}

// All bits of what a load brought, folded into one word.
__device__ __forceinline__ unsigned fold(uint2 v) {
  return v.x ^ v.y;
}
__device__ __forceinline__ unsigned fold(uint4 v) {
  return v.x ^ v.y ^ v.z ^ v.w;
}

// The same for exclusive ors of inputs: floats in [-1, 1] never have bit 30 set, so nothing that is
// made of them does.
__device__ __forceinline__ void consume(unsigned bits, unsigned* sink) {
  if (bits == 0x40000000u) *sink = bits;
}

inline int multiprocessors(const Device& device) {
  if (!device.facts().multiprocessors)
    throw Error(ExitCode::no_device,
                device.facts().id + " does not tell its number of multiprocessors");
  return *device.facts().multiprocessors;
}

// A kernel's body may be empty in the code for architectures that lack its instruction. Throws
// where the device would run such code, because the build has none that is newer.
template <class Kernel>
void check_built_for(const Device& device, Kernel* kernel, int capability) {
  cudaFuncAttributes attributes{};
  cuda::check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)),
              "asking what a ceiling was compiled for");
  if (attributes.ptxVersion < capability)
    throw Error(ExitCode::no_device, "this gpubench has no code for " + device.facts().id +
                                         " that is newer than " +
                                         std::to_string(attributes.ptxVersion / 10) + "." +
                                         std::to_string(attributes.ptxVersion % 10) +
                                         "; build it with GPUBENCH_ARCH=native");
}

// Blocks of the kernel that the whole device holds at once. Opts in to the dynamic shared memory.
template <class Kernel>
int resident_blocks(const Device& device, Kernel* kernel, int threads,
                    std::size_t shared_bytes = 0) {
  const auto entry = reinterpret_cast<const void*>(kernel);
  if (shared_bytes > 0)
    cuda::check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(shared_bytes)),
                "asking for the shared memory of a ceiling");
  int blocks = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, entry, threads, shared_bytes),
              "asking for the occupancy of a ceiling");
  if (blocks == 0)
    throw Error(ExitCode::no_device, device.facts().id + " cannot hold a block of this ceiling");
  return blocks * multiprocessors(device);
}

}  // namespace gpubench::ceilings
