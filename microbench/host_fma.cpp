// Multiply-adds in registers on all cores, for each vector unit the processor has. An FMA has a
// latency of four or five clocks and two of them start in one: at least ten chains that do not
// depend on each other fill the pipes; sixteen are kept here (twelve where there are only sixteen
// registers). The loop's own two instructions take no vector pipe. x = x * a + b cannot be folded:
// the compiler may not reorder floating-point arithmetic.
#include "microbench/host_fma.hpp"

#include <omp.h>

#include <string>

#include "base/simd.hpp"
#include "base/text.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace gpubench::host {
namespace {

// Factor and term keep every chain near 1: no overflow, no subnormal numbers.
template <class T>
constexpr T factor = T(0.999);
template <class T>
constexpr T term = T(0.001);
constexpr std::int64_t steps = 1 << 18;

template <class T>
constexpr T start(int chain) {
  return T(1) + T(0.01) * static_cast<T>(chain);
}

template <class T>
using Chains = T (*)(std::int64_t steps);

#if defined(__x86_64__)
// The compiler does not fuse x * a + b by itself.
__attribute__((target("avx512f"), always_inline)) inline __m512 fused(__m512 x, __m512 a,
                                                                      __m512 b) {
  return _mm512_fmadd_ps(x, a, b);
}
__attribute__((target("avx512f"), always_inline)) inline __m512d fused(__m512d x, __m512d a,
                                                                       __m512d b) {
  return _mm512_fmadd_pd(x, a, b);
}
__attribute__((target("avx2,fma"), always_inline)) inline __m256 fused(__m256 x, __m256 a,
                                                                       __m256 b) {
  return _mm256_fmadd_ps(x, a, b);
}
__attribute__((target("avx2,fma"), always_inline)) inline __m256d fused(__m256d x, __m256d a,
                                                                        __m256d b) {
  return _mm256_fmadd_pd(x, a, b);
}

// The next three are one function in three widths: the vector unit is an attribute of a function,
// which no template argument reaches.
template <class T>
__attribute__((target("avx512f"), noinline)) T chains_avx512(std::int64_t count) {
  typedef T Vector __attribute__((vector_size(64)));
  const Vector a = Vector{} + factor<T>, b = Vector{} + term<T>;
  Vector x[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) x[i] = Vector{} + start<T>(i);
  for (std::int64_t step = 0; step < count; ++step) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = fused(x[i], a, b);
  }
  Vector sum = x[0];
#pragma GCC unroll 16
  for (int i = 1; i < 16; ++i) sum += x[i];
  T total = 0;
  for (std::size_t lane = 0; lane < 64 / sizeof(T); ++lane) total += sum[lane];
  return total;
}

template <class T>
__attribute__((target("avx2,fma"), noinline)) T chains_avx2(std::int64_t count) {
  typedef T Vector __attribute__((vector_size(32)));
  const Vector a = Vector{} + factor<T>, b = Vector{} + term<T>;
  Vector x[12];
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) x[i] = Vector{} + start<T>(i);
  for (std::int64_t step = 0; step < count; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) x[i] = fused(x[i], a, b);
  }
  Vector sum = x[0];
#pragma GCC unroll 12
  for (int i = 1; i < 12; ++i) sum += x[i];
  T total = 0;
  for (std::size_t lane = 0; lane < 32 / sizeof(T); ++lane) total += sum[lane];
  return total;
}
#endif

// SSE2 has no FMA and multiplies, then adds: still two operations a lane.
template <class T>
__attribute__((noinline)) T chains_generic(std::int64_t count) {
  typedef T Vector __attribute__((vector_size(16)));
  const Vector a = Vector{} + factor<T>, b = Vector{} + term<T>;
  Vector x[12];
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) x[i] = Vector{} + start<T>(i);
  for (std::int64_t step = 0; step < count; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) x[i] = x[i] * a + b;
  }
  Vector sum = x[0];
#pragma GCC unroll 12
  for (int i = 1; i < 12; ++i) sum += x[i];
  T total = 0;
  for (std::size_t lane = 0; lane < 16 / sizeof(T); ++lane) total += sum[lane];
  return total;
}

template <class T>
CeilingCandidate candidate(const DeviceFacts& facts, std::string_view unit, int chains,
                           int vector_bytes, Chains<T> function) {
  const int threads = facts.multiprocessors.value_or(1);
  const int lanes = vector_bytes / static_cast<int>(sizeof(T));
  CeilingCandidate made;
  made.technique = std::string(unit) + ", " + std::to_string(chains) +
                   " independent vector chains a core, on " + counted(threads, "core", "cores");
  made.amount = 2.0 * lanes * chains * static_cast<double>(steps) * threads;
  made.launch = [function, threads](Stream) {
    // The results are consumed, or the compiler would drop the work.
    T sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += function(steps);
    volatile T consumed = sum;
    (void)consumed;
  };
  return made;
}

template <class T>
std::vector<CeilingCandidate> prepare(Device& device, DataPattern) {
  std::vector<CeilingCandidate> candidates;
#if defined(__x86_64__)
  // Both: some processors lower their clock for the wider unit by more than it gains.
  const simd::Level level = simd::level();
  if (level == simd::Level::avx512)
    candidates.push_back(candidate<T>(device.facts(), "AVX-512 FMA", 16, 64, chains_avx512<T>));
  if (level == simd::Level::avx512 || level == simd::Level::avx2)
    candidates.push_back(candidate<T>(device.facts(), "AVX2 FMA", 12, 32, chains_avx2<T>));
#endif
  if (candidates.empty())
    candidates.push_back(
        candidate<T>(device.facts(), "128-bit multiply-add", 12, 16, chains_generic<T>));
  return candidates;
}

// Bytes of vectors that a core multiplies and adds a clock: pipes times width. Two 256-bit pipes
// have been the rule since Haswell and Zen 2. With AVX-512: Zen 4 (family 19h) joins the two for
// one 512-bit operation, Zen 5 (1Ah, the parts with full data paths) has two, as has every server
// core with AMX; of other cores this is not known (vendors' optimisation manuals).
std::optional<double> bytes_a_clock(const DeviceFacts& facts) {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (facts.vector_unit == "avx2") return 64;
  if (facts.vector_unit != "avx512" || !__get_cpuid(0, &a, &b, &c, &d)) return std::nullopt;
  const bool amd = b == signature_AMD_ebx;
  if (amd && __get_cpuid(1, &a, &b, &c, &d)) {
    const unsigned family = ((a >> 8) & 15) + ((a >> 20) & 255);
    if (family == 0x19) return 64;
    if (family == 0x1a) return 128;
    return std::nullopt;
  }
  if (!amd && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & (1u << 24))) return 128;  // AMX-TILE
#else
  (void)facts;
#endif
  return std::nullopt;
}

template <class T>
std::optional<double> theoretical(const DeviceFacts& facts) {
  const auto bytes = bytes_a_clock(facts);
  if (!bytes || !facts.sm_clock_max_hz || !facts.multiprocessors) return std::nullopt;
  return 2 * *bytes / sizeof(T) * *facts.sm_clock_max_hz * *facts.multiprocessors;
}

}  // namespace

template <class T>
CeilingSpec fma_spec(std::string_view name) {
  CeilingSpec spec;
  spec.name = name;
  spec.unit = "flop/s";
  spec.device = DeviceKind::host;
  spec.scales_with_clock = true;
  spec.from_s = 0.1;
  spec.until_s = 0.3;
  spec.theoretical = theoretical<T>;
  spec.prepare = prepare<T>;
  return spec;
}

template CeilingSpec fma_spec<float>(std::string_view);
template CeilingSpec fma_spec<double>(std::string_view);

}  // namespace gpubench::host
