// A thread computes 4 x 4 outputs and keeps them in registers: at each step along K it loads 4
// elements of A and 4 of B from shared memory and uses each of them four times.
// Against tiled_16: 8 loads for 16 multiply-adds instead of 2 for one, each four in one 16-byte
// load because A lies transposed in shared memory. That should gain about 2.8 times. The next tile
// is on its way into registers while this one is used.
// Bound by shared memory still: a step of a warp takes two loads of 512 bytes, 8 cycles at the 128
// bytes a cycle that an SM returns, and its multiply-adds are 4 cycles of the FP32 units. Half of
// the FP32 ceiling is the most; only larger blocks in registers can help.
// Takes any shape whose blocks fit a grid; M, N, K need not be multiples of anything, but with K
// and N multiples of 4 it loads and stores 16 bytes at a time.
#include "device/cuda/support.hpp"
#include "kernels/matmul/tile_position.cuh"

namespace gpubench::matmul {
namespace {

constexpr BlockTile tile = register_blocked_4x4_tile;
constexpr int k_step = 16;
constexpr int per_thread = 4;  // outputs in each direction
constexpr int threads = tile.rows * tile.columns / (per_thread * per_thread);
// Each thread brings one group of 4 of either tile.
static_assert(tile.rows * k_step == 4 * threads && tile.columns * k_step == 4 * threads);

// Elements 0..3 of a row, of which `left` are in the matrix. With `aligned` the row is 16-byte
// aligned and `left` is at least 4 or at most 0.
template <bool aligned>
__device__ float4 load_4(const float* __restrict__ from, std::int64_t left) {
  if constexpr (aligned) {
    return left > 0 ? *reinterpret_cast<const float4*>(from) : float4{};
  } else {
    return {left > 0 ? from[0] : 0.0f, left > 1 ? from[1] : 0.0f, left > 2 ? from[2] : 0.0f,
            left > 3 ? from[3] : 0.0f};
  }
}

template <bool aligned>
__device__ void store_4(float* to, float4 value, std::int64_t left) {
  if constexpr (aligned) {
    if (left > 0) __stcs(reinterpret_cast<float4*>(to), value);  // C is not read again
  } else {
    if (left > 0) to[0] = value.x;
    if (left > 1) to[1] = value.y;
    if (left > 2) to[2] = value.z;
    if (left > 3) to[3] = value.w;
  }
}

// Where row `row` of the tile of A lies in line `line` of its transpose. A warp stores 8 rows of 4
// groups of lines: without the exchange of blocks of 8 rows the groups would share banks. Rows
// that are a multiple of 4 stay the start of 4 neighbours.
__device__ constexpr int swizzled(int line, int row) {
  return row ^ (line / 4 * 8);
}

template <bool aligned>
__global__ void __launch_bounds__(threads, 4)
    register_blocked_4x4(const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ c, std::int64_t m, std::int64_t n, std::int64_t k) {
  __shared__ alignas(16) float a_tile[k_step][tile.rows];  // transposed and swizzled
  __shared__ alignas(16) float b_tile[k_step][tile.columns];
  const int thread = static_cast<int>(threadIdx.x);
  const TilePosition at = tile_position<tile.rows, tile.columns>(n);

  // What this thread brings: 4 elements along K of one row of A, 4 of one row of B.
  const int a_row = thread / 4;
  const int a_line = thread % 4 * 4;
  const int b_line = thread / 16;
  const int b_column = thread % 16 * 4;
  const float* a_from = a + (at.row + a_row) * k + a_line;
  const float* b_from = b + b_line * n + at.column + b_column;
  // From there to the end of the row; 0 for a row of A beyond the matrix.
  std::int64_t a_left = at.row + a_row < m ? k - a_line : 0;
  const std::int64_t b_left = n - at.column - b_column;

  // What it computes. A warp covers 16 rows by 32 columns, so that 8 neighbouring lanes read 128
  // contiguous bytes of B and one address of A.
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int row = warp / 2 * 16 + lane / 8 * 4;
  const int column = warp % 2 * 32 + lane % 8 * 4;

  float sum[per_thread][per_thread] = {};
  float4 a_next = load_4<aligned>(a_from, a_left);
  float4 b_next = load_4<aligned>(b_from, b_line < k ? b_left : 0);
  for (std::int64_t start = 0; start < k; start += k_step) {
    const int a_to = swizzled(a_line, a_row);
    a_tile[a_line + 0][a_to] = a_next.x;
    a_tile[a_line + 1][a_to] = a_next.y;
    a_tile[a_line + 2][a_to] = a_next.z;
    a_tile[a_line + 3][a_to] = a_next.w;
    *reinterpret_cast<float4*>(&b_tile[b_line][b_column]) = b_next;
    __syncthreads();

    a_from += k_step;
    a_left -= k_step;
    b_from += k_step * n;
    a_next = load_4<aligned>(a_from, a_left);
    b_next = load_4<aligned>(b_from, start + k_step + b_line < k ? b_left : 0);

#pragma unroll
    for (int line = 0; line < k_step; ++line) {
      const float4 a4 = *reinterpret_cast<const float4*>(&a_tile[line][swizzled(line, row)]);
      const float4 b4 = *reinterpret_cast<const float4*>(&b_tile[line][column]);
      const float a_of[per_thread] = {a4.x, a4.y, a4.z, a4.w};
      const float b_of[per_thread] = {b4.x, b4.y, b4.z, b4.w};
#pragma unroll
      for (int i = 0; i < per_thread; ++i)
#pragma unroll
        for (int j = 0; j < per_thread; ++j) sum[i][j] += a_of[i] * b_of[j];
    }
    __syncthreads();
  }

  const std::int64_t c_left = n - at.column - column;
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    const std::int64_t c_row = at.row + row + i;
    if (c_row < m)
      store_4<aligned>(c + c_row * n + at.column + column,
                       {sum[i][0], sum[i][1], sum[i][2], sum[i][3]}, c_left);
  }
}

}  // namespace

void launch_register_blocked_4x4(const Problem& p, const Buffers& buffers, Stream stream) {
  const auto kernel =
      p.k % 4 == 0 && p.n % 4 == 0 ? register_blocked_4x4<true> : register_blocked_4x4<false>;
  kernel<<<grid_blocks(p, tile), threads, 0, cuda::native(stream)>>>(
      buffers.input<float>(0), buffers.input<float>(1), buffers.out<float>(), p.m, p.n, p.k);
  cuda::check_launch("matmul register_blocked_4x4");
}

}  // namespace gpubench::matmul
