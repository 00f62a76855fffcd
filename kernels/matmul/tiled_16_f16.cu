// tiled_16 on f16 storage with f32 sums: the first rung of the f16 ladder.
// Against tiled_16 in f32 only the traffic to L2 halves; the sums run on the same FP32 units, so
// that it should run about as fast: storage alone buys nothing where shared memory is the limit.
// Bound by shared memory, as in f32; the tensor cores stand idle.
// Takes any shape whose blocks fit a grid.
#include <cuda_fp16.h>

#include "kernels/matmul/tiled_16.cuh"

namespace gpubench::matmul {

void launch_tiled_16_f16(const Problem& p, const Buffers& buffers, Stream stream) {
  launch_tiled<tiled_16_tile.rows, __half>(p, buffers, stream);
  cuda::check_launch("matmul tiled_16 f16");
}

}  // namespace gpubench::matmul
