// One thread an output, neighbours of a warp in neighbouring columns.
// Against naive only x and y are exchanged: a warp reads one element of A (a broadcast) and 128
// contiguous bytes of B, and writes 128 contiguous bytes of C. That should gain several times.
// Bound by the load unit: two global loads, served by L1, for every multiply-add.
// Takes any shape whose blocks fit a grid.
#include "device/cuda/support.hpp"
#include "kernels/matmul/tile_position.cuh"

namespace gpubench::matmul {
namespace {

constexpr BlockTile tile = coalesced_tile;

__global__ void __launch_bounds__(tile.rows* tile.columns)
    coalesced(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
              std::int64_t m, std::int64_t n, std::int64_t k) {
  const TilePosition at = tile_position<tile.rows, tile.columns>(n);
  const std::int64_t row = at.row + threadIdx.y;
  const std::int64_t column = at.column + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (std::int64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

}  // namespace

void launch_coalesced(const Problem& p, const Buffers& buffers, Stream stream) {
  const dim3 threads(tile.columns, tile.rows);
  coalesced<<<grid_blocks(p, tile), threads, 0, cuda::native(stream)>>>(
      buffers.input<float>(0), buffers.input<float>(1), buffers.out<float>(), p.m, p.n, p.k);
  cuda::check_launch("matmul coalesced");
}

}  // namespace gpubench::matmul
