#include "device/host/micro_kernel.hpp"

#include "base/simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpubench::host {
namespace {

constexpr std::int64_t pitch_a = MicroKernel::a_pitch;

// Each of the three holds its whole tile in registers and leaves room for one row of b and one
// element of a: 28 + 3 of 32 registers with AVX-512, 12 + 3 of 16 with AVX2. Every element of a is
// used for a whole row of the tile, every vector of b for a whole column, so that the loads are
// half as many as the multiply-adds.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) void run_avx512(std::int64_t depth, const float* a,
                                                   const float* b, float* tile) {
  constexpr int rows = 14;
  __m512 sum[rows][2];
#pragma GCC unroll 14
  for (int r = 0; r < rows; ++r) sum[r][0] = sum[r][1] = _mm512_setzero_ps();
  for (std::int64_t k = 0; k < depth; ++k) {
    const __m512 left = _mm512_load_ps(b), right = _mm512_load_ps(b + 16);
#pragma GCC unroll 14
    for (int r = 0; r < rows; ++r) {
      const __m512 factor = _mm512_set1_ps(a[r * pitch_a + k]);
      sum[r][0] = _mm512_fmadd_ps(factor, left, sum[r][0]);
      sum[r][1] = _mm512_fmadd_ps(factor, right, sum[r][1]);
    }
    b += 32;
  }
#pragma GCC unroll 14
  for (int r = 0; r < rows; ++r) {
    _mm512_store_ps(tile + r * 32, sum[r][0]);
    _mm512_store_ps(tile + r * 32 + 16, sum[r][1]);
  }
}

__attribute__((target("avx2,fma"))) void run_avx2(std::int64_t depth, const float* a,
                                                  const float* b, float* tile) {
  constexpr int rows = 6;
  __m256 sum[rows][2];
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r) sum[r][0] = sum[r][1] = _mm256_setzero_ps();
  for (std::int64_t k = 0; k < depth; ++k) {
    const __m256 left = _mm256_load_ps(b), right = _mm256_load_ps(b + 8);
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
      const __m256 factor = _mm256_set1_ps(a[r * pitch_a + k]);
      sum[r][0] = _mm256_fmadd_ps(factor, left, sum[r][0]);
      sum[r][1] = _mm256_fmadd_ps(factor, right, sum[r][1]);
    }
    b += 16;
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r) {
    _mm256_store_ps(tile + r * 16, sum[r][0]);
    _mm256_store_ps(tile + r * 16 + 8, sum[r][1]);
  }
}
#endif

// Vectors of four as the compiler spells them: SSE2, NEON, or whatever there is.
typedef float Vector4 __attribute__((vector_size(16), may_alias));

void run_generic(std::int64_t depth, const float* a, const float* b, float* tile) {
  constexpr int rows = 6;
  Vector4 sum[rows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto* row = reinterpret_cast<const Vector4*>(b + k * 8);
    const Vector4 left = row[0], right = row[1];
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
      const float factor = a[r * pitch_a + k];
      sum[r][0] += factor * left;
      sum[r][1] += factor * right;
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r) {
    auto* row = reinterpret_cast<Vector4*>(tile + r * 8);
    row[0] = sum[r][0];
    row[1] = sum[r][1];
  }
}

MicroKernel choose() {
#if defined(__x86_64__)
  switch (simd::level()) {
    case simd::Level::avx512:
      return {14, 32, run_avx512};
    case simd::Level::avx2:
      return {6, 16, run_avx2};
    case simd::Level::generic:
      break;
  }
#endif
  return {6, 8, run_generic};
}

}  // namespace

const MicroKernel& micro_kernel() {
  static const MicroKernel kernel = choose();
  return kernel;
}

void pack_a(const float* source, std::int64_t pitch, std::int64_t rows, std::int64_t padded_rows,
            std::int64_t depth, float factor, float* a) {
  for (std::int64_t r = 0; r < padded_rows; ++r) {
    float* row = a + r * pitch_a;
    if (r < rows) {
#pragma omp simd
      for (std::int64_t k = 0; k < depth; ++k) row[k] = factor * source[r * pitch + k];
    } else {
#pragma omp simd
      for (std::int64_t k = 0; k < depth; ++k) row[k] = 0.0f;
    }
  }
}

void pack_b(const float* source, std::int64_t pitch, std::int64_t depth, std::int64_t count,
            int columns, float* b) {
  for (std::int64_t k = 0; k < depth; ++k) {
    const float* from = source + k * pitch;
    float* to = b + k * columns;
#pragma omp simd
    for (std::int64_t c = 0; c < count; ++c) to[c] = from[c];
    for (std::int64_t c = count; c < columns; ++c) to[c] = 0.0f;
  }
}

void pack_b_transposed(const float* source, std::int64_t pitch, std::int64_t depth,
                       std::int64_t count, int columns, float* b) {
  for (std::int64_t c = 0; c < columns; ++c) {
    float* to = b + c;
    if (c < count) {
      const float* from = source + c * pitch;
      for (std::int64_t k = 0; k < depth; ++k) to[k * columns] = from[k];
    } else {
      for (std::int64_t k = 0; k < depth; ++k) to[k * columns] = 0.0f;
    }
  }
}

}  // namespace gpubench::host
