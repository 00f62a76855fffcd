// All cores, each on its own contiguous part; where the arrays exceed the cache, c is written past
// it.
//
// Against single_thread: every core's share of the bandwidth, and no read of c's lines: 12 bytes an
// element move, not 16.
//
// Bound by DRAM (by the cache where the arrays fit).
//
// Shapes: any.
#include "base/simd.hpp"
#include "device/host/last_level.hpp"
#include "device/host/team.hpp"
#include "kernels/vector_add/problem.hpp"

namespace gpubench::vector_add {
namespace {

GPUBENCH_SIMD_CLONES void add(const float* a, const float* b, float* c, std::int64_t begin,
                              std::int64_t end) {
#pragma omp simd
  for (std::int64_t i = begin; i < end; ++i) c[i] = a[i] + b[i];
}

// `begin` is a multiple of the 64-byte line, and the arrays start on one.
GPUBENCH_SIMD_CLONES void add_past_cache(const float* a, const float* b, float* c,
                                         std::int64_t begin, std::int64_t end) {
  std::int64_t i = begin;
  for (; i + 16 <= end; i += 16)
    for (std::int64_t j = i; j < i + 16; j += 4)
      simd::stream_store(c + j, a[j] + b[j], a[j + 1] + b[j + 1], a[j + 2] + b[j + 2],
                         a[j + 3] + b[j + 3]);
  for (; i < end; ++i) c[i] = a[i] + b[i];
  simd::stream_fence();
}

}  // namespace

void launch_parallel_vectorized(const Problem& problem, const Buffers& buffers, Stream) {
  const float* a = buffers.input<float>(0);
  const float* b = buffers.input<float>(1);
  float* c = buffers.out<float>();
  const bool past_cache = 12 * problem.n > host::last_level_bytes();
#pragma omp parallel
  {
    const host::Range mine = host::my_part(problem.n, 1024);
    if (past_cache)
      add_past_cache(a, b, c, mine.begin, mine.end);
    else
      add(a, b, c, mine.begin, mine.end);
  }
}

}  // namespace gpubench::vector_add
