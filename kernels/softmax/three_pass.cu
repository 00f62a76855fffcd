// Idea: a block takes a row and walks it three times: maximum, sum of exponentials, write. Threads
// meet through warp shuffles, and once a reduction through a slot a warp in shared memory.
// Against its predecessor: it is the first rung. 16-byte accesses start at the row's first aligned
// address, so that odd row lengths use them too; the block grows with the row.
// Bound by: DRAM for the first pass and the write; the second and third pass hit L1 or L2 as long
// as the rows in flight fit there, and a block moves no DRAM bytes meanwhile. Keeping the row in
// registers, which ends the re-reading and two thirds of the exponentials' loads, is the next rung.
// Shapes: any rows, columns < 2^30.
#include <algorithm>
#include <cstdint>

#include "device/cuda/support.hpp"
#include "kernels/softmax/problem.hpp"
#include "kernels/softmax/row.cuh"

namespace gpubench::softmax {
namespace {

__global__ void __launch_bounds__(max_row_threads, row_blocks)
    three_pass(const float* __restrict__ x, float* __restrict__ y, std::int64_t rows, int columns) {
  __shared__ RowScratch scratch;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    softmax_row(x + row * columns, y + row * columns, columns, scratch);
}

}  // namespace

void launch_three_pass(const Problem& problem, const Buffers& buffers, Stream stream) {
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(problem.rows, 0x7fffffff));
  three_pass<<<blocks, row_threads(problem.columns), 0, cuda::native(stream)>>>(
      buffers.input<float>(0), buffers.out<float>(), problem.rows,
      static_cast<int>(problem.columns));
  cuda::check_launch("softmax three_pass");
}

}  // namespace gpubench::softmax
