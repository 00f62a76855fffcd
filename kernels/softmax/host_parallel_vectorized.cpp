// All cores, each on its own rows; a row is read once, its exponentials wait in the cache for their
// sum, and go to memory while the next row is computed.
//
// Against single_thread: a vectorised exponential (relative to the largest value of its block; the
// blocks are brought to the row's on the way out), one read and one write of memory for three
// passes, all cores.
//
// Bound by the exponential and, close behind it, by DRAM.
//
// Shapes: any; with fewer rows than cores the other cores have nothing to do.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/simd.hpp"
#include "device/host/last_level.hpp"
#include "device/host/scratch.hpp"
#include "device/host/team.hpp"
#include "kernels/softmax/problem.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpubench::softmax {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
// Columns that share a maximum.
constexpr std::int64_t block = 1024;
// So many columns are computed, then so many of the last row written, in turns: as many stores as
// the core can keep waiting while it computes.
constexpr std::int64_t chunk = 256;
// How far ahead x is asked for: about the time of a page from memory.
constexpr std::int64_t ahead = 2048;
// Longer rows do not fit the second-level cache: their exponentials wait where the output goes.
constexpr std::int64_t longest_waiting = 1 << 17;

GPUBENCH_SIMD_CLONES float largest_of(const float* x, std::int64_t n) {
  return simd::largest_of(x, n);
}

GPUBENCH_SIMD_CLONES void exponentials(const float* x, float from, float* y, std::int64_t n,
                                       float* lane) {
  simd::exponentials(x, from, y, n, lane);
}

GPUBENCH_SIMD_CLONES void scale(const float* from, float factor, float* to, std::int64_t n) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i] * factor;
}

// The same, past the cache. Rows of odd length start anywhere: plain stores up to the first whole
// vector.
GPUBENCH_SIMD_CLONES void scale_past_cache(const float* from, float factor, float* to,
                                           std::int64_t n) {
  std::int64_t i = 0;
  for (; i < n && reinterpret_cast<std::uintptr_t>(to + i) % 16 != 0; ++i) to[i] = from[i] * factor;
  for (; i + 4 <= n; i += 4)
    simd::stream_store(to + i, from[i] * factor, from[i + 1] * factor, from[i + 2] * factor,
                       from[i + 3] * factor);
  for (; i < n; ++i) to[i] = from[i] * factor;
}

#if defined(__x86_64__)
// A store of a whole line takes one place in the core's queue instead of four: more of them wait
// while the next row is computed, a sixth of the time.
__attribute__((target("avx512f"))) void scale_past_cache_avx512(const float* from, float factor,
                                                                float* to, std::int64_t n) {
  const __m512 factors = _mm512_set1_ps(factor);
  std::int64_t i = 0;
  for (; i < n && reinterpret_cast<std::uintptr_t>(to + i) % 64 != 0; ++i) to[i] = from[i] * factor;
  for (; i + 16 <= n; i += 16)
    _mm512_stream_ps(to + i, _mm512_mul_ps(_mm512_loadu_ps(from + i), factors));
  for (; i < n; ++i) to[i] = from[i] * factor;
}
#endif

using Scale = void (*)(const float* from, float factor, float* to, std::int64_t n);

Scale scale_for(bool past_cache) {
  if (!past_cache) return scale;
#if defined(__x86_64__)
  if (simd::level() == simd::Level::avx512) return scale_past_cache_avx512;
#endif
  return scale_past_cache;
}

// Asks for `n` floats, so that they are in the second-level cache when their turn comes: the
// processor's own prefetchers lose the stream among the stores.
void prefetch(const float* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 16) __builtin_prefetch(x + i, 0, 2);
}

// A row between its exponentials and its output.
struct Waiting {
  float* values = nullptr;   // exp(x - largest value of the block)
  float* factors = nullptr;  // of a block: its largest value, later what its values are scaled by
};

float exp_of(float x) {
  return simd::exp_nonpositive(x, simd::exp_floor());
}

// Turns the blocks' largest values into factors, given their sums.
void finish(Waiting& row, const float* sums, std::int64_t blocks) {
  float largest = -infinity;
  for (std::int64_t b = 0; b < blocks; ++b)
    largest = row.factors[b] > largest ? row.factors[b] : largest;
  // A row of minus infinities: measured from 0, every block's share is 0, and so is every output.
  const float from = largest == -infinity ? 0.0f : largest;
  double sum = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    row.factors[b] = exp_of(row.factors[b] - from);
    sum += static_cast<double>(sums[b]) * static_cast<double>(row.factors[b]);
  }
  for (std::int64_t b = 0; b < blocks; ++b)
    row.factors[b] =
        sum == 0 ? 0.0f : static_cast<float>(static_cast<double>(row.factors[b]) / sum);
}

}  // namespace

void launch_parallel_vectorized(const Problem& problem, const Buffers& buffers, Stream) {
  const std::int64_t columns = problem.columns;
  const std::int64_t blocks = (columns + block - 1) / block;
  const bool in_place = columns > longest_waiting;
  const bool past_cache = !in_place && 8 * problem.rows * columns > host::last_level_bytes();
  const Scale put = scale_for(past_cache);
#pragma omp parallel
  {
    const host::Range mine = host::my_part(problem.rows, 1);
    thread_local host::Scratch scratch;
    const std::int64_t padded = in_place ? 0 : (columns + 15) / 16 * 16;
    float* memory = scratch.floats(static_cast<std::size_t>(2 * padded + 3 * blocks));
    float* sums = memory + 2 * padded;
    Waiting now{memory, sums + blocks}, before{memory + padded, sums + 2 * blocks};
    // One turn more than rows: the last one only writes.
    for (std::int64_t r = mine.begin; r <= mine.end && mine.size() > 0; ++r) {
      const float* x = buffers.input<float>(0) + r * columns;
      float* y = buffers.out<float>() + std::max(r - 1, mine.begin) * columns;
      if (in_place && r < mine.end) now.values = buffers.out<float>() + r * columns;
      // Columns of this thread's rows from x on.
      const std::int64_t left = (mine.end - r) * columns;
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t start = b * block, end = std::min(columns, start + block);
        alignas(64) float lane[simd::lanes];
        float from = 0;
        if (r < mine.end) {
          simd::set_lanes(lane, 0.0f);
          now.factors[b] = largest_of(x + start, end - start);
          from = now.factors[b] == -infinity ? 0.0f : now.factors[b];
        }
        for (std::int64_t c = start; c < end; c += chunk) {
          const std::int64_t n = std::min(chunk, end - c);
          if (r < mine.end) {
            if (left > c + ahead) prefetch(x + c + ahead, std::min(chunk, left - c - ahead));
            exponentials(x + c, from, now.values + c, n, lane);
          }
          if (r > mine.begin) put(before.values + c, before.factors[b], y + c, n);
        }
        if (r < mine.end) sums[b] = simd::sum_of_lanes(lane);
      }
      if (r < mine.end) finish(now, sums, blocks);
      std::swap(now, before);
    }
    if (past_cache) simd::stream_fence();
  }
}

}  // namespace gpubench::softmax
