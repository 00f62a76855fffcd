// Idea: each thread loads one element into shared memory, and the block adds halves onto halves:
// half the threads, then a quarter, until one sum is left. Neighbouring threads touch neighbouring
// words, so that no bank conflicts and whole warps fall idle together.
//
// Predecessor: none. The classic form that the ladder starts from; a thread's own sum stays in a
// register.
//
// Bound: latency of a block. It has 1 KB under way while it loads, then eight barriers during which
// it loads nothing and ever fewer lanes work; eight blocks fill an SM and cannot cover that for
// each other.
//
// Shapes: every n up to the parameter's limit.
#include "device/cuda/support.hpp"
#include "kernels/reduction/levels.hpp"
#include "kernels/reduction/problem.hpp"

namespace gpubench::reduction {

namespace {

constexpr int threads = v1_tree_tile;

__global__ void __launch_bounds__(threads)
    tree_kernel(const float* __restrict__ x, std::int64_t n, float* __restrict__ partial) {
  __shared__ float sums[threads];
  const int t = threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + t;
  float sum = i < n ? x[i] : 0.0f;
  sums[t] = sum;
#pragma unroll
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      sum += sums[t + half];
      sums[t] = sum;
    }
  }
  if (t == 0) partial[blockIdx.x] = sum;
}

}  // namespace

void launch_v1_tree(const Problem& p, const Buffers& buffers, Stream stream) {
  reduce_in_levels(
      buffers.input<float>(0), p.n, v1_tree_tile, buffers.work<float>(), buffers.out<float>(),
      [&](const float* from, std::int64_t n, float* to, std::int64_t blocks) {
        tree_kernel<<<static_cast<unsigned>(blocks), threads, 0, cuda::native(stream)>>>(from, n,
                                                                                         to);
        cuda::check_launch("reduction v1_tree");
      });
}

}  // namespace gpubench::reduction
