#include "microbench/host_read.hpp"

#include <omp.h>

#include <numeric>

#include "base/simd.hpp"
#include "base/text.hpp"
#include "device/host/team.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpubench::host {
namespace {

constexpr std::int64_t page_words = 512;  // of eight bytes

// Each of these folds all words of a range (whole pages) into one sum, eight vectors at a time:
// integer additions take one clock, so that nothing but the loads is waited for.
using ReadWords = std::uint64_t (*)(const std::uint64_t* words, std::int64_t count);

#if defined(__x86_64__)
__attribute__((target("avx512f"))) std::uint64_t read_avx512(const std::uint64_t* words,
                                                             std::int64_t count) {
  __m512i sum[8];
#pragma GCC unroll 8
  for (int v = 0; v < 8; ++v) sum[v] = _mm512_setzero_si512();
  for (std::int64_t i = 0; i < count; i += 64) {
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v)
      sum[v] = _mm512_add_epi64(sum[v], _mm512_load_si512(words + i + v * 8));
  }
#pragma GCC unroll 8
  for (int v = 1; v < 8; ++v) sum[0] = _mm512_add_epi64(sum[0], sum[v]);
  alignas(64) std::uint64_t lanes[8];
  _mm512_store_si512(lanes, sum[0]);
  return std::accumulate(lanes, lanes + 8, std::uint64_t{0});
}

__attribute__((target("avx2"))) std::uint64_t read_avx2(const std::uint64_t* words,
                                                        std::int64_t count) {
  __m256i sum[8];
#pragma GCC unroll 8
  for (int v = 0; v < 8; ++v) sum[v] = _mm256_setzero_si256();
  for (std::int64_t i = 0; i < count; i += 32) {
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v)
      sum[v] = _mm256_add_epi64(
          sum[v], _mm256_load_si256(reinterpret_cast<const __m256i*>(words + i + v * 4)));
  }
#pragma GCC unroll 8
  for (int v = 1; v < 8; ++v) sum[0] = _mm256_add_epi64(sum[0], sum[v]);
  alignas(32) std::uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sum[0]);
  return std::accumulate(lanes, lanes + 4, std::uint64_t{0});
}
#endif

typedef std::uint64_t Vector2 __attribute__((vector_size(16), may_alias));

std::uint64_t read_generic(const std::uint64_t* words, std::int64_t count) {
  const auto* vectors = reinterpret_cast<const Vector2*>(words);
  Vector2 sum[8] = {};
  for (std::int64_t i = 0; i < count / 2; i += 8) {
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) sum[v] += vectors[i + v];
  }
#pragma GCC unroll 8
  for (int v = 1; v < 8; ++v) sum[0] += sum[v];
  return sum[0][0] + sum[0][1];
}

ReadWords widest() {
#if defined(__x86_64__)
  switch (simd::level()) {
    case simd::Level::avx512:
      return read_avx512;
    case simd::Level::avx2:
      return read_avx2;
    case simd::Level::generic:
      break;
  }
#endif
  return read_generic;
}

}  // namespace

CeilingCandidate read_candidate(Device& device, DataPattern pattern, std::size_t bytes, int passes,
                                const std::string& what) {
  const int threads = device.facts().multiprocessors.value_or(1);
  const std::size_t unit = 4096 * static_cast<std::size_t>(threads);
  bytes = (bytes + unit - 1) / unit * unit;
  CeilingCandidate made;
  made.memory.push_back(device.allocate(bytes));
  const auto* words = static_cast<const std::uint64_t*>(made.memory.front().data());
  if (pattern == DataPattern::random)
    device.generate(made.memory.front().data(), DType::f32, static_cast<std::int64_t>(bytes / 4),
                    Generator{.seed = 1});
  else
    device.fill(made.memory.front().data(), 0, bytes);
  made.technique = what + ", " + bytes_text(static_cast<double>(bytes)) + " on " +
                   counted(threads, "core", "cores");
  made.amount = static_cast<double>(bytes) * passes;
  made.working_set_bytes = bytes;
  const auto count = static_cast<std::int64_t>(bytes / 8);
  made.launch = [words, count, passes, threads, read = widest()](Stream) {
    std::uint64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      const Range mine = my_part(count, page_words);
      for (int pass = 0; pass < passes; ++pass) sum += read(words + mine.begin, mine.size());
    }
    volatile std::uint64_t consumed = sum;
    (void)consumed;
  };
  return made;
}

}  // namespace gpubench::host
