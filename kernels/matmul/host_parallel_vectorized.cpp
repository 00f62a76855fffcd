// All cores, each on its own rectangle of C; blocks of A and B packed for the caches, a tile of C
// in vector registers.
//
// Against single_thread: operands come from registers (a multiply-add costs half a load, not two
// loads and a store), the widest vector unit, all cores.
//
// Bound by the FMA units; packing costs a few percent at 1024.
//
// Shapes: any.
#include <algorithm>

#include "device/host/micro_kernel.hpp"
#include "device/host/scratch.hpp"
#include "device/host/team.hpp"
#include "kernels/matmul/problem.hpp"

namespace gpubench::matmul {
namespace {

using host::MicroKernel;
using host::Range;

// A block of B (depth by this) stays in the second-level cache, a panel of A in the first; A's
// block beyond them.
constexpr std::int64_t block_columns = 512;
constexpr std::int64_t block_rows = 1024;

// How the threads divide C: `down` bands of rows times `across` bands of columns, the split whose
// largest part is smallest, and of those the squarest, which packs least.
struct Grid {
  int down = 1;
  int across = 1;
};

Grid grid_for(std::int64_t row_tiles, std::int64_t column_tiles, int threads) {
  Grid best;
  std::int64_t best_area = row_tiles * column_tiles, best_rim = row_tiles + column_tiles;
  for (int down = 1; down <= threads; ++down) {
    const int across = threads / down;
    const std::int64_t height = (row_tiles + down - 1) / down;
    const std::int64_t width = (column_tiles + across - 1) / across;
    const std::int64_t area = height * width, rim = height + width;
    if (area < best_area || (area == best_area && rim < best_rim)) {
      best = {down, across};
      best_area = area;
      best_rim = rim;
    }
  }
  return best;
}

// Adds (or, the first time, writes) the part of a tile that lies inside C.
void put_tile(const float* tile, int tile_columns, float* c, std::int64_t pitch, std::int64_t rows,
              std::int64_t columns, bool first) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* from = tile + r * tile_columns;
    float* to = c + r * pitch;
    if (first) {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) to[j] = from[j];
    } else {
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) to[j] += from[j];
    }
  }
}

void multiply(const Problem& p, const float* a, const float* b, float* c, Range rows,
              Range columns) {
  const MicroKernel& kernel = host::micro_kernel();
  const std::int64_t panel_a = kernel.rows * MicroKernel::a_pitch;
  const std::int64_t panels_a = (block_rows + kernel.rows - 1) / kernel.rows;
  thread_local host::Scratch scratch_a, scratch_b;
  float* packed_a = scratch_a.floats(static_cast<std::size_t>(panels_a * panel_a));
  float* packed_b =
      scratch_b.floats(static_cast<std::size_t>(block_columns * MicroKernel::max_depth));
  alignas(64) float tile[MicroKernel::max_rows * MicroKernel::max_columns];

  for (std::int64_t i0 = rows.begin; i0 < rows.end; i0 += block_rows) {
    const std::int64_t height = std::min(block_rows, rows.end - i0);
    for (std::int64_t k0 = 0; k0 < p.k; k0 += MicroKernel::max_depth) {
      const std::int64_t depth = std::min(MicroKernel::max_depth, p.k - k0);
      for (std::int64_t i = 0; i < height; i += kernel.rows)
        host::pack_a(a + (i0 + i) * p.k + k0, p.k, std::min<std::int64_t>(kernel.rows, height - i),
                     kernel.rows, depth, 1.0f, packed_a + i / kernel.rows * panel_a);
      for (std::int64_t j0 = columns.begin; j0 < columns.end; j0 += block_columns) {
        const std::int64_t width = std::min(block_columns, columns.end - j0);
        for (std::int64_t j = 0; j < width; j += kernel.columns)
          host::pack_b(b + k0 * p.n + j0 + j, p.n, depth,
                       std::min<std::int64_t>(kernel.columns, width - j), kernel.columns,
                       packed_b + j * depth);
        for (std::int64_t i = 0; i < height; i += kernel.rows) {
          for (std::int64_t j = 0; j < width; j += kernel.columns) {
            kernel.run(depth, packed_a + i / kernel.rows * panel_a, packed_b + j * depth, tile);
            put_tile(tile, kernel.columns, c + (i0 + i) * p.n + j0 + j, p.n,
                     std::min<std::int64_t>(kernel.rows, height - i),
                     std::min<std::int64_t>(kernel.columns, width - j), k0 == 0);
          }
        }
      }
    }
  }
}

}  // namespace

void launch_parallel_vectorized(const Problem& problem, const Buffers& buffers, Stream) {
  const MicroKernel& kernel = host::micro_kernel();
  const std::int64_t row_tiles = (problem.m + kernel.rows - 1) / kernel.rows;
  const std::int64_t column_tiles = (problem.n + kernel.columns - 1) / kernel.columns;
#pragma omp parallel
  {
    const Grid grid = grid_for(row_tiles, column_tiles, omp_get_num_threads());
    const int thread = omp_get_thread_num();
    if (thread < grid.down * grid.across)
      multiply(problem, buffers.input<float>(0), buffers.input<float>(1), buffers.out<float>(),
               host::part(problem.m, kernel.rows, thread / grid.across, grid.down),
               host::part(problem.n, kernel.columns, thread % grid.across, grid.across));
  }
}

}  // namespace gpubench::matmul
