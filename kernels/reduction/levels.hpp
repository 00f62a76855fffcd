// Reduction in levels: a launch turns n values into ceil(n / tile) block sums, the next launch of
// the same kernel reduces those, until one is left. No atomics: the same n gives the same bits
// every time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace gpubench::reduction {

// Elements that one block reduces, for each variant.
inline constexpr std::int64_t v1_tree_tile = 256;
inline constexpr std::int64_t v2_halved_threads_tile = 512;
inline constexpr std::int64_t v3_warp_shuffle_tile = 512;

constexpr std::int64_t blocks_of(std::int64_t n, std::int64_t tile) {
  return (n + tile - 1) / tile;
}

// Floats of workspace: two regions between which the levels alternate, the first as large as the
// largest level's output, the second as the next one's. The last level writes the output.
constexpr std::int64_t partials(std::int64_t n, std::int64_t tile) {
  const std::int64_t first = blocks_of(n, tile);
  if (first == 1) return 0;
  const std::int64_t second = blocks_of(first, tile);
  return second == 1 ? first : first + second;
}

// Block sums written and read back by all levels together, in floats moved.
constexpr std::int64_t partial_traffic(std::int64_t n, std::int64_t tile) {
  std::int64_t moved = 0;
  while ((n = blocks_of(n, tile)) > 1) moved += 2 * n;
  return moved;
}

// Calls launch_level(from, n, to, blocks) for each level: `to` takes one sum from each of `blocks`
// blocks. `workspace` holds partials(n, tile) floats.
template <class LaunchLevel>
void reduce_in_levels(const float* x, std::int64_t n, std::int64_t tile, float* workspace,
                      float* output, LaunchLevel launch_level) {
  float* to = workspace;
  float* other = workspace + blocks_of(n, tile);
  for (;;) {
    const std::int64_t blocks = blocks_of(n, tile);
    if (blocks == 1) break;
    launch_level(x, n, to, blocks);
    x = to;
    n = blocks;
    std::swap(to, other);
  }
  launch_level(x, n, output, 1);
}

}  // namespace gpubench::reduction
