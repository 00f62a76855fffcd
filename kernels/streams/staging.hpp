// The device's copies of a, b and c in the workspace, and the chunks that a pipeline cuts them
// into. They are whole copies: a stage that is launched alone then moves the right data, and leaves
// the right output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/streams/problem.hpp"

namespace gpubench::streams {

struct Staging {
  float* a = nullptr;
  float* b = nullptr;
  float* c = nullptr;
};

// Elements from one array to the next: n rounded up to 256 bytes.
constexpr std::int64_t staging_stride(const Problem& p) {
  return (p.n + 63) / 64 * 64;
}

constexpr std::size_t staging_bytes(const Problem& p) {
  return 3 * static_cast<std::size_t>(staging_stride(p)) * sizeof(float);
}

inline Staging staging(const Problem& p, const Buffers& buffers) {
  float* a = buffers.work<float>();
  return {a, a + staging_stride(p), a + 2 * staging_stride(p)};
}

struct Chunk {
  std::int64_t begin = 0;  // a multiple of 4: 16-byte aligned
  std::int64_t count = 0;  // 0 where there are more chunks than groups of 4 elements
};

// Chunk `index` of 0 <= index < p.chunks: as equal as groups of 4 elements allow, together all of
// n.
constexpr Chunk chunk(const Problem& p, std::int64_t index) {
  const std::int64_t groups = (p.n + 3) / 4;
  const std::int64_t begin = groups * index / p.chunks * 4;
  const std::int64_t end = std::min(p.n, groups * (index + 1) / p.chunks * 4);
  return {begin, end - begin};
}

}  // namespace gpubench::streams
