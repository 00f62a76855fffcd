// One thread, three passes over a row: largest value, exponentials and their sum, division.
//
// First of its ladder: the textbook's numerically safe softmax.
//
// Bound by the library's expf, one number at a time.
//
// Shapes: any.
#include <cmath>
#include <limits>

#include "kernels/softmax/problem.hpp"

namespace gpubench::softmax {

void launch_single_thread(const Problem& problem, const Buffers& buffers, Stream) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (std::int64_t r = 0; r < problem.rows; ++r) {
    const float* x = buffers.input<float>(0) + r * problem.columns;
    float* y = buffers.out<float>() + r * problem.columns;
    float largest = -infinity;
    for (std::int64_t c = 0; c < problem.columns; ++c) largest = x[c] > largest ? x[c] : largest;
    // A row of minus infinities: take 0 as its largest, so that every exponential is 0.
    if (largest == -infinity) largest = 0;
    // In double: a running float sum drifts on long rows.
    double sum = 0;
    for (std::int64_t c = 0; c < problem.columns; ++c) {
      y[c] = std::exp(x[c] - largest);
      sum += static_cast<double>(y[c]);
    }
    const float factor = sum == 0 ? 0.0f : static_cast<float>(1 / sum);
    for (std::int64_t c = 0; c < problem.columns; ++c) y[c] *= factor;
  }
}

}  // namespace gpubench::softmax
