// Idea: half of v1's threads never add anything. So a thread loads two elements and adds them on
// the way in: the same tree now serves twice the elements.
//
// Predecessor: v1_tree. Twice the bytes in flight a block and half the blocks, hence half the
// barriers and tree steps an element: nearly twice as fast while latency binds.
//
// Bound: still the latency of a block, the eight barriers of its tree above all.
//
// Shapes: every n up to the parameter's limit.
#include "device/cuda/support.hpp"
#include "kernels/reduction/levels.hpp"
#include "kernels/reduction/problem.hpp"

namespace gpubench::reduction {

namespace {

constexpr int threads = v2_halved_threads_tile / 2;

__global__ void __launch_bounds__(threads)
    halved_threads_kernel(const float* __restrict__ x, std::int64_t n,
                          float* __restrict__ partial) {
  __shared__ float sums[threads];
  const int t = threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * v2_halved_threads_tile + t;
  const float first = i < n ? x[i] : 0.0f;
  const float second = i + threads < n ? x[i + threads] : 0.0f;
  float sum = first + second;
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

void launch_v2_halved_threads(const Problem& p, const Buffers& buffers, Stream stream) {
  reduce_in_levels(
      buffers.input<float>(0), p.n, v2_halved_threads_tile, buffers.work<float>(),
      buffers.out<float>(), [&](const float* from, std::int64_t n, float* to, std::int64_t blocks) {
        halved_threads_kernel<<<static_cast<unsigned>(blocks), threads, 0, cuda::native(stream)>>>(
            from, n, to);
        cuda::check_launch("reduction v2_halved_threads");
      });
}

}  // namespace gpubench::reduction
