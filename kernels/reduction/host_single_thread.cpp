// One thread, one running sum in double: the first loop that is also right. (A running sum in float
// loses the answer at 2^26 elements: the sum outgrows what it adds.)
//
// First of its ladder.
//
// Bound by the latency of one addition after the other, three or four clocks an element.
//
// Shapes: any.
#include "kernels/reduction/problem.hpp"

namespace gpubench::reduction {

void launch_single_thread(const Problem& problem, const Buffers& buffers, Stream) {
  const float* x = buffers.input<float>(0);
  double sum = 0;
  for (std::int64_t i = 0; i < problem.n; ++i) sum += static_cast<double>(x[i]);
  *buffers.out<float>() = static_cast<float>(sum);
}

}  // namespace gpubench::reduction
