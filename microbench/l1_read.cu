// The rate at which L1 is read. It shares its data path with shared memory, 128 bytes a clock and
// multiprocessor, but looks up a tag for each line. All blocks read the same 32 KiB, so that they
// are in L1 after the first round whichever blocks share a multiprocessor, on parts with a small L1
// too; the kernel asks for as much L1 as there is. A plain ld.global looks into L1, as ld.global.ca
// does, which the assembler makes an ordered load (LDG.STRONG.SM) that kernels seldom use.
//
// Each round reads the other half. How far it is to there only the launch knows: the assembler
// takes loads whose addresses it sees recur out of the loop. The candidates differ in the width of
// a load.
#include <string>

#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

constexpr int threads = 256;
constexpr std::size_t half_bytes = 16 << 10;
constexpr int rounds = 3072;  // with 64 warps a multiprocessor 1.6 ms at 128 bytes a clock

__device__ __forceinline__ uint4 load(const uint4* at) {
  uint4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(at)
               : "memory");
  return v;
}

__device__ __forceinline__ uint2 load(const uint2* at) {
  uint2 v;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(at) : "memory");
  return v;
}

template <class Vector>
__global__ void __launch_bounds__(threads)
    l1_kernel(const Vector* data, unsigned* sink, unsigned step) {
  constexpr int loads = half_bytes / (threads * sizeof(Vector));
  unsigned offset = 0;
  unsigned bits = 0;
#pragma unroll 2
  for (int round = 0; round < rounds; ++round) {
    const Vector* at = data + offset + threadIdx.x;
    Vector v[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) v[i] = load(at + i * threads);
#pragma unroll
    for (int i = 0; i < loads; ++i) bits ^= ceilings::fold(v[i]);
    offset = (offset + step) % (2 * loads * threads);
  }
  ceilings::consume(bits, sink);
}

template <class Vector>
CeilingCandidate candidate_of(const Device& device, std::shared_ptr<Memory> data,
                              std::shared_ptr<Memory> sink) {
  cuda::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(l1_kernel<Vector>),
                                   cudaFuncAttributePreferredSharedMemoryCarveout,
                                   cudaSharedmemCarveoutMaxL1),
              "asking for a large L1");
  const int blocks = ceilings::resident_blocks(device, l1_kernel<Vector>, threads);
  CeilingCandidate candidate;
  candidate.technique =
      std::to_string(sizeof(Vector)) + "-byte loads (ld.global), all blocks read one set";
  candidate.amount = 1.0 * half_bytes * rounds * blocks;
  candidate.working_set_bytes = 2 * half_bytes;
  candidate.launch = [data, sink, blocks](Stream stream) {
    l1_kernel<Vector><<<blocks, threads, 0, cuda::native(stream)>>>(
        static_cast<const Vector*>(data->data()), static_cast<unsigned*>(sink->data()),
        static_cast<unsigned>(half_bytes / sizeof(Vector)));
    cuda::check_launch("ceiling l1_read");
  };
  return candidate;
}

}  // namespace

std::vector<CeilingCandidate> prepare_l1_read(Device& device, DataPattern pattern) {
  const auto data = ceilings::input(device, DType::f32, 2 * half_bytes / sizeof(float), pattern);
  const auto sink = ceilings::sink(device);
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(candidate_of<uint4>(device, data, sink));
  candidates.push_back(candidate_of<uint2>(device, data, sink));
  return candidates;
}

}  // namespace gpubench
