// One 64 by 64 tile of a product C = A B by a block of 256 threads: 16 steps of depth at a time go
// through shared memory, each thread keeps 4 by 4 results in registers, and the loads of the next
// 16 steps are under way while the present ones are multiplied.
#pragma once

#include <cstdint>

namespace gpubench::attention {

constexpr int tile_edge = 64;
constexpr int tile_depth = 16;
constexpr int tile_threads = 256;
// A pitch of whole 16-byte pieces that is no multiple of 32 banks.
constexpr int tile_pitch = tile_edge + 4;

struct TileScratch {
  alignas(16) float a[tile_depth][tile_pitch];  // [depth][row of C]
  alignas(16) float b[tile_depth][tile_pitch];  // [depth][column of C]
};

// source[0 .. 3], with 0 from `available` on. `aligned` promises that source is at 16 bytes.
__device__ inline float4 load_four(const float* source, std::int64_t available, bool aligned) {
  if (aligned && available >= 4) return *reinterpret_cast<const float4*>(source);
  return make_float4(available > 0 ? source[0] : 0.0f, available > 1 ? source[1] : 0.0f,
                     available > 2 ? source[2] : 0.0f, available > 3 ? source[3] : 0.0f);
}

// How a thread's four elements of an operand are found and where they go. An operand whose rows run
// along the depth (Q, K, the probabilities) is turned over on its way into shared memory.
struct AlongDepth {
  const float* row;  // this thread's row at depth 0
  std::int64_t
      depth;  // elements of it that count; the rest is 0 (also when the row does not exist)
  bool aligned;

  __device__ static int row_of(int thread) { return thread / 4; }
  __device__ float4 load(std::int64_t at) const {
    const std::int64_t first = at + threadIdx.x % 4 * 4;
    return load_four(row + first, depth - first, aligned);
  }
  __device__ static void store(float (&shared)[tile_depth][tile_pitch], float4 v) {
    const int step = threadIdx.x % 4 * 4;
    const int at = row_of(threadIdx.x);
    shared[step][at] = v.x;
    shared[step + 1][at] = v.y;
    shared[step + 2][at] = v.z;
    shared[step + 3][at] = v.w;
  }
};

// An operand whose rows are the steps of depth (V).
struct AcrossDepth {
  const float* column;   // depth 0, the first of this thread's four columns
  std::int64_t pitch;    // elements from one step of depth to the next
  std::int64_t depth;    // steps that count
  std::int64_t columns;  // of this thread's four, those that exist (may be negative)
  bool aligned;

  __device__ static int column_of(int thread) { return thread % 16 * 4; }
  __device__ float4 load(std::int64_t at) const {
    const std::int64_t step = at + threadIdx.x / 16;
    return load_four(column + step * pitch, step < depth ? columns : 0, aligned);
  }
  __device__ static void store(float (&shared)[tile_depth][tile_pitch], float4 v) {
    *reinterpret_cast<float4*>(&shared[threadIdx.x / 16][column_of(threadIdx.x)]) = v;
  }
};

// result[i][j] = C[4 (thread / 16) + i][4 (thread % 16) + j], over `depth` steps. The whole block
// calls it, with the same depth; the scratch is free again at the end.
template <class A, class B>
__device__ void multiply_tile(const A& a, const B& b, std::int64_t depth, TileScratch& scratch,
                              float (&result)[4][4]) {
  const int row = threadIdx.x / 16 * 4;
  const int column = threadIdx.x % 16 * 4;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) result[i][j] = 0.0f;

  float4 next_a = a.load(0);
  float4 next_b = b.load(0);
  for (std::int64_t at = 0; at < depth; at += tile_depth) {
    A::store(scratch.a, next_a);
    B::store(scratch.b, next_b);
    __syncthreads();
    if (at + tile_depth < depth) {
      next_a = a.load(at + tile_depth);
      next_b = b.load(at + tile_depth);
    }
#pragma unroll
    for (int step = 0; step < tile_depth; ++step) {
      const float4 left = *reinterpret_cast<const float4*>(&scratch.a[step][row]);
      const float4 right = *reinterpret_cast<const float4*>(&scratch.b[step][column]);
      const float l[4] = {left.x, left.y, left.z, left.w};
      const float r[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) result[i][j] += l[i] * r[j];
    }
    __syncthreads();
  }
}

}  // namespace gpubench::attention
