// The inner loop of every matrix product on the host: a small tile of C held in vector registers.
#pragma once

#include <cstdint>

namespace gpubench::host {

// tile[r * columns + c] = sum over k < depth of a[r * a_pitch + k] * b[k * columns + c], for r <
// rows, c < columns. `a` has all its rows, `b` is 64-byte aligned, and so is `tile`; 1 <= depth <=
// max_depth. Rows and columns are what fills the registers of this processor's vector unit.
struct MicroKernel {
  static constexpr std::int64_t max_depth = 256;
  // Row pitch of `a` in floats: a constant, so that all rows are reached from one pointer; 16 more
  // than the depth, so that the rows do not share one set of the cache.
  static constexpr std::int64_t a_pitch = max_depth + 16;
  static constexpr int max_rows = 14, max_columns = 32;

  int rows = 0;
  int columns = 0;
  void (*run)(std::int64_t depth, const float* a, const float* b, float* tile) = nullptr;
};

// For the widest vector unit that this processor has.
const MicroKernel& micro_kernel();

// Rows 0..rows of `a` as the kernel reads it: `source` row r begins at source + r * pitch; rows up
// to `padded_rows` are zeroed. Depth as above.
void pack_a(const float* source, std::int64_t pitch, std::int64_t rows, std::int64_t padded_rows,
            std::int64_t depth, float factor, float* a);
// One panel of b: depth rows of `count` values (at most `columns`), the rest zeroed.
void pack_b(const float* source, std::int64_t pitch, std::int64_t depth, std::int64_t count,
            int columns, float* b);
// The same from a transposed source: value (k, c) is source[c * pitch + k].
void pack_b_transposed(const float* source, std::int64_t pitch, std::int64_t depth,
                       std::int64_t count, int columns, float* b);

}  // namespace gpubench::host
