// Softmax of one row by one block, in three passes over memory: maximum, sum of exponentials,
// write. Shared by every kernel that gives a row to a block.
#pragma once

#include <cstdint>

namespace gpubench::softmax {

constexpr int warp_size = 32;
constexpr int max_row_threads = 512;
// Blocks an SM to leave registers for: while one waits at a reduction, another loads.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int row_blocks = 2;  // 1024 threads an SM
#else
constexpr int row_blocks = 3;
#endif
// 16-byte loads that a thread has in flight before it uses the first.
constexpr int loads_in_flight = 4;

// Threads a block for rows of `columns`: a row's whole first batch of loads, and no thread idle.
inline unsigned row_threads(std::int64_t columns) {
  const std::int64_t batch = 4 * loads_in_flight * warp_size;
  const std::int64_t warps = (columns + batch - 1) / batch;
  constexpr std::int64_t most = max_row_threads / warp_size;
  return static_cast<unsigned>(warp_size * (warps < 1 ? 1 : warps < most ? warps : most));
}

// A slot a warp for each of the two reductions. They are separate, so that no warp can overwrite a
// result that a slower one has yet to read: between two uses of one array every thread passes the
// barrier of the other.
struct RowScratch {
  float maximum[max_row_threads / warp_size];
  float sum[max_row_threads / warp_size];
};

struct Maximum {
  static constexpr float identity = -__builtin_huge_valf();
  __device__ static float combine(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  static constexpr float identity = 0.0f;
  __device__ static float combine(float a, float b) { return a + b; }
};

template <class Operation>
__device__ float reduce_warp(float value) {
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    value = Operation::combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}

// The same result in every thread. The block is a whole number of warps; all of it calls this.
template <class Operation>
__device__ float reduce_block(float value, float* slots) {
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const int warps = blockDim.x / warp_size;
  value = reduce_warp<Operation>(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  return reduce_warp<Operation>(lane < warps ? slots[lane] : Operation::identity);
}

// How a row splits for 16-byte accesses: up to three elements before the first aligned address, the
// aligned body, up to three after it.
struct RowSplit {
  int head;
  int quads;
  int tail;
};
__device__ inline RowSplit split_row(const float* row, int columns) {
  const int misaligned =
      static_cast<int>(reinterpret_cast<std::uintptr_t>(row) / sizeof(float)) & 3;
  const int head = min((4 - misaligned) & 3, columns);
  const int quads = (columns - head) / 4;
  return {head, quads, columns - head - 4 * quads};
}

// Walks this thread's share of the row: quad(float4, index of the quad in the body) and
// single(float, index in the row).
template <class Quad, class Single>
__device__ void for_each_element(const float* __restrict__ row, const RowSplit& split, Quad quad,
                                 Single single) {
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const float4* body = reinterpret_cast<const float4*>(row + split.head);
  for (int first = thread; first < split.quads; first += loads_in_flight * threads) {
    float4 value[loads_in_flight];
#pragma unroll
    for (int i = 0; i < loads_in_flight; ++i)
      if (first + i * threads < split.quads) value[i] = body[first + i * threads];
#pragma unroll
    for (int i = 0; i < loads_in_flight; ++i)
      if (first + i * threads < split.quads) quad(value[i], first + i * threads);
  }
  // A block has at least a warp, more threads than head or tail has elements.
  if (thread < split.head) single(row[thread], thread);
  const int tail = split.head + 4 * split.quads;
  if (thread < split.tail) single(row[tail + thread], tail + thread);
}

// y[0 .. columns) = softmax(x[0 .. columns)), columns < 2^30. The whole block calls it, as often as
// it likes with one scratch. x and y must be equally far from a 16-byte boundary, and not overlap.
// A row of minus infinity gives 0 (the sum is 0 then); a row with NaN gives NaN.
__device__ inline void softmax_row(const float* __restrict__ x, float* __restrict__ y, int columns,
                                   RowScratch& scratch) {
  const RowSplit split = split_row(x, columns);

  float largest = Maximum::identity;
  for_each_element(
      x, split,
      [&](float4 v, int) { largest = fmaxf(largest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w))); },
      [&](float v, int) { largest = fmaxf(largest, v); });
  const float maximum = reduce_block<Maximum>(largest, scratch.maximum);
  // exp(-inf - -inf) is NaN; against 0 every weight of such a row is exp(-inf) = 0.
  const float shift = maximum == Maximum::identity ? 0.0f : maximum;
  const auto weight = [shift](float v) { return expf(v - shift); };

  float total = 0.0f;
  for_each_element(
      x, split,
      [&](float4 v, int) { total += (weight(v.x) + weight(v.y)) + (weight(v.z) + weight(v.w)); },
      [&](float v, int) { total += weight(v); });
  const float sum = reduce_block<Sum>(total, scratch.sum);
  const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;

  float4* body = reinterpret_cast<float4*>(y + split.head);
  for_each_element(
      x, split,
      [&](float4 v, int i) {
        body[i] = make_float4(weight(v.x) * scale, weight(v.y) * scale, weight(v.z) * scale,
                              weight(v.w) * scale);
      },
      [&](float v, int i) { y[i] = weight(v) * scale; });
}

}  // namespace gpubench::softmax
