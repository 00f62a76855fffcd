// All cores, each on its own part, in blocks of 1024: 64 sums in float a block, the blocks' sums in
// double.
//
// Against single_thread: 64 additions that do not wait for each other instead of one after the
// other; all cores' bandwidth.
//
// Bound by DRAM reads (by the cache where x fits).
//
// Shapes: any.
#include <vector>

#include "base/simd.hpp"
#include "device/host/team.hpp"
#include "kernels/reduction/problem.hpp"

namespace gpubench::reduction {
namespace {

constexpr std::int64_t block = 1024;

// A lane takes 16 additions, then the lanes are added as a tree: rounding errors of a tree's lower
// levels, and nothing is lost in the double above.
GPUBENCH_SIMD_CLONES double sum_of(const float* x, std::int64_t n) {
  double sum = 0;
  std::int64_t i = 0;
  for (; i + block <= n; i += block) {
    alignas(64) float lane[simd::lanes];
    simd::set_lanes(lane, 0.0f);
    for (std::int64_t k = i; k < i + block; k += simd::lanes) {
#pragma omp simd
      for (int j = 0; j < simd::lanes; ++j) lane[j] += x[k + j];
    }
    sum += static_cast<double>(simd::sum_of_lanes(lane));
  }
  for (; i < n; ++i) sum += static_cast<double>(x[i]);
  return sum;
}

}  // namespace

void launch_parallel_vectorized(const Problem& problem, const Buffers& buffers, Stream) {
  const float* x = buffers.input<float>(0);
  // One line each, so that no two threads write to one line. Added in their order: every launch
  // gives the same bits.
  struct alignas(64) Partial {
    double sum = 0;
  };
  std::vector<Partial> partials(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    const host::Range mine = host::my_part(problem.n, 1024);
    partials[static_cast<std::size_t>(omp_get_thread_num())].sum =
        sum_of(x + mine.begin, mine.size());
  }
  double sum = 0;
  for (const Partial& partial : partials) sum += partial.sum;
  *buffers.out<float>() = static_cast<float>(sum);
}

}  // namespace gpubench::reduction
