// The kernel of tiled_16 for any element type: sums are f32 whatever is stored.
#pragma once

#include "device/cuda/support.hpp"
#include "kernels/matmul/tile_position.cuh"

namespace gpubench::matmul {

// One block of edge x edge threads computes as many outputs, a thread each. It walks along K in
// steps of edge: all threads bring one element of A and one of B into shared memory (zero beyond
// the matrix, so that the sum needs no mask), then each multiplies its row by its column.
// Elements are widened to f32 on the way in: once an element, not once a multiply-add.
template <int edge, class Element>
__global__ void __launch_bounds__(edge* edge)
    tiled(const Element* __restrict__ a, const Element* __restrict__ b, Element* __restrict__ c,
          std::int64_t m, std::int64_t n, std::int64_t k) {
  __shared__ float a_tile[edge][edge];
  __shared__ float b_tile[edge][edge];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const TilePosition at = tile_position<edge, edge>(n);
  const std::int64_t row = at.row + y;
  const std::int64_t column = at.column + x;

  float sum = 0;
  for (std::int64_t start = 0; start < k; start += edge) {
    const bool a_inside = row < m && start + x < k;
    const bool b_inside = start + y < k && column < n;
    a_tile[y][x] = a_inside ? static_cast<float>(a[row * k + start + x]) : 0.0f;
    b_tile[y][x] = b_inside ? static_cast<float>(b[(start + y) * n + column]) : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < edge; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = static_cast<Element>(sum);
}

template <int edge, class Element>
void launch_tiled(const Problem& p, const Buffers& buffers, Stream stream) {
  tiled<edge, Element><<<grid_blocks(p, {edge, edge}), dim3(edge, edge), 0, cuda::native(stream)>>>(
      buffers.input<Element>(0), buffers.input<Element>(1), buffers.out<Element>(), p.m, p.n, p.k);
}

}  // namespace gpubench::matmul
