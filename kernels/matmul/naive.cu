// One thread an output, in the mapping that comes first to mind: x is the row, y the column.
// It is the bottom of the ladder. Neighbours in a warp (threadIdx.x) lie in neighbouring rows, so
// that each load of A and each store of C touches 32 cache lines for 128 bytes.
// Bound by those lines: the load unit works through a warp's load of A line by line.
// Takes any shape whose blocks fit a grid.
#include "device/cuda/support.hpp"
#include "kernels/matmul/tile_position.cuh"

namespace gpubench::matmul {
namespace {

constexpr BlockTile tile = naive_tile;

__global__ void __launch_bounds__(tile.rows* tile.columns)
    naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
          std::int64_t m, std::int64_t n, std::int64_t k) {
  const TilePosition at = tile_position<tile.rows, tile.columns>(n);
  const std::int64_t row = at.row + threadIdx.x;
  const std::int64_t column = at.column + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (std::int64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

}  // namespace

void launch_naive(const Problem& p, const Buffers& buffers, Stream stream) {
  const dim3 threads(tile.rows, tile.columns);
  naive<<<grid_blocks(p, tile), threads, 0, cuda::native(stream)>>>(
      buffers.input<float>(0), buffers.input<float>(1), buffers.out<float>(), p.m, p.n, p.k);
  cuda::check_launch("matmul naive");
}

}  // namespace gpubench::matmul
