// f16 products on the tensor cores through the wmma interface: a warp computes 64 x 64 outputs as
// 4 x 4 fragments of 16 x 16, with f32 sums. 4 warps share tiles of 128 x 32 and 32 x 128.
// Against tiled_16 the unit is another, and an element in shared memory is used 64 times; that
// should gain some thirty times. Two tiles in shared memory take turns: the next one is on its way
// into registers while this one is multiplied, and one barrier a step is enough.
// Bound by latency: 4 warps, two blocks an SM, and mma.sync behind plain loads do not keep the
// units fed; staging in registers costs what more fragments would need.
// Takes any shape whose blocks fit a grid; with K and N multiples of 8 it loads and stores 16 bytes
// at a time, otherwise element by element.
#include <cuda_fp16.h>
#include <mma.h>

#include "device/cuda/support.hpp"
#include "kernels/matmul/tile_position.cuh"

namespace gpubench::matmul {
namespace {

namespace wmma = nvcuda::wmma;

constexpr BlockTile tile = wmma_tile;
constexpr int k_step = 32;
constexpr int edge = 16;      // of a fragment
constexpr int fragments = 4;  // of a warp, in each direction
constexpr int warp_edge = fragments * edge;
constexpr int warps_across = tile.columns / warp_edge;
constexpr int threads = 32 * (tile.rows / warp_edge) * warps_across;

constexpr int group = 8;  // elements of a 16-byte load
// Rows in shared memory are 16 bytes longer than the tile, so that 8 of them start in different
// banks. Fragments still start on the 32 bytes that wmma asks for.
constexpr int a_stride = k_step + group;
constexpr int b_stride = tile.columns + group;
// Groups that a thread brings of each tile: one in every a_rows rows of A, b_lines lines of B.
constexpr int a_rows = threads / (k_step / group);
constexpr int b_lines = threads / (tile.columns / group);
constexpr int a_groups = tile.rows / a_rows;
constexpr int b_groups = k_step / b_lines;
// Sums of a warp on their way out: 16 rows of its 64 columns.
constexpr int out_stride = warp_edge + 4;

struct Tiles {
  __half a[tile.rows][a_stride];
  __half b[k_step][b_stride];
};

union Shared {
  Tiles tiles[2];
  float out[threads / 32][edge][out_stride];
};

union Group {
  uint4 bits;
  __half elements[group];
};

// `extent` as far as a tile cares.
__device__ int at_most(std::int64_t extent, int limit) {
  return extent < limit ? static_cast<int>(extent) : limit;
}

// Elements 0..7 of a row, of which `left` are in the matrix; zero for the others. With `aligned`
// the row is 16-byte aligned and `left` is at least 8 or at most 0.
template <bool aligned>
__device__ uint4 load_group(const __half* __restrict__ from, int left) {
  if constexpr (aligned) {
    return left > 0 ? *reinterpret_cast<const uint4*>(from) : uint4{};
  } else {
    Group loaded;
#pragma unroll
    for (int i = 0; i < group; ++i) loaded.elements[i] = i < left ? from[i] : __half(0.0f);
    return loaded.bits;
  }
}

// Brings one pair of tiles after the other into registers, and from there to shared memory.
template <bool aligned>
class Stage {
 public:
  __device__ Stage(const __half* a, const __half* b, TilePosition at, std::int64_t m,
                   std::int64_t n, std::int64_t k)
      : a_row_(threadIdx.x / (k_step / group)),
        a_line_(threadIdx.x % (k_step / group) * group),
        b_line_(threadIdx.x / (tile.columns / group)),
        b_column_(threadIdx.x % (tile.columns / group) * group),
        n_(n),
        k_(k),
        a_from_(a + (at.row + a_row_) * k + a_line_),
        b_from_(b + b_line_ * n + at.column + b_column_),
        k_left_(k),
        rows_left_(at_most(m - at.row, tile.rows) - a_row_),
        columns_left_(at_most(n - at.column, tile.columns) - b_column_) {}

  // Zeros once K is at its end.
  __device__ void load_next() {
    const int lines = at_most(k_left_, k_step);
#pragma unroll
    for (int g = 0; g < a_groups; ++g)
      a_[g] = load_group<aligned>(a_from_ + g * a_rows * k_,
                                  g * a_rows < rows_left_ ? lines - a_line_ : 0);
#pragma unroll
    for (int g = 0; g < b_groups; ++g)
      b_[g] = load_group<aligned>(b_from_ + g * b_lines * n_,
                                  b_line_ + g * b_lines < lines ? columns_left_ : 0);
    a_from_ += k_step;
    b_from_ += k_step * n_;
    k_left_ -= k_step;
  }

  __device__ void store(Tiles& to) const {
#pragma unroll
    for (int g = 0; g < a_groups; ++g)
      *reinterpret_cast<uint4*>(&to.a[a_row_ + g * a_rows][a_line_]) = a_[g];
#pragma unroll
    for (int g = 0; g < b_groups; ++g)
      *reinterpret_cast<uint4*>(&to.b[b_line_ + g * b_lines][b_column_]) = b_[g];
  }

 private:
  int a_row_, a_line_, b_line_, b_column_;
  std::int64_t n_, k_;
  const __half* a_from_;
  const __half* b_from_;
  std::int64_t k_left_;
  int rows_left_, columns_left_;
  uint4 a_[a_groups];
  uint4 b_[b_groups];
};

using Sum = wmma::fragment<wmma::accumulator, edge, edge, edge, float>;

__device__ void multiply(Sum (&sum)[fragments][fragments], const Tiles& tiles, int row,
                         int column) {
#pragma unroll
  for (int line = 0; line < k_step; line += edge) {
    wmma::fragment<wmma::matrix_a, edge, edge, edge, __half, wmma::row_major> a[fragments];
    wmma::fragment<wmma::matrix_b, edge, edge, edge, __half, wmma::row_major> b;
#pragma unroll
    for (int i = 0; i < fragments; ++i)
      wmma::load_matrix_sync(a[i], &tiles.a[row + i * edge][line], a_stride);
#pragma unroll
    for (int j = 0; j < fragments; ++j) {
      wmma::load_matrix_sync(b, &tiles.b[line][column + j * edge], b_stride);
#pragma unroll
      for (int i = 0; i < fragments; ++i) wmma::mma_sync(sum[i][j], a[i], b, sum[i][j]);
    }
  }
}

// Writes 16 rows of a warp's outputs from shared memory, each rounded once to f16.
template <bool aligned>
__device__ void write_rows(const float (&from)[edge][out_stride], __half* __restrict__ c,
                           std::int64_t row, std::int64_t column, std::int64_t m, std::int64_t n) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int first = 0; first < edge; first += 32 / (warp_edge / group)) {
    const int y = first + lane / (warp_edge / group);
    const int x = lane % (warp_edge / group) * group;
    if (row + y >= m) continue;
    Group out;
#pragma unroll
    for (int i = 0; i < group; ++i) out.elements[i] = __float2half_rn(from[y][x + i]);
    const int left = at_most(n - column - x, group);
    __half* to = c + (row + y) * n + column + x;
    if constexpr (aligned) {
      if (left > 0) __stcs(reinterpret_cast<uint4*>(to), out.bits);  // C is not read again
    } else {
#pragma unroll
      for (int i = 0; i < group; ++i)
        if (i < left) to[i] = out.elements[i];
    }
  }
}

template <bool aligned>
__global__ void __launch_bounds__(threads, 2)
    wmma_128x128(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c,
                 std::int64_t m, std::int64_t n, std::int64_t k) {
  __shared__ alignas(128) Shared shared;
  const TilePosition at = tile_position<tile.rows, tile.columns>(n);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / warps_across * warp_edge;
  const int column = warp % warps_across * warp_edge;

  Sum sum[fragments][fragments];
#pragma unroll
  for (int i = 0; i < fragments; ++i)
#pragma unroll
    for (int j = 0; j < fragments; ++j) wmma::fill_fragment(sum[i][j], 0.0f);

  Stage<aligned> stage(a, b, at, m, n, k);
  stage.load_next();
  stage.store(shared.tiles[0]);
  __syncthreads();
  int current = 0;
  for (std::int64_t start = 0; start < k; start += k_step) {
    stage.load_next();
    multiply(sum, shared.tiles[current], row, column);
    // The other tile was last read before the barrier that ended the step before.
    current ^= 1;
    stage.store(shared.tiles[current]);
    __syncthreads();
  }

  // The last barrier also freed the tiles for the sums.
  float(&out)[edge][out_stride] = shared.out[warp];
#pragma unroll
  for (int i = 0; i < fragments; ++i) {
#pragma unroll
    for (int j = 0; j < fragments; ++j)
      wmma::store_matrix_sync(&out[0][j * edge], sum[i][j], out_stride, wmma::mem_row_major);
    __syncwarp();
    write_rows<aligned>(out, c, at.row + row + i * edge, at.column + column, m, n);
    __syncwarp();
  }
}

}  // namespace

void launch_wmma(const Problem& p, const Buffers& buffers, Stream stream) {
  const auto kernel =
      p.k % group == 0 && p.n % group == 0 ? wmma_128x128<true> : wmma_128x128<false>;
  kernel<<<grid_blocks(p, tile), threads, 0, cuda::native(stream)>>>(
      buffers.input<__half>(0), buffers.input<__half>(1), buffers.out<__half>(), p.m, p.n, p.k);
  cuda::check_launch("matmul wmma");
}

}  // namespace gpubench::matmul
