// The rate of the tensor cores on f16 with f32 accumulation through mma.sync, for every
// architecture but 9.0, whose tensor cores it does not fill. All operands are in registers: each
// warp multiplies 2 tiles of A by 4 of B, so that 8 products are independent and hide the latency
// of each other, and goes around over 2 slices of K.
#include <string>

#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

constexpr int threads = 256;
constexpr int a_tiles = 2;  // of 16 x 16
constexpr int b_tiles = 4;  // of 16 x 8
constexpr int slices = 2;
constexpr int rounds_per_sum = 128;  // sums start anew after K = 4096, as in a matrix product
constexpr int sums = 12;
constexpr int unrolled = 4;  // rounds: 64 products a loop body
constexpr double flops_per_product = 2.0 * 16 * 8 * 16;

// d += a b, 16 x 8 x 16. PTX ISA, mma.m16n8k16; 7.5 has only k8 and takes two of it.
__device__ __forceinline__ void multiply_add(float (&d)[4], const unsigned (&a)[4],
                                             const unsigned (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
  for (int half = 0; half < 2; ++half)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
}

__global__ void __launch_bounds__(threads)
    mma_kernel(const uint4* a_data, const uint2* b_data, float* sink, float never) {
  unsigned a[slices][a_tiles][4];
  unsigned b[slices][b_tiles][2];
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
    for (int i = 0; i < a_tiles; ++i) {
      const uint4 v = a_data[(slice * a_tiles + i) * threads + threadIdx.x];
      a[slice][i][0] = v.x;
      a[slice][i][1] = v.y;
      a[slice][i][2] = v.z;
      a[slice][i][3] = v.w;
    }
#pragma unroll
    for (int j = 0; j < b_tiles; ++j) {
      const uint2 v = b_data[(slice * b_tiles + j) * threads + threadIdx.x];
      b[slice][j][0] = v.x;
      b[slice][j][1] = v.y;
    }
  }

  float total = 0;
#pragma unroll 1
  for (int sum = 0; sum < sums; ++sum) {
    float d[a_tiles][b_tiles][4] = {};
#pragma unroll unrolled
    for (int round = 0; round < rounds_per_sum; ++round) {
#pragma unroll
      for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
        for (int i = 0; i < a_tiles; ++i) {
#pragma unroll
          for (int j = 0; j < b_tiles; ++j) multiply_add(d[i][j], a[slice][i], b[slice][j]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < a_tiles; ++i) {
#pragma unroll
      for (int j = 0; j < b_tiles; ++j) total += d[i][j][0] + d[i][j][1] + d[i][j][2] + d[i][j][3];
    }
  }
  if (total == never) *sink = total;
}

}  // namespace

std::vector<CeilingCandidate> prepare_f16_tensor_mma_sync(Device& device, DataPattern pattern) {
  constexpr std::int64_t a_halves = std::int64_t{slices} * a_tiles * threads * 8;
  constexpr std::int64_t b_halves = std::int64_t{slices} * b_tiles * threads * 4;
  const auto data = ceilings::input(device, DType::f16, a_halves + b_halves, pattern);
  const auto sink = ceilings::sink(device);
  const int blocks = ceilings::resident_blocks(device, mma_kernel, threads);
  CeilingCandidate candidate;
  candidate.technique = "mma.sync of 16 x 8 x 16 from registers, " +
                        std::to_string(a_tiles * b_tiles) + " independent products a warp";
  candidate.amount = flops_per_product * sums * rounds_per_sum * slices * a_tiles * b_tiles *
                     (threads / 32) * blocks;
  candidate.launch = [data, sink, blocks](Stream stream) {
    const auto a_data = static_cast<const std::uint16_t*>(data->data());
    mma_kernel<<<blocks, threads, 0, cuda::native(stream)>>>(
        reinterpret_cast<const uint4*>(a_data), reinterpret_cast<const uint2*>(a_data + a_halves),
        static_cast<float*>(sink->data()), ceilings::never);
    cuda::check_launch("ceiling f16_tensor");
  };
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace gpubench
