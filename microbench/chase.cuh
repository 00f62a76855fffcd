// What the latency ceilings share: one thread that follows pointers. Each load's address is the
// value of the load before, so nothing overlaps and the time of a load is its latency. The pointers
// are addresses, not indices: no arithmetic stands between two loads. They form one random cycle,
// built on the device in one parallel pass (cycle.hpp). A launch goes on where the last one
// stopped, so that none finds in a cache what another has just read.
#pragma once

#include <memory>
#include <string>

#include "base/text.hpp"
#include "microbench/cycle.hpp"
#include "microbench/support.cuh"

namespace gpubench::ceilings {

enum class Level { l1, l2 };  // the cache that loads ask first: ld.global, ld.global.cg

template <Level level>
__device__ __forceinline__ std::uint64_t load_pointer(std::uint64_t at) {
  std::uint64_t next;
  if constexpr (level == Level::l1)
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
  else
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
  return next;
}

// One thread a node; `position` is set to the first node.
static __global__ void build_cycle(char* nodes, int bits, unsigned spacing,
                                   std::uint64_t* position) {
  const std::uint32_t step = blockIdx.x * blockDim.x + threadIdx.x;
  if (step >> bits != 0) return;
  char* const from = nodes + std::size_t{visited(step, bits)} * spacing;
  char* const to = nodes + std::size_t{visited(step + 1, bits)} * spacing;
  *reinterpret_cast<std::uint64_t*>(from) = reinterpret_cast<std::uint64_t>(to);
  if (step == 0) *position = reinterpret_cast<std::uint64_t>(from);
}

inline constexpr int chase_unrolled = 64;  // the loop's own instructions run during a load

// One warp, of which one thread chases. L1 is empty when a kernel starts: all lanes fill it first.
template <Level level>
__global__ void __launch_bounds__(32) chase_kernel(const char* nodes, int bits, unsigned spacing,
                                                   std::uint64_t* position, int loads) {
  if constexpr (level == Level::l1) {
    std::uint64_t pointers = 0;
    for (unsigned i = threadIdx.x; i < 1u << bits; i += 32)
      pointers |=
          load_pointer<level>(reinterpret_cast<std::uint64_t>(nodes + std::size_t{i} * spacing));
    if (pointers % 8 != 0) *position = 0;  // never: the assembler must not drop the loads
    __syncwarp();
  }
  if (threadIdx.x != 0) return;
  std::uint64_t at = *position;
#pragma unroll 1
  for (int i = 0; i < loads; i += chase_unrolled) {
#pragma unroll
    for (int j = 0; j < chase_unrolled; ++j) at = load_pointer<level>(at);
  }
  *position = at;
}

// A cycle of 2^bits nodes, `spacing` bytes apart (at least 8), of which a launch follows `loads`
// pointers (a multiple of 64).
template <Level level>
CeilingCandidate chase_candidate(Device& device, int bits, unsigned spacing, int loads) {
  const std::size_t bytes = std::size_t{spacing} << bits;
  struct Chase {
    Memory nodes;
    Memory position;
  };
  const auto chase = std::make_shared<Chase>(device.allocate(bytes), device.allocate(256));
  constexpr unsigned threads = 256;
  const unsigned blocks = ((1u << bits) + threads - 1) / threads;
  build_cycle<<<blocks, threads, 0, cuda::native(device.stream())>>>(
      static_cast<char*>(chase->nodes.data()), bits, spacing,
      static_cast<std::uint64_t*>(chase->position.data()));
  cuda::check_launch("building the cycle of a latency ceiling");

  CeilingCandidate candidate;
  candidate.technique = "one thread follows a random cycle through " +
                        bytes_text(static_cast<double>(bytes)) + ", a node every " +
                        std::to_string(spacing) + " bytes, " +
                        (level == Level::l1 ? "ld.global" : "ld.global.cg");
  candidate.amount = loads;
  candidate.working_set_bytes = bytes;
  candidate.launch = [chase, bits, spacing, loads](Stream stream) {
    chase_kernel<level><<<1, 32, 0, cuda::native(stream)>>>(
        static_cast<const char*>(chase->nodes.data()), bits, spacing,
        static_cast<std::uint64_t*>(chase->position.data()), loads);
    cuda::check_launch("latency ceiling");
  };
  return candidate;
}

}  // namespace gpubench::ceilings
