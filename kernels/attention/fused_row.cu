// Idea: a block takes one query row and never writes a score. Eight threads share a key; each such
// group keeps the running maximum, sum and output of its own keys, and the groups merge at the end.
// Against its predecessor: no N_q x N_k traffic and no workspace, memory grows with N, not N^2.
// Bound by: reading K and V again for every query row, 8 N_k D bytes each: from L1 as far as blocks
// of one SM walk the keys together, else from L2. Rows that share a K and V tile are the next
// rungs. Shapes: all D up to 256, by templates for up to 32, 64, 96, 128 and 256.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "device/cuda/support.hpp"
#include "kernels/attention/layout.hpp"

namespace gpubench::attention {
namespace {

constexpr int warp_size = 32;
constexpr int block_threads = 256;
constexpr int block_warps = block_threads / warp_size;
constexpr int group_threads = 8;  // they read 128 contiguous bytes of a key at a time
constexpr int groups = block_threads / group_threads;
constexpr int max_d = 256;

// How D fits a group that holds 4 quads floats a thread.
enum class Fit {
  exact,   // D = 32 quads
  padded,  // D a multiple of 4: 16-byte loads, some threads without elements
  ragged,  // any D: single elements
};

// The position in a row of this thread's element i of 4 quads.
template <Fit fit>
__device__ int position(int member, int i) {
  return fit == Fit::ragged ? member + group_threads * i
                            : 4 * (member + group_threads * (i / 4)) + i % 4;
}

// This thread's elements of a row of D; 0 past its end.
template <Fit fit, int quads>
__device__ void load_row(const float* __restrict__ row, int d, int member,
                         float (&value)[4 * quads]) {
  if constexpr (fit == Fit::ragged) {
#pragma unroll
    for (int i = 0; i < 4 * quads; ++i)
      value[i] = position<fit>(member, i) < d ? row[position<fit>(member, i)] : 0.0f;
  } else {
#pragma unroll
    for (int i = 0; i < quads; ++i) {
      float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (fit == Fit::exact || position<fit>(member, 4 * i) < d)
        four = *reinterpret_cast<const float4*>(row + position<fit>(member, 4 * i));
      value[4 * i] = four.x;
      value[4 * i + 1] = four.y;
      value[4 * i + 2] = four.z;
      value[4 * i + 3] = four.w;
    }
  }
}

// A softmax under way: weights are exp2(score - maximum), `sum` is theirs, `output` that of weight
// times V. Scores are in units of log 2.
template <int quads>
struct Running {
  float maximum = -INFINITY;
  float sum = 0.0f;
  float output[4 * quads] = {};

  __device__ void rescale(float factor) {
    sum *= factor;
#pragma unroll
    for (int i = 0; i < 4 * quads; ++i) output[i] *= factor;
  }
};

// The weight of a score, or the factor for weights that were taken against an older maximum. A key
// that does not exist and a maximum of nothing are minus infinity: no weight, where
// exp2(-inf - -inf) would be NaN.
__device__ float weight_against(float score, float maximum) {
  return score == -INFINITY ? 0.0f : exp2f(score - maximum);
}

template <Fit fit, int quads>
__global__ void __launch_bounds__(block_threads, 2)
    fused_row(Problem p, const float* __restrict__ q, const float* __restrict__ k,
              const float* __restrict__ v, float* __restrict__ o, float scale) {
  // Keys that a group has in hand at once: their loads overlap, and the output is rescaled once.
  // As many as registers hold for two blocks an SM.
  constexpr int chunk = quads <= 3 ? 4 : quads == 4 ? 3 : 1;
  __shared__ float warp_maximum[block_warps];
  __shared__ float warp_sum[block_warps];
  __shared__ float warp_output[block_warps][max_d];

  const int d = static_cast<int>(p.d);
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const int member = threadIdx.x % group_threads;
  const int group = threadIdx.x / group_threads;
  const std::int64_t rows = p.batch * p.heads * p.n_q;

  for (std::int64_t index = blockIdx.x; index < rows; index += gridDim.x) {
    const std::int64_t head_row = index / p.n_q;
    // The last queries first: under the causal mask they see most keys, and short rows fill the
    // end.
    const std::int64_t query = p.n_q - 1 - (index - head_row * p.n_q);
    const std::int64_t row = head_row * p.n_q + query;
    const auto keys = static_cast<int>(visible_keys(p, query));
    const std::int64_t kv_row = kv_head(p, head_row) * p.n_k;
    const float* key_rows = k + kv_row * p.d;
    const float* value_rows = v + kv_row * p.d;

    float scaled_query[4 * quads];
    load_row<fit, quads>(q + row * p.d, d, member, scaled_query);
#pragma unroll
    for (int i = 0; i < 4 * quads; ++i) scaled_query[i] *= scale;

    Running<quads> running;
    // The whole block goes round together. A group that runs out of keys reads the last one again
    // and gives it no weight: without branches the loads of a chunk are all under way at once.
    for (int first = group; first - group < keys; first += groups * chunk) {
      float score[chunk];
#pragma unroll
      for (int c = 0; c < chunk; ++c) {
        const std::int64_t key = min(first + c * groups, keys - 1);
        float element[4 * quads];
        load_row<fit, quads>(key_rows + key * d, d, member, element);
        score[c] = 0.0f;
#pragma unroll
        for (int i = 0; i < 4 * quads; ++i) score[c] += scaled_query[i] * element[i];
      }
#pragma unroll
      for (int offset = group_threads / 2; offset > 0; offset /= 2)
#pragma unroll
        for (int c = 0; c < chunk; ++c) score[c] += __shfl_xor_sync(0xffffffffu, score[c], offset);

      float maximum = running.maximum;
#pragma unroll
      for (int c = 0; c < chunk; ++c) {
        if (first + c * groups >= keys) score[c] = -INFINITY;
        maximum = fmaxf(maximum, score[c]);
      }
      running.rescale(weight_against(running.maximum, maximum));
      running.maximum = maximum;
#pragma unroll
      for (int c = 0; c < chunk; ++c) {
        const std::int64_t key = min(first + c * groups, keys - 1);
        const float weight = weight_against(score[c], maximum);
        float element[4 * quads];
        load_row<fit, quads>(value_rows + key * d, d, member, element);
        running.sum += weight;
#pragma unroll
        for (int i = 0; i < 4 * quads; ++i) running.output[i] += weight * element[i];
      }
    }

    // The groups of a warp, in registers.
#pragma unroll
    for (int offset = group_threads; offset < warp_size; offset *= 2) {
      const float maximum =
          fmaxf(running.maximum, __shfl_xor_sync(0xffffffffu, running.maximum, offset));
      running.rescale(weight_against(running.maximum, maximum));
      running.maximum = maximum;
      running.sum += __shfl_xor_sync(0xffffffffu, running.sum, offset);
#pragma unroll
      for (int i = 0; i < 4 * quads; ++i)
        running.output[i] += __shfl_xor_sync(0xffffffffu, running.output[i], offset);
    }

    // The warps, through shared memory.
    if (lane < group_threads) {
      if (lane == 0) {
        warp_maximum[warp] = running.maximum;
        warp_sum[warp] = running.sum;
      }
#pragma unroll
      for (int i = 0; i < 4 * quads; ++i) {
        const int at = position<fit>(member, i);
        if (fit == Fit::exact || at < d) warp_output[warp][at] = running.output[i];
      }
    }
    __syncthreads();
    float maximum = warp_maximum[0];
#pragma unroll
    for (int w = 1; w < block_warps; ++w) maximum = fmaxf(maximum, warp_maximum[w]);
    if (threadIdx.x < static_cast<unsigned>(d)) {
      float sum = 0.0f;
      float output = 0.0f;
#pragma unroll
      for (int w = 0; w < block_warps; ++w) {
        const float factor = weight_against(warp_maximum[w], maximum);
        sum += warp_sum[w] * factor;
        output += warp_output[w][threadIdx.x] * factor;
      }
      // No key seen: 0.
      o[row * p.d + threadIdx.x] = sum == 0.0f ? 0.0f : output / sum;
    }
    __syncthreads();
  }
}

template <Fit fit, int quads>
void start(const Problem& p, const Buffers& buffers, Stream stream) {
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>(p.batch * p.heads * p.n_q, 0x7fffffff));
  // exp(x) is exp2(x log2 e): folded into the query together with 1 / sqrt(D).
  const auto scale = static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(p.d)));
  fused_row<fit, quads><<<blocks, block_threads, 0, cuda::native(stream)>>>(
      p, buffers.input<float>(0), buffers.input<float>(1), buffers.input<float>(2),
      buffers.out<float>(), scale);
}

template <int quads>
void start(const Problem& p, const Buffers& buffers, Stream stream) {
  if (p.d == 32 * quads) {
    start<Fit::exact, quads>(p, buffers, stream);
  } else if (p.d % 4 == 0) {
    start<Fit::padded, quads>(p, buffers, stream);
  } else {
    start<Fit::ragged, quads>(p, buffers, stream);
  }
}

}  // namespace

void launch_fused_row(const Problem& p, const Buffers& buffers, Stream stream) {
  if (p.d <= 32) {
    start<1>(p, buffers, stream);
  } else if (p.d <= 64) {
    start<2>(p, buffers, stream);
  } else if (p.d <= 96) {
    start<3>(p, buffers, stream);
  } else if (p.d <= 128) {
    start<4>(p, buffers, stream);
  } else {
    start<8>(p, buffers, stream);
  }
  cuda::check_launch("attention fused_row");
}

}  // namespace gpubench::attention
