// How the CUDA variants cut C into blocks. Manifest and kernels share these figures: the manifest
// for what a grid can hold and for its traffic model, the kernels for the launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/matmul/problem.hpp"

namespace gpubench::matmul {

// Rows and columns of C that one thread block computes.
struct BlockTile {
  int rows = 1;
  int columns = 1;
};

inline constexpr BlockTile naive_tile{32, 32};
inline constexpr BlockTile coalesced_tile{32, 32};
inline constexpr BlockTile tiled_16_tile{16, 16};
inline constexpr BlockTile register_blocked_4x4_tile{64, 64};
inline constexpr BlockTile wmma_tile{128, 128};

// What cuBLAS is given to work in: more than the 32 MiB that it asks for on Hopper.
inline constexpr std::size_t cublas_workspace_bytes = std::size_t{64} << 20;

constexpr std::int64_t tiles(std::int64_t extent, int tile) {
  return (extent + tile - 1) / tile;
}

// Blocks go into grid x alone, row of tiles by row of tiles: x holds 2^31 - 1, y only 65535.
inline constexpr std::int64_t most_blocks = 2147483647;

constexpr bool fits_grid(const Problem& p, BlockTile tile) {
  return tiles(p.m, tile.rows) <= most_blocks / tiles(p.n, tile.columns);
}

constexpr unsigned grid_blocks(const Problem& p, BlockTile tile) {
  return static_cast<unsigned>(tiles(p.m, tile.rows) * tiles(p.n, tile.columns));
}

}  // namespace gpubench::matmul
