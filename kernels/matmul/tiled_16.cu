// 16 x 16 tiles of A and B in shared memory: each element is fetched from L2 once for 16 uses.
// Against coalesced the two loads of a multiply-add come from shared memory, four steps of A in one
// load, and L1 no longer sees the re-reads. That should gain half as much again to twice.
// Bound by shared memory: 4 steps of a warp take four loads of B and one 16-byte load of A, 8
// cycles at 128 bytes a cycle, and are one cycle of the FP32 units. An eighth of the FP32 ceiling
// is the most. Takes any shape whose blocks fit a grid.
#include "kernels/matmul/tiled_16.cuh"

namespace gpubench::matmul {

void launch_tiled_16(const Problem& p, const Buffers& buffers, Stream stream) {
  launch_tiled<tiled_16_tile.rows, float>(p, buffers, stream);
  cuda::check_launch("matmul tiled_16");
}

}  // namespace gpubench::matmul
