#include "device/cuda/support.hpp"
#include "tests/gate/spin.hpp"

namespace gpubench::gate {
namespace {

__device__ std::uint64_t now_ns() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

__global__ void mark_kernel(std::uint64_t* mark) {
  *mark = now_ns();
}

// Arithmetic, not idling: on a card that is limited by its power a pause would be given back as a
// higher clock.
__global__ void prolong_kernel(const std::uint64_t* mark, double share, float* sink) {
  const std::uint64_t began = *mark;
  const std::uint64_t until =
      began + static_cast<std::uint64_t>((1 + share) * static_cast<double>(now_ns() - began));
  float value = static_cast<float>(threadIdx.x) * 1e-3f;
  while (now_ns() < until) {
#pragma unroll
    for (int i = 0; i < 64; ++i) value = value * value - 0.5f;
  }
  if (value > 1e30f) *sink = value;
}

}  // namespace

void launch_mark(std::uint64_t* mark, Stream stream) {
  mark_kernel<<<1, 1, 0, cuda::native(stream)>>>(mark);
  cuda::check_launch("mark of a slowed twin");
}

void launch_prolong(const std::uint64_t* mark, double share, int multiprocessors, float* sink,
                    Stream stream) {
  prolong_kernel<<<static_cast<unsigned>(multiprocessors), 1024, 0, cuda::native(stream)>>>(
      mark, share, sink);
  cuda::check_launch("spin of a slowed twin");
}

}  // namespace gpubench::gate
