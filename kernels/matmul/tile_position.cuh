// Which part of C the running block computes (kernels/matmul/tiling.hpp says how blocks are
// numbered).
#pragma once

#include <cstdint>

#include "kernels/matmul/tiling.hpp"

namespace gpubench::matmul {

struct TilePosition {
  std::int64_t row;  // of C, of the tile's first output
  std::int64_t column;
};

template <int rows, int columns>
__device__ inline TilePosition tile_position(std::int64_t n) {
  const unsigned per_row = static_cast<unsigned>((n + columns - 1) / columns);
  const unsigned row = blockIdx.x / per_row;
  return {std::int64_t{row} * rows, std::int64_t{blockIdx.x - row * per_row} * columns};
}

}  // namespace gpubench::matmul
