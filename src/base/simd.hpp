// Host code in three widths, chosen by the processor at run time: put GPUBENCH_SIMD_CLONES before a
// plain loop function and the compiler builds it for AVX-512, AVX2 + FMA and the baseline. (An
// attribute cannot be spelt as a function; other processors get the baseline alone.) Clones are
// never inlined and must not contain OpenMP regions. Mark their loops with `#pragma omp simd`, so
// that they are vectorised in every build type.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

// Not with the address sanitizer (the loader calls the resolvers before its runtime is up), nor
// where the C library has no indirect functions.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(__SANITIZE_ADDRESS__)
#define GPUBENCH_SIMD_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline))
#else
#define GPUBENCH_SIMD_CLONES __attribute__((noinline))
#endif

namespace gpubench::simd {

enum class Level { generic, avx2, avx512 };

// The widest level that this processor and its system can run: what the clones above take, and what
// hand-written functions must ask for before they are called.
inline Level level() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Level::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Level::avx2;
#endif
  return Level::generic;
}

// exp(x) for x <= 0 in float, for loops that are to be vectorised: no branch, no call. Largest
// error 1 ulp (1.3 without FMA), subnormal results included; minus infinity gives 0 and NaN stays
// NaN. (Right up to x = 18; a softmax never needs that.) `floor` is exp_floor(), taken once before
// the loop.
//
// Cody and Waite: x = n ln 2 + r with |r| <= ln 2 / 2, exp(x) = 2^n exp(r). Adding 1.5 * 2^23
// rounds to an integer, which is then in the low bits of the sum; with 227 more, those bits shifted
// to the exponent are 2^(n + 100), which is in range for every n from -150 to 27, and the last
// product brings the result down with a single rounding. ln 2 is split so that n * ln2_high is
// exact. The polynomial is 1 + r + r^2 q(r), q of degree 4 through the Chebyshev nodes: its error
// is a fifth of half a unit in the last place.
[[gnu::always_inline]] inline float exp_nonpositive(float x, float floor) {
  constexpr float log2_e = 0x1.715476p+0f, rounder = 0x1.8p+23f + 227.0f;
  constexpr float ln2_high = 0x1.62ep-1f, ln2_low = 0x1.0bfbe8p-15f;
  x = x < floor ? floor : x;
  const float shifted = x * log2_e + rounder;
  const float n = shifted - rounder;
  const float r = (x - n * ln2_high) - n * ln2_low;
  float p = 0x1.6d113cp-10f;
  p = p * r + 0x1.120ba2p-7f;
  p = p * r + 0x1.55551ap-5f;
  p = p * r + 0x1.5554dcp-3f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const float scale = std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23);
  return p * scale * 0x1p-100f;
}

// Where exp(x) is 0 in float. It goes through memory so that the compiler does not know it: it
// would make the clamp a branch, since it can see that the result is then constant, and compute the
// whole vector loop under masks.
[[gnu::always_inline]] inline float exp_floor() {
  volatile float floor = -104.0f;
  return floor;
}

// Sums and maxima of many values at once, each lane its own: 64 lanes are four AVX-512 vectors,
// enough that an addition need not wait for the one before it. (A plain reduction would leave the
// order of the last sixteen additions to the language, one after the other.)
inline constexpr int lanes = 64;

[[gnu::always_inline]] inline void set_lanes(float* lane, float value) {
#pragma omp simd
  for (int j = 0; j < lanes; ++j) lane[j] = value;
}

[[gnu::always_inline]] inline float sum_of_lanes(float* lane) {
  for (int width = lanes / 2; width > 0; width /= 2) {
#pragma omp simd
    for (int j = 0; j < width; ++j) lane[j] += lane[j + width];
  }
  return lane[0];
}

// The largest of n values, minus infinity for none; NaN is passed over.
[[gnu::always_inline]] inline float largest_of(const float* x, std::int64_t n) {
  alignas(64) float lane[lanes];
  set_lanes(lane, -__builtin_huge_valf());
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
#pragma omp simd
    for (int j = 0; j < lanes; ++j) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
  }
  for (int j = 0; i + j < n; ++j) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
  for (int width = lanes / 2; width > 0; width /= 2) {
#pragma omp simd
    for (int j = 0; j < width; ++j) lane[j] = lane[j + width] > lane[j] ? lane[j + width] : lane[j];
  }
  return lane[0];
}

// y = exp(x - from) for n values of which none exceeds `from`, each added to its lane. x and y may
// be the same.
[[gnu::always_inline]] inline void exponentials(const float* x, float from, float* y,
                                                std::int64_t n, float* lane) {
  const float floor = exp_floor();
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
#pragma omp simd
    for (int j = 0; j < lanes; ++j) {
      const float value = exp_nonpositive(x[i + j] - from, floor);
      y[i + j] = value;
      lane[j] += value;
    }
  }
  const int rest = static_cast<int>(n - i);
#pragma omp simd
  for (int j = 0; j < rest; ++j) {
    const float value = exp_nonpositive(x[i + j] - from, floor);
    y[i + j] = value;
    lane[j] += value;
  }
}

// Stores four floats past the caches: what is written once and not read again then costs no read of
// its line. `destination` is 16-byte aligned. Writers must call `stream_fence` before another
// thread may look. Full lines written in order are combined.
inline void stream_store(float* destination, float a, float b, float c, float d) {
#if defined(__SSE2__)
  _mm_stream_ps(destination, _mm_setr_ps(a, b, c, d));
#else
  destination[0] = a;
  destination[1] = b;
  destination[2] = c;
  destination[3] = d;
#endif
}

inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace gpubench::simd
