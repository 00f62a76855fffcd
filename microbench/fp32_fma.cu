// The rate of FP32 multiply-adds. A sub-core issues one warp instruction a clock and an FFMA of a
// whole warp takes one clock (two before 8.6), so every other instruction in the loop subtracts
// directly: the body is hundreds of FFMAs long. x = x * x + c cannot be folded as an affine
// recurrence can; with c in [-1.9, -1.5] it is chaotic and stays within [-2, 2], so that the values
// remain normal and varied.
#include <string>
#include <utility>

#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

constexpr int threads = 256;
constexpr int chains = 8;  // independent: an FFMA takes 4 clocks, and a sub-core has 8 or 16 warps
constexpr int unrolled = 128;          // 1024 FFMAs a loop body, 3 other instructions
constexpr int steps = 240 * unrolled;  // of each chain: about 2 ms at 128 FFMAs a clock

__global__ void __launch_bounds__(threads) fma_kernel(float* sink, float never) {
  const Generator generator{.seed = 1};
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const float start = element(generator, 2 * thread);
  const float c = -1.7f + 0.2f * element(generator, 2 * thread + 1);
  float x[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain)
    x[chain] =
        start * (chain + 1) * (1.0f / chains);  // chaos parts the chains within a few dozen steps
#pragma unroll 1
  for (int step = 0; step < steps; step += unrolled) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) x[chain] = __fmaf_rn(x[chain], x[chain], c);
    }
  }
  float sum = 0;
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) sum += x[chain];
  if (sum == never) *sink = sum;
}

}  // namespace

std::vector<CeilingCandidate> prepare_fp32_fma(Device& device, DataPattern) {
  const auto sink = ceilings::sink(device);
  const int blocks = ceilings::resident_blocks(device, fma_kernel, threads);
  CeilingCandidate candidate;
  candidate.technique = "x = x * x + c, " + std::to_string(chains) + " chains a thread, " +
                        std::to_string(unrolled * chains) + " FFMAs a loop body";
  candidate.amount = 2.0 * steps * chains * threads * blocks;
  candidate.launch = [blocks, sink](Stream stream) {
    fma_kernel<<<blocks, threads, 0, cuda::native(stream)>>>(static_cast<float*>(sink->data()),
                                                             ceilings::never);
    cuda::check_launch("ceiling fp32_fma");
  };
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace gpubench
