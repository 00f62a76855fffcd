// Idea: the lanes of a warp run together, so they add by register shuffles without shared memory or
// a barrier; one sum a warp goes through shared memory, and the first warp adds those.
//
// Predecessor: v2_halved_threads. One barrier in place of eight, no shared tree, and all warps but
// the first leave early, which makes room for the next block's loads.
//
// Bound: latency of the loads and of starting blocks: with two 4-byte loads a thread a full SM has
// 16 KB under way, and only in the first part of a block's life.
//
// Shapes: every n up to the parameter's limit.
#include "device/cuda/support.hpp"
#include "kernels/reduction/levels.hpp"
#include "kernels/reduction/problem.hpp"

namespace gpubench::reduction {

namespace {

constexpr int threads = v3_warp_shuffle_tile / 2;
constexpr int warps = threads / 32;

// Sum over `lanes` lanes (a power of two), right in lane 0; all 32 take part.
template <int lanes>
__device__ float warp_sum(float sum) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  return sum;
}

__global__ void __launch_bounds__(threads)
    warp_shuffle_kernel(const float* __restrict__ x, std::int64_t n, float* __restrict__ partial) {
  __shared__ float sums[warps];
  const int t = threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * v3_warp_shuffle_tile + t;
  const float first = i < n ? x[i] : 0.0f;
  const float second = i + threads < n ? x[i + threads] : 0.0f;
  const float sum = warp_sum<32>(first + second);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  const float total = warp_sum<warps>(t < warps ? sums[t] : 0.0f);
  if (t == 0) partial[blockIdx.x] = total;
}

}  // namespace

void launch_v3_warp_shuffle(const Problem& p, const Buffers& buffers, Stream stream) {
  reduce_in_levels(
      buffers.input<float>(0), p.n, v3_warp_shuffle_tile, buffers.work<float>(),
      buffers.out<float>(), [&](const float* from, std::int64_t n, float* to, std::int64_t blocks) {
        warp_shuffle_kernel<<<static_cast<unsigned>(blocks), threads, 0, cuda::native(stream)>>>(
            from, n, to);
        cuda::check_launch("reduction v3_warp_shuffle");
      });
}

}  // namespace gpubench::reduction
