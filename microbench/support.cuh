// What the CUDA ceilings share: inputs on the device, and the size of a grid that fills it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "device/cuda/support.hpp"
#include "device/device.hpp"
#include "roofline/ceiling.hpp"

namespace gpubench::ceilings {

// Results are consumed by a write under a condition that never holds, which the compiler cannot
// know: a float that equals this argument (NaN equals nothing).
inline constexpr float never = std::numeric_limits<float>::quiet_NaN();

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

inline int multiprocessors(const Device& device) {
  if (!device.facts().multiprocessors)
    throw Error(ExitCode::no_device,
                device.facts().id + " does not tell its number of multiprocessors");
  return *device.facts().multiprocessors;
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
