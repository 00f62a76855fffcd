// One thread, one addition after the other: the loop everybody writes first.
//
// First of its ladder: the honest baseline of "times faster than a CPU".
//
// Bound by the memory accesses that one core can keep in flight, and by reading c's lines only to
// overwrite them.
//
// Shapes: any.
#include "kernels/vector_add/problem.hpp"

namespace gpubench::vector_add {

void launch_single_thread(const Problem& problem, const Buffers& buffers, Stream) {
  const float* a = buffers.input<float>(0);
  const float* b = buffers.input<float>(1);
  float* c = buffers.out<float>();
  for (std::int64_t i = 0; i < problem.n; ++i) c[i] = a[i] + b[i];
}

}  // namespace gpubench::vector_add
