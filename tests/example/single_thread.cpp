// One core, one element after the other.
// The first rung on the host: what the parallel ones are measured against.
// Bounded by what one core can draw from memory, or from its caches where x and y fit.
// Takes every shape.
#include "problem.hpp"

namespace gpubench::scale {

void launch_single_thread(const Problem& p, const Buffers& buffers, Stream) {
  const float* x = buffers.input<float>(0);
  float* y = buffers.out<float>();
  const float factor = static_cast<float>(p.factor);
  for (std::int64_t i = 0; i < p.n; ++i) y[i] = factor * x[i];
}

}  // namespace gpubench::scale
