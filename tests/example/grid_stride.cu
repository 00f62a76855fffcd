// One thread an element; where the grid ends, each thread goes on by the size of the grid.
// The first rung: no predecessor.
// Bounded by DRAM for large N, though 4-byte accesses keep fewer bytes in flight than 16-byte ones.
// Takes every shape.
#include <algorithm>

#include "device/cuda/support.hpp"
#include "problem.hpp"

namespace gpubench::scale {
namespace {

constexpr int block = 256;
constexpr std::int64_t most_blocks = 65535;

__global__ void grid_stride(std::int64_t n, float factor, const float* x, float* y) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x; i < n;
       i += stride)
    y[i] = factor * x[i];
}

}  // namespace

void launch_grid_stride(const Problem& p, const Buffers& buffers, Stream stream) {
  const auto blocks = static_cast<unsigned>(std::min((p.n + block - 1) / block, most_blocks));
  grid_stride<<<blocks, block, 0, cuda::native(stream)>>>(
      p.n, static_cast<float>(p.factor), buffers.input<float>(0), buffers.out<float>());
  cuda::check_launch("scale grid_stride");
}

}  // namespace gpubench::scale
