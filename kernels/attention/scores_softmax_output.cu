// Idea: attention as written down. One kernel writes all scores Q K^T / sqrt(D), one takes the
// softmax of each row of them, one multiplies the probabilities with V.
// Against its predecessor: it is the first rung. The products are 64 by 64 tiles with 4 by 4
// results a thread, no toys; causal tiles that nobody sees are neither computed nor read. Bound by:
// f32 arithmetic at about half of its peak in the products (shared memory feeds 16 FMAs with 32
// bytes, and the last one has few tiles when there is one head), and by the traffic of the N_q x
// N_k scores and probabilities, which leave L2 when they outgrow it. Not writing them at all is the
// next rung. Shapes: all. The workspace holds 8 N_q N_k bytes a head; probabilities have a place of
// their own beside the scores, so that each stage can be launched again by itself and gives the
// same answer.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "device/cuda/support.hpp"
#include "kernels/attention/layout.hpp"
#include "kernels/attention/tile_product.cuh"
#include "kernels/softmax/row.cuh"

namespace gpubench::attention {
namespace {

constexpr std::int64_t max_blocks = 0x7fffffff;

__host__ __device__ inline std::int64_t tiles(std::int64_t length) {
  return (length + tile_edge - 1) / tile_edge;
}

unsigned grid(std::int64_t wanted) {
  return static_cast<unsigned>(std::min(wanted, max_blocks));
}

// The tile that a block works on: head_row counts [batch, heads], row and column start the tile.
struct Tile {
  std::int64_t head_row, row, column;
};
__device__ Tile tile_at(std::int64_t index, std::int64_t rows, std::int64_t columns) {
  const std::int64_t row_index = index / columns;
  const std::int64_t head_row = row_index / rows;
  return {head_row, (row_index - head_row * rows) * tile_edge,
          (index - row_index * columns) * tile_edge};
}

__global__ void __launch_bounds__(tile_threads, 3)
    write_scores(Problem p, const float* __restrict__ q, const float* __restrict__ k,
                 float* __restrict__ scores, float scale) {
  __shared__ TileScratch scratch;
  const std::int64_t rows = tiles(p.n_q);
  const std::int64_t columns = tiles(p.n_k);
  const std::int64_t pitch = scores_pitch(p);
  const std::int64_t count = p.batch * p.heads * rows * columns;
  const bool aligned = p.d % 4 == 0;
  for (std::int64_t index = blockIdx.x; index < count; index += gridDim.x) {
    const Tile tile = tile_at(index, rows, columns);
    const std::int64_t last_query = min(tile.row + tile_edge, p.n_q) - 1;
    if (tile.column >= visible_keys(p, last_query)) continue;

    const std::int64_t query = tile.row + AlongDepth::row_of(threadIdx.x);
    const std::int64_t key = tile.column + AlongDepth::row_of(threadIdx.x);
    const AlongDepth a{q + (tile.head_row * p.n_q + query) * p.d, query < p.n_q ? p.d : 0, aligned};
    const AlongDepth b{k + (kv_head(p, tile.head_row) * p.n_k + key) * p.d, key < p.n_k ? p.d : 0,
                       aligned};
    float result[4][4];
    multiply_tile(a, b, p.d, scratch, result);

    const std::int64_t row = tile.row + threadIdx.x / 16 * 4;
    const std::int64_t column = tile.column + threadIdx.x % 16 * 4;
    if (column >= pitch) continue;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      // The pitch is a multiple of 4, so that four columns are written whole; those past n_k are
      // never read.
      if (row + i < p.n_q)
        *reinterpret_cast<float4*>(scores + (tile.head_row * p.n_q + row + i) * pitch + column) =
            make_float4(result[i][0] * scale, result[i][1] * scale, result[i][2] * scale,
                        result[i][3] * scale);
    }
  }
}

__global__ void __launch_bounds__(softmax::max_row_threads, softmax::row_blocks)
    write_probabilities(Problem p, const float* __restrict__ scores,
                        float* __restrict__ probabilities) {
  __shared__ softmax::RowScratch scratch;
  const std::int64_t pitch = scores_pitch(p);
  const std::int64_t rows = p.batch * p.heads * p.n_q;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const auto keys = static_cast<int>(visible_keys(p, row % p.n_q));
    softmax::softmax_row(scores + row * pitch, probabilities + row * pitch, keys, scratch);
  }
}

__global__ void __launch_bounds__(tile_threads, 3)
    write_output(Problem p, const float* __restrict__ probabilities, const float* __restrict__ v,
                 float* __restrict__ o) {
  __shared__ TileScratch scratch;
  const std::int64_t rows = tiles(p.n_q);
  const std::int64_t columns = tiles(p.d);
  const std::int64_t pitch = scores_pitch(p);
  const std::int64_t count = p.batch * p.heads * rows * columns;
  const bool aligned = p.d % 4 == 0;
  for (std::int64_t index = blockIdx.x; index < count; index += gridDim.x) {
    const Tile tile = tile_at(index, rows, columns);
    const std::int64_t last_query = min(tile.row + tile_edge, p.n_q) - 1;
    const std::int64_t depth = visible_keys(p, last_query);

    // A row counts as far as its query sees: beyond that the workspace holds anything.
    const std::int64_t query = tile.row + AlongDepth::row_of(threadIdx.x);
    const std::int64_t keys = query < p.n_q ? visible_keys(p, query) : 0;
    const AlongDepth a{probabilities + (tile.head_row * p.n_q + query) * pitch, keys, true};
    const std::int64_t four = tile.column + AcrossDepth::column_of(threadIdx.x);
    const AcrossDepth b{v + kv_head(p, tile.head_row) * p.n_k * p.d + four, p.d, depth, p.d - four,
                        aligned};
    float result[4][4];
    multiply_tile(a, b, depth, scratch, result);

    const std::int64_t row = tile.row + threadIdx.x / 16 * 4;
    const std::int64_t column = tile.column + threadIdx.x % 16 * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (row + i >= p.n_q) continue;
      float* to = o + (tile.head_row * p.n_q + row + i) * p.d + column;
      if (aligned && column < p.d) {
        *reinterpret_cast<float4*>(to) =
            make_float4(result[i][0], result[i][1], result[i][2], result[i][3]);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (column + j < p.d) to[j] = result[i][j];
      }
    }
  }
}

float* probabilities_in(const Problem& p, const Buffers& buffers) {
  return buffers.work<float>() + p.batch * p.heads * p.n_q * scores_pitch(p);
}

}  // namespace

void launch_scores(const Problem& p, const Buffers& buffers, Stream stream) {
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(p.d)));
  write_scores<<<grid(p.batch * p.heads * tiles(p.n_q) * tiles(p.n_k)), tile_threads, 0,
                 cuda::native(stream)>>>(p, buffers.input<float>(0), buffers.input<float>(1),
                                         buffers.work<float>(), scale);
  cuda::check_launch("attention scores_softmax_output: scores");
}

void launch_softmax(const Problem& p, const Buffers& buffers, Stream stream) {
  write_probabilities<<<grid(p.batch * p.heads * p.n_q), softmax::row_threads(p.n_k), 0,
                        cuda::native(stream)>>>(p, buffers.work<float>(),
                                                probabilities_in(p, buffers));
  cuda::check_launch("attention scores_softmax_output: softmax");
}

void launch_output(const Problem& p, const Buffers& buffers, Stream stream) {
  write_output<<<grid(p.batch * p.heads * tiles(p.n_q) * tiles(p.d)), tile_threads, 0,
                 cuda::native(stream)>>>(p, probabilities_in(p, buffers), buffers.input<float>(2),
                                         buffers.out<float>());
  cuda::check_launch("attention scores_softmax_output: output");
}

void launch_scores_softmax_output(const Problem& p, const Buffers& buffers, Stream stream) {
  launch_scores(p, buffers, stream);
  launch_softmax(p, buffers, stream);
  launch_output(p, buffers, stream);
}

}  // namespace gpubench::attention
