// The rate at which shared memory is read. It delivers all of its 32 banks each clock, 128 bytes a
// multiprocessor, where the lanes of a warp do not meet in a bank: here a warp reads 512
// consecutive bytes, 16 a lane, which takes 4 clocks of the banks and one issue slot of the 16 that
// the four schedulers have in that time. Two operations to consume the four words and the loop fit
// into the others, so that nothing but the banks is waited for. There is no barrier in the loop.
//
// Each round reads the other half of the block's tile. How far it is to there only the launch
// knows: the assembler takes loads whose addresses it sees recur out of the loop.
#include <string>

#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

constexpr int threads = 256;
constexpr int loads = 4;      // a round, independent
constexpr int rounds = 4096;  // with 48 warps a multiprocessor 1.6 ms at 128 bytes a clock
constexpr unsigned strip_bytes = threads * sizeof(uint4);
constexpr unsigned half_bytes = loads * strip_bytes;

template <int offset>
__device__ __forceinline__ uint4 load_shared(unsigned address) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4 + %5];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address), "n"(offset)
               : "memory");
  return v;
}

__global__ void __launch_bounds__(threads)
    shared_kernel(const uint4* data, unsigned* sink, unsigned step) {
  __shared__ uint4 tile[2 * loads * threads];
  for (unsigned i = threadIdx.x; i < 2 * loads * threads; i += threads) tile[i] = data[i];
  __syncthreads();
  const auto first = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
  unsigned offset = 0;
  unsigned bits = 0;
#pragma unroll 2
  for (int round = 0; round < rounds; ++round) {
    const unsigned address = first + offset;
    const uint4 v[loads] = {load_shared<0>(address), load_shared<strip_bytes>(address),
                            load_shared<2 * strip_bytes>(address),
                            load_shared<3 * strip_bytes>(address)};
#pragma unroll
    for (int i = 0; i < loads; ++i) bits ^= ceilings::fold(v[i]);
    offset = (offset + step) % (2 * half_bytes);
  }
  ceilings::consume(bits, sink);
}

}  // namespace

std::vector<CeilingCandidate> prepare_shared_read(Device& device, DataPattern pattern) {
  const auto data = ceilings::input(device, DType::f32, 2 * half_bytes / sizeof(float), pattern);
  const auto sink = ceilings::sink(device);
  cuda::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(shared_kernel),
                                   cudaFuncAttributePreferredSharedMemoryCarveout,
                                   cudaSharedmemCarveoutMaxShared),
              "asking for all shared memory");
  const int blocks = ceilings::resident_blocks(device, shared_kernel, threads);
  CeilingCandidate candidate;
  candidate.technique =
      "conflict-free 16-byte loads, " + std::to_string(loads) + " independent a thread, no barrier";
  candidate.amount = 1.0 * half_bytes * rounds * blocks;
  candidate.working_set_bytes = std::size_t{2} * half_bytes;  // of a block
  candidate.launch = [data, sink, blocks](Stream stream) {
    shared_kernel<<<blocks, threads, 0, cuda::native(stream)>>>(
        static_cast<const uint4*>(data->data()), static_cast<unsigned*>(sink->data()), half_bytes);
    cuda::check_launch("ceiling shared_read");
  };
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace gpubench
