#include "kernels/softmax/host_span.hpp"

#include <algorithm>
#include <limits>

#include "base/simd.hpp"

#if defined(__x86_64__)
// GCC's header leaves operands undefined on purpose, of which older versions warn.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace gpubench::softmax {
namespace {

// How far ahead x is asked for, in floats: the processor's own prefetchers lose the stream among
// the stores. Past the end of x asking does no harm.
constexpr std::int64_t ahead = 2048;

GPUBENCH_SIMD_CLONES float largest(const float* x, std::int64_t n) {
  return simd::largest_of(x, n);
}

GPUBENCH_SIMD_CLONES float compute(const float* x, float from, float* values, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 16) __builtin_prefetch(x + i + ahead, 0, 3);
  alignas(64) float lane[simd::lanes];
  simd::set_lanes(lane, 0.0f);
  simd::exponentials(x, from, values, n, lane);
  return simd::sum_of_lanes(lane);
}

GPUBENCH_SIMD_CLONES void write(const float* values, float factor, float* y, std::int64_t n) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = values[i] * factor;
}

// Rows of odd length start anywhere: plain stores up to the first whole vector.
GPUBENCH_SIMD_CLONES void write_past_cache(const float* values, float factor, float* y,
                                           std::int64_t n) {
  std::int64_t i = 0;
  for (; i < n && reinterpret_cast<std::uintptr_t>(y + i) % 16 != 0; ++i) y[i] = values[i] * factor;
  for (; i + 4 <= n; i += 4)
    simd::stream_store(y + i, values[i] * factor, values[i + 1] * factor, values[i + 2] * factor,
                       values[i + 3] * factor);
  for (; i < n; ++i) y[i] = values[i] * factor;
}

// In turns, few enough stores at a time that the core can keep them waiting.
template <bool past_cache>
float compute_and_write(const float* x, float from, float* values, float factor, float* y,
                        std::int64_t n) {
  constexpr std::int64_t chunk = 256;
  float sum = 0;
  for (std::int64_t i = 0; i < n; i += chunk) {
    const std::int64_t size = std::min(chunk, n - i);
    (past_cache ? write_past_cache : write)(values + i, factor, y + i, size);
    sum += compute(x + i, from, values + i, size);
  }
  return sum;
}

#if defined(__x86_64__)
// exp(x) for x <= 0. As simd::exp_nonpositive, but as 2^t with t = x log2 e = n + r, and scaled by
// an instruction that handles subnormal results: three quarters of the time. The polynomial is 1 +
// r q(r), q of degree 5 with the least maximum error, 0.3 u with rounded coefficients (u = 2^-24).
// log2 e is off by 0.2 u, which x multiplies.
__attribute__((target("avx512f"), always_inline)) inline __m512 exp_avx512(__m512 x) {
  const __m512 log2_e = _mm512_set1_ps(0x1.715476p+0f), rounder = _mm512_set1_ps(0x1.8p+23f);
  // Keeps NaN, which is the second operand.
  x = _mm512_max_ps(_mm512_set1_ps(-104.0f), x);
  const __m512 n = _mm512_sub_ps(_mm512_fmadd_ps(x, log2_e, rounder), rounder);
  const __m512 r = _mm512_fmsub_ps(x, log2_e, n);
  __m512 p = _mm512_set1_ps(0x1.41fbcp-13f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.5f3e54p-10f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.3b2d4cp-7f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.c6aee8p-5f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.ebfbdcp-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.62e43p-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p, n);
}

__attribute__((target("avx512f"))) float largest_avx512(const float* x, std::int64_t n) {
  const __m512 none = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  __m512 lane[4] = {none, none, none, none};
  std::int64_t i = 0;
  // The second operand stays where the first is NaN.
  for (; i + 64 <= n; i += 64) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) lane[v] = _mm512_max_ps(_mm512_loadu_ps(x + i + v * 16), lane[v]);
  }
  for (; i < n; i += 16) {
    const auto mask = static_cast<__mmask16>((1u << std::min<std::int64_t>(16, n - i)) - 1);
    lane[0] = _mm512_max_ps(_mm512_mask_loadu_ps(none, mask, x + i), lane[0]);
  }
  lane[0] = _mm512_max_ps(lane[0], lane[1]);
  lane[2] = _mm512_max_ps(lane[2], lane[3]);
  return _mm512_reduce_max_ps(_mm512_max_ps(lane[0], lane[2]));
}

__attribute__((target("avx512f"), always_inline)) inline float sum_avx512(const __m512* lane) {
  return _mm512_reduce_add_ps(
      _mm512_add_ps(_mm512_add_ps(lane[0], lane[1]), _mm512_add_ps(lane[2], lane[3])));
}

enum class Store { none, plain, past_cache };

// `n` elements, at most 16.
template <bool computes, Store store>
__attribute__((target("avx512f"), always_inline)) inline void part_avx512(
    const float* x, __m512 from, float* values, __m512 factor, float* y, std::int64_t n,
    __m512& sum) {
  const auto mask = static_cast<__mmask16>((1u << n) - 1);
  if constexpr (store != Store::none) {
    const __m512 out = _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, values), factor);
    if constexpr (store == Store::past_cache) {
      // The rest of the line comes with the next span, and both leave as one. A plain store would
      // first read the line, and all stores after it would wait.
      alignas(64) int words[16];
      _mm512_store_si512(words, _mm512_castps_si512(out));
      for (std::int64_t i = 0; i < n; ++i) _mm_stream_si32(reinterpret_cast<int*>(y + i), words[i]);
    } else {
      _mm512_mask_storeu_ps(y, mask, out);
    }
  }
  if constexpr (computes) {
    const __m512 e = exp_avx512(_mm512_sub_ps(_mm512_mask_loadu_ps(from, mask, x), from));
    _mm512_mask_storeu_ps(values, mask, e);
    sum = _mm512_mask_add_ps(sum, mask, sum, e);
  }
}

template <bool computes, Store store>
__attribute__((target("avx512f"))) float span_avx512(const float* x, float from, float* values,
                                                     float factor, float* y, std::int64_t n) {
  const __m512 froms = _mm512_set1_ps(from), factors = _mm512_set1_ps(factor);
  __m512 sum[4];
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) sum[v] = _mm512_setzero_ps();
  std::int64_t i = 0;
  if (store == Store::past_cache) {
    // Stores past the cache want whole lines.
    const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(y) / 4 % 16);
    i = std::min(n, (16 - misaligned) % 16);
    if (i > 0) part_avx512<computes, store>(x, froms, values, factors, y, i, sum[0]);
  }
  for (; i + 64 <= n; i += 64) {
    if constexpr (computes) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) __builtin_prefetch(x + i + v * 16 + ahead, 0, 3);
    }
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const std::int64_t at = i + v * 16;
      if constexpr (store != Store::none) {
        const __m512 out = _mm512_mul_ps(_mm512_loadu_ps(values + at), factors);
        if constexpr (store == Store::past_cache)
          _mm512_stream_ps(y + at, out);
        else
          _mm512_storeu_ps(y + at, out);
      }
      if constexpr (computes) {
        const __m512 e = exp_avx512(_mm512_sub_ps(_mm512_loadu_ps(x + at), froms));
        _mm512_storeu_ps(values + at, e);
        sum[v] = _mm512_add_ps(sum[v], e);
      }
    }
  }
  for (; i < n; i += 16)
    part_avx512<computes, store>(x + i, froms, values + i, factors, y + i,
                                 std::min<std::int64_t>(16, n - i), sum[1]);
  return computes ? sum_avx512(sum) : 0.0f;
}

template <Store store>
SpanFunctions functions_avx512() {
  return {largest_avx512,
          [](const float* x, float from, float* values, std::int64_t n) {
            return span_avx512<true, Store::none>(x, from, values, 0, values, n);
          },
          [](const float* values, float factor, float* y, std::int64_t n) {
            // It reads no x and changes no values.
            span_avx512<false, store>(y, 0, const_cast<float*>(values), factor, y, n);
          },
          span_avx512<true, store>};
}
#endif

}  // namespace

SpanFunctions span_functions(bool past_cache) {
#if defined(__x86_64__)
  if (simd::level() == simd::Level::avx512)
    return past_cache ? functions_avx512<Store::past_cache>() : functions_avx512<Store::plain>();
#endif
  if (past_cache) return {largest, compute, write_past_cache, compute_and_write<true>};
  return {largest, compute, write, compute_and_write<false>};
}

}  // namespace gpubench::softmax
