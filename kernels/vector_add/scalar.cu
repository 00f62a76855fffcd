// Idea: one thread adds one element; the 32 threads of a warp read and write 128 neighbouring
// bytes, so that no byte is moved in vain.
//
// Predecessor: none. The plain kernel that the ladder starts from.
//
// Bound: bytes in flight. A thread has two 4-byte loads under way, a full SM 16 KB, about what the
// latency of DRAM at full rate asks for with nothing to spare; and an address computation and a
// bounds check for every 12 bytes moved.
//
// Shapes: every n up to the parameter's limit (256 threads by 2^31 - 1 blocks hold 2^39).
#include "device/cuda/support.hpp"
#include "kernels/vector_add/problem.hpp"

namespace gpubench::vector_add {

namespace {

constexpr int threads = 256;

__global__ void __launch_bounds__(threads)
    scalar_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                  std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

void launch_scalar(const Problem& p, const Buffers& buffers, Stream stream) {
  const auto blocks = static_cast<unsigned>((p.n + threads - 1) / threads);
  scalar_kernel<<<blocks, threads, 0, cuda::native(stream)>>>(
      buffers.input<float>(0), buffers.input<float>(1), buffers.out<float>(), p.n);
  cuda::check_launch("vector_add scalar");
}

}  // namespace gpubench::vector_add
