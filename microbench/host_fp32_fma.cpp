// Ceiling fp32_fma of the host: multiply-adds in registers on all cores, for each vector unit the
// processor has. An FMA has a latency of four or five clocks and two of them start in one: at least
// ten chains that do not depend on each other fill the pipes; sixteen are kept here (twelve where
// there are only sixteen registers). The loop's own two instructions take no vector pipe.
// x = x * a + b cannot be folded: the compiler may not reorder float arithmetic.
#include <omp.h>

#include <numeric>
#include <string>

#include "base/simd.hpp"
#include "microbench/specs.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace gpubench {
namespace {

// Factor and term keep every chain near 1: no overflow, no subnormal numbers.
constexpr float factor = 0.999f, term = 0.001f;
constexpr std::int64_t steps = 1 << 18;

using Chains = float (*)(std::int64_t steps);

#if defined(__x86_64__)
__attribute__((target("avx512f"), noinline)) float chains_avx512(std::int64_t count) {
  const __m512 a = _mm512_set1_ps(factor), b = _mm512_set1_ps(term);
  __m512 x[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) x[i] = _mm512_set1_ps(1.0f + 0.01f * static_cast<float>(i));
  for (std::int64_t step = 0; step < count; ++step) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = _mm512_fmadd_ps(x[i], a, b);
  }
  __m512 sum = x[0];
#pragma GCC unroll 16
  for (int i = 1; i < 16; ++i) sum = _mm512_add_ps(sum, x[i]);
  alignas(64) float lanes[16];
  _mm512_store_ps(lanes, sum);
  return std::accumulate(lanes, lanes + 16, 0.0f);
}

__attribute__((target("avx2,fma"), noinline)) float chains_avx2(std::int64_t count) {
  const __m256 a = _mm256_set1_ps(factor), b = _mm256_set1_ps(term);
  __m256 x[12];
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) x[i] = _mm256_set1_ps(1.0f + 0.01f * static_cast<float>(i));
  for (std::int64_t step = 0; step < count; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) x[i] = _mm256_fmadd_ps(x[i], a, b);
  }
  __m256 sum = x[0];
#pragma GCC unroll 12
  for (int i = 1; i < 12; ++i) sum = _mm256_add_ps(sum, x[i]);
  alignas(32) float lanes[8];
  _mm256_store_ps(lanes, sum);
  return std::accumulate(lanes, lanes + 8, 0.0f);
}
#endif

typedef float Vector4 __attribute__((vector_size(16)));

// SSE2 has no FMA and multiplies, then adds: still two operations a lane.
__attribute__((noinline)) float chains_generic(std::int64_t count) {
  const Vector4 a = {factor, factor, factor, factor}, b = {term, term, term, term};
  Vector4 x[12];
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) {
    const float start = 1.0f + 0.01f * static_cast<float>(i);
    x[i] = Vector4{start, start, start, start};
  }
  for (std::int64_t step = 0; step < count; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) x[i] = x[i] * a + b;
  }
  Vector4 sum = x[0];
#pragma GCC unroll 12
  for (int i = 1; i < 12; ++i) sum += x[i];
  return sum[0] + sum[1] + sum[2] + sum[3];
}

CeilingCandidate candidate(const DeviceFacts& facts, std::string_view unit, int chains, int lanes,
                           Chains function) {
  const int threads = facts.multiprocessors.value_or(1);
  CeilingCandidate made;
  made.technique = std::string(unit) + ", " + std::to_string(chains) +
                   " independent vector chains on each of " + std::to_string(threads) + " cores";
  made.amount = 2.0 * lanes * chains * static_cast<double>(steps) * threads;
  made.launch = [function, threads](Stream) {
    // The results are consumed, or the compiler would drop the work.
    float sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += function(steps);
    volatile float consumed = sum;
    (void)consumed;
  };
  return made;
}

std::vector<CeilingCandidate> prepare(Device& device, DataPattern) {
  std::vector<CeilingCandidate> candidates;
#if defined(__x86_64__)
  // Both: some processors lower their clock for the wider unit by more than it gains.
  const simd::Level level = simd::level();
  if (level == simd::Level::avx512)
    candidates.push_back(candidate(device.facts(), "AVX-512 FMA", 16, 16, chains_avx512));
  if (level == simd::Level::avx512 || level == simd::Level::avx2)
    candidates.push_back(candidate(device.facts(), "AVX2 FMA", 12, 8, chains_avx2));
#endif
  if (candidates.empty())
    candidates.push_back(candidate(device.facts(), "128-bit multiply-add", 12, 4, chains_generic));
  return candidates;
}

// Multiply-adds a clock and core, as FLOP: pipes times lanes times two. Two 256-bit pipes have been
// the rule since Haswell and Zen 2. With AVX-512: Zen 4 (family 19h) joins the two for one 512-bit
// operation, Zen 5 (1Ah, the parts with full data paths) has two, as has every server core with
// AMX; of other cores this is not known (vendors' optimisation manuals).
std::optional<double> flops_a_clock(const DeviceFacts& facts) {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (facts.vector_unit == "avx2") return 32;
  if (facts.vector_unit != "avx512" || !__get_cpuid(0, &a, &b, &c, &d)) return std::nullopt;
  const bool amd = b == signature_AMD_ebx;
  if (amd && __get_cpuid(1, &a, &b, &c, &d)) {
    const unsigned family = ((a >> 8) & 15) + ((a >> 20) & 255);
    if (family == 0x19) return 32;
    if (family == 0x1a) return 64;
    return std::nullopt;
  }
  if (!amd && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & (1u << 24))) return 64;  // AMX-TILE
#else
  (void)facts;
#endif
  return std::nullopt;
}

std::optional<double> theoretical(const DeviceFacts& facts) {
  const auto flops = flops_a_clock(facts);
  if (!flops || !facts.sm_clock_max_hz || !facts.multiprocessors) return std::nullopt;
  return *flops * *facts.sm_clock_max_hz * *facts.multiprocessors;
}

}  // namespace

CeilingSpec host_fp32_fma() {
  CeilingSpec spec;
  spec.name = "fp32_fma";
  spec.unit = "flop/s";
  spec.device = DeviceKind::host;
  spec.scales_with_clock = true;
  spec.from_s = 0.1;
  spec.until_s = 0.3;
  spec.theoretical = theoretical;
  spec.prepare = prepare;
  return spec;
}

}  // namespace gpubench
