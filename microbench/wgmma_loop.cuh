// The rate of Hopper's tensor cores through wgmma, for every type they take. Only wgmma reaches it
// (mma.sync stops near two thirds): n = 256 over tiles that stay in shared memory, several products
// a commit group and one group always in flight, so that the tensor cores never wait for the issue.
// A product takes 32 bytes of each row of A and B whatever the type, so all types have the same
// tiles, the same traffic and 128 clocks a product; they differ in the instruction and in its K.
//
// Under sustained load the power limit sets the clock, so energy an operation counts as much as
// full issue. The candidates differ in where A comes from (registers save a fifth of the reads of
// shared memory), in the warpgroups that take turns on a multiprocessor, and in the length of a
// group.
//
// An Operand says what is multiplied:
//   Accumulator       float or std::int32_t
//   k                 of a product: 32 bytes of the type
//   instruction       its shape and type, for the technique
//   multiply          D += A B, A a descriptor or four registers
//   input             random elements of the type, or zeros
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/ptx/wgmma.cuh"
#include "microbench/support.cuh"

namespace gpubench::ceilings {

inline constexpr int warpgroup = 128;
// 128 clocks each at best: about 1.5 ms.
inline constexpr int products_per_multiprocessor = 18432;
// Tiles of 128 bytes a row, which hold 4 slices of 32.
inline constexpr int slices_per_tile = 4;
inline constexpr std::size_t a_tile_bytes = 64 * 128;
inline constexpr std::size_t b_tile_bytes = 256 * 128;

enum class A { shared, registers };

// blocks: a multiprocessor; warpgroups: a block; group: products a commit group, each of which has
// its own slice of B, and of A.
template <A a_, int blocks_, int warpgroups_, int group_>
struct WgmmaShape {
  static constexpr A a = a_;
  static constexpr int blocks = blocks_;
  static constexpr int warpgroups = warpgroups_;
  static constexpr int group = group_;
  static constexpr int threads = warpgroups * warpgroup;
  static constexpr int tiles = group / slices_per_tile;
  static constexpr int groups = products_per_multiprocessor / (blocks * warpgroups * group);
  static constexpr std::size_t operand_bytes =
      tiles * (b_tile_bytes + (a == A::shared ? warpgroups * a_tile_bytes : 0));
  // As much as lets no more than `blocks` onto a multiprocessor, which has 228 KiB.
  static constexpr std::size_t shared_bytes =
      std::max(operand_bytes, (std::size_t{228} << 10) / (blocks + 1));
  // What a block reads of the input: the tiles, and A where that goes to registers.
  static constexpr std::size_t input_bytes =
      operand_bytes + (a == A::registers ? group * threads * sizeof(uint4) : 0);
  static_assert(group % slices_per_tile == 0);
};

template <class Operand, class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    wgmma_kernel(const uint4* data, float* sink, float never) {
  extern __shared__ __align__(1024) uint4 operands[];

  // Random numbers have no layout: the tiles are filled as they come.
  for (unsigned i = threadIdx.x; i < Shape::operand_bytes / sizeof(uint4); i += Shape::threads)
    operands[i] = data[i];
  ptx::fence_async_shared();
  __syncthreads();

  const std::uint64_t b = ptx::swizzled_tile(ptx::shared_address(operands));
  // The same in all lanes of a warp, and known to be, so that it stays in a uniform register.
  const unsigned mine = __shfl_sync(0xffffffffu, threadIdx.x / warpgroup, 0);
  const std::uint64_t a =
      b + ((Shape::tiles * b_tile_bytes + mine * Shape::tiles * a_tile_bytes) >> 4);
  std::uint32_t a_registers[Shape::group][4];
  if constexpr (Shape::a == A::registers) {
#pragma unroll
    for (int slice = 0; slice < Shape::group; ++slice) {
      // Beyond what went to shared memory: A and B are different numbers.
      const uint4 v =
          data[Shape::operand_bytes / sizeof(uint4) + slice * Shape::threads + threadIdx.x];
      a_registers[slice][0] = v.x;
      a_registers[slice][1] = v.y;
      a_registers[slice][2] = v.z;
      a_registers[slice][3] = v.w;
    }
  }

  constexpr int groups_per_sum = k_of_a_sum / (Operand::k * Shape::group);
  static_assert(groups_per_sum * Operand::k * Shape::group == k_of_a_sum);
  typename Operand::Accumulator d[128] = {};
#pragma unroll 1
  for (int group = 0; group < Shape::groups; ++group) {
    const int continues = group % groups_per_sum;
    ptx::wgmma_fence();
#pragma unroll
    for (int slice = 0; slice < Shape::group; ++slice) {
      constexpr std::uint64_t next_b = b_tile_bytes >> 4;
      constexpr std::uint64_t next_a = a_tile_bytes >> 4;
      const int tile = slice / slices_per_tile;
      const std::uint64_t k = slice % slices_per_tile * ptx::next_32_bytes;
      const int accumulate = slice == 0 ? continues : 1;
      if constexpr (Shape::a == A::registers)
        Operand::multiply(d, a_registers[slice], b + tile * next_b + k, accumulate);
      else
        Operand::multiply(d, a + tile * next_a + k, b + tile * next_b + k, accumulate);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();
  }
  ptx::wgmma_wait<0>();
  ptx::registers_ready(d);

  float sum = 0;
#pragma unroll
  for (auto value : d) sum += static_cast<float>(value);
  if (sum == never) *sink = sum;
}

template <class Operand, class Shape>
CeilingCandidate wgmma_candidate(const Device& device, std::shared_ptr<Memory> data,
                                 std::shared_ptr<Memory> sink) {
  constexpr auto kernel = wgmma_kernel<Operand, Shape>;
  const int blocks = resident_blocks(device, kernel, Shape::threads, Shape::shared_bytes);
  CeilingCandidate candidate;
  candidate.technique = std::string("wgmma ") + Operand::instruction + ", A in " +
                        (Shape::a == A::shared ? "shared memory" : "registers") + ", " +
                        std::to_string(Shape::blocks) + " x " + std::to_string(Shape::warpgroups) +
                        " warpgroups a multiprocessor, " + std::to_string(Shape::group) +
                        " products a group";
  candidate.amount =
      2.0 * 64 * 256 * Operand::k * Shape::group * Shape::groups * Shape::warpgroups * blocks;
  candidate.launch = [data, sink, blocks](Stream stream) {
    wgmma_kernel<Operand, Shape>
        <<<blocks, Shape::threads, Shape::shared_bytes, cuda::native(stream)>>>(
            static_cast<const uint4*>(data->data()), static_cast<float*>(sink->data()), never);
    cuda::check_launch("ceiling through wgmma");
  };
  return candidate;
}

template <class Operand>
std::vector<CeilingCandidate> prepare_wgmma(Device& device, DataPattern pattern) {
  constexpr std::size_t bytes = 128 << 10;
  const auto data = Operand::input(device, bytes, pattern);
  const auto sink = ceilings::sink(device);
  std::vector<CeilingCandidate> candidates;
  const auto add = [&]<class Shape>(Shape) {
    static_assert(Shape::input_bytes <= bytes);
    candidates.push_back(wgmma_candidate<Operand, Shape>(device, data, sink));
  };
  add(WgmmaShape<A::shared, 1, 2, 4>());
  add(WgmmaShape<A::registers, 1, 2, 4>());
  add(WgmmaShape<A::registers, 2, 1, 8>());
  return candidates;
}

}  // namespace gpubench::ceilings
