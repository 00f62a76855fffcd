// One thread, three loops; the inner one walks along a row of B and of C, so that memory is read in
// order.
//
// First of its ladder: what a competent programmer writes first.
//
// Bound by the cache: every multiply-add loads from B and C and stores to C.
//
// Shapes: any.
#include <algorithm>

#include "kernels/matmul/problem.hpp"

namespace gpubench::matmul {

void launch_single_thread(const Problem& problem, const Buffers& buffers, Stream) {
  const float* a = buffers.input<float>(0);
  const float* b = buffers.input<float>(1);
  float* c = buffers.out<float>();
  for (std::int64_t i = 0; i < problem.m; ++i) {
    float* row = c + i * problem.n;
    std::fill(row, row + problem.n, 0.0f);
    for (std::int64_t k = 0; k < problem.k; ++k) {
      const float factor = a[i * problem.k + k];
      const float* from = b + k * problem.n;
      for (std::int64_t j = 0; j < problem.n; ++j) row[j] += factor * from[j];
    }
  }
}

}  // namespace gpubench::matmul
