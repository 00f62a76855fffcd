// Idea: every access moves 16 bytes, and a thread has four loads under way before it uses the
// first; the result is stored evict-first, because nobody reads it again.
//
// Predecessor: scalar. A quarter of the instructions and eight times the bytes in flight (128 KB a
// full SM), far more than the latency of DRAM asks for; in L2 the inputs are not pushed out by the
// output.
//
// Bound: DRAM at a mix of two reads to one write; at small n the launch.
//
// Shapes: every n up to the parameter's limit; the last n % 4 elements are added one by one by the
// last block. Up to 2^20 elements a thread takes one vector, so that the work spreads over the
// whole device.
#include <algorithm>

#include "device/cuda/support.hpp"
#include "kernels/vector_add/add.hpp"
#include "kernels/vector_add/problem.hpp"

namespace gpubench::vector_add {

namespace {

constexpr int threads = 256;
constexpr int many_vectors = 2;  // of a and of b: four loads in flight
// A vector a thread up to here: what one wave of threads of a large GPU (128 SMs) covers.
constexpr std::int64_t one_wave = std::int64_t{1} << 18;

__device__ float4 sum(const float4& a, const float4& b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// A block adds a tile of threads * vectors vectors; in it, neighbouring threads take neighbouring
// vectors.
template <int vectors>
__global__ void __launch_bounds__(threads)
    vectorized_kernel(const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ c, std::int64_t n) {
  constexpr int tile = threads * vectors;
  const std::int64_t n_vectors = n / 4;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * tile;
  const auto* a4 = reinterpret_cast<const float4*>(a) + begin + threadIdx.x;
  const auto* b4 = reinterpret_cast<const float4*>(b) + begin + threadIdx.x;
  auto* c4 = reinterpret_cast<float4*>(c) + begin + threadIdx.x;

  if (begin + tile <= n_vectors) {
    float4 x[vectors], y[vectors];
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      x[v] = a4[v * threads];
      y[v] = b4[v * threads];
    }
#pragma unroll
    for (int v = 0; v < vectors; ++v) __stcs(c4 + v * threads, sum(x[v], y[v]));
  } else {
#pragma unroll
    for (int v = 0; v < vectors; ++v)
      if (begin + v * threads + threadIdx.x < n_vectors)
        __stcs(c4 + v * threads, sum(a4[v * threads], b4[v * threads]));
  }

  const std::int64_t rest = 4 * n_vectors + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && rest < n) c[rest] = a[rest] + b[rest];
}

template <int vectors>
void launch(const float* a, const float* b, float* c, std::int64_t n, Stream stream) {
  constexpr std::int64_t tile = threads * vectors;
  // One block at least: it adds the rest of an n below 4.
  const auto blocks = static_cast<unsigned>(std::max<std::int64_t>(1, (n / 4 + tile - 1) / tile));
  vectorized_kernel<vectors><<<blocks, threads, 0, cuda::native(stream)>>>(a, b, c, n);
  cuda::check_launch("vector_add vectorized_16B");
}

}  // namespace

void add(const float* a, const float* b, float* c, std::int64_t n, Stream stream) {
  if (n / 4 <= one_wave)
    launch<1>(a, b, c, n, stream);
  else
    launch<many_vectors>(a, b, c, n, stream);
}

void launch_vectorized_16B(const Problem& p, const Buffers& buffers, Stream stream) {
  add(buffers.input<float>(0), buffers.input<float>(1), buffers.out<float>(), p.n, stream);
}

}  // namespace gpubench::vector_add
