// The rate of the tensor cores through mma.sync, for the architectures whose tensor cores it fills
// (on 9.0 that is f64 alone). All operands are in registers: each warp multiplies several tiles of
// A by several of B, so that the products are independent and hide the latency of each other, and
// goes around over a few slices of K.
//
// An Operand says what is multiplied:
//   Register                  std::uint32_t or double
//   Accumulator               float, std::int32_t or double
//   m, n, k                   of a product
//   a_registers, b_registers  a thread holds of one tile of A and of B, d_registers of the result
//   a_tiles, b_tiles          of a warp;  slices: of K, different numbers
//   capability                the first that has the instruction
//   instruction               its shape and type, for the technique
//   multiply_add              d += a b
//   input                     random elements of the type, or zeros
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "microbench/support.cuh"

namespace gpubench::ceilings {

inline constexpr int mma_threads = 256;

template <class Operand>
struct MmaLoop {
  static constexpr int products = Operand::a_tiles * Operand::b_tiles;  // independent, of a slice
  static constexpr int rounds = k_of_a_sum / (Operand::slices * Operand::k);
  static constexpr int unrolled = std::max(1, 64 / (products * Operand::slices));  // 64 products
  static constexpr int a_registers = Operand::slices * Operand::a_tiles * Operand::a_registers;
  static constexpr int b_registers = Operand::slices * Operand::b_tiles * Operand::b_registers;
  static constexpr std::size_t input_bytes =
      std::size_t{a_registers + b_registers} * mma_threads * sizeof(typename Operand::Register);
  static constexpr double flops_of_a_sum =  // of a warp
      2.0 * Operand::m * Operand::n * Operand::k * products * Operand::slices * rounds;
  static_assert(rounds % unrolled == 0);
};

template <class Operand>
__global__ void __launch_bounds__(mma_threads)
    mma_kernel(const typename Operand::Register* data, int sums, float* sink, float never) {
  using Loop = MmaLoop<Operand>;
  typename Operand::Register a[Operand::slices][Operand::a_tiles][Operand::a_registers];
  typename Operand::Register b[Operand::slices][Operand::b_tiles][Operand::b_registers];
  const auto* next = data + threadIdx.x;
#pragma unroll
  for (auto& slice : a) {
#pragma unroll
    for (auto& tile : slice) {
#pragma unroll
      for (auto& value : tile) {
        value = *next;
        next += mma_threads;
      }
    }
  }
#pragma unroll
  for (auto& slice : b) {
#pragma unroll
    for (auto& tile : slice) {
#pragma unroll
      for (auto& value : tile) {
        value = *next;
        next += mma_threads;
      }
    }
  }

  float total = 0;
#pragma unroll 1
  for (int sum = 0; sum < sums; ++sum) {
    typename Operand::Accumulator d[Operand::a_tiles][Operand::b_tiles][Operand::d_registers] = {};
#pragma unroll Loop::unrolled
    for (int round = 0; round < Loop::rounds; ++round) {
#pragma unroll
      for (int slice = 0; slice < Operand::slices; ++slice) {
#pragma unroll
        for (int i = 0; i < Operand::a_tiles; ++i) {
#pragma unroll
          for (int j = 0; j < Operand::b_tiles; ++j)
            Operand::multiply_add(d[i][j], a[slice][i], b[slice][j]);
        }
      }
    }
#pragma unroll
    for (const auto& row : d) {
#pragma unroll
      for (const auto& tile : row) {
#pragma unroll
        for (const auto value : tile) total += static_cast<float>(value);
      }
    }
  }
  if (total == never) *sink = total;
}

// `flops_per_clock`: of a multiprocessor, about; it sets how long a launch takes.
template <class Operand>
CeilingCandidate mma_candidate(const Device& device, std::shared_ptr<Memory> data,
                               std::shared_ptr<Memory> sink, double flops_per_clock) {
  using Loop = MmaLoop<Operand>;
  constexpr auto kernel = mma_kernel<Operand>;
  check_built_for(device, kernel, Operand::capability);
  const int blocks = resident_blocks(device, kernel, mma_threads);
  constexpr double clocks = 2.5e6;  // a launch: above 1 ms, so that its start and end do not show
  const double warps = 1.0 * blocks / multiprocessors(device) * mma_threads / 32;
  const int sums = static_cast<int>(
      std::max(1.0, std::round(clocks * flops_per_clock / (Loop::flops_of_a_sum * warps))));
  CeilingCandidate candidate;
  candidate.technique = std::string("mma.sync ") + Operand::instruction + " from registers, " +
                        std::to_string(Loop::products) + " independent products a warp";
  candidate.amount = Loop::flops_of_a_sum * sums * (mma_threads / 32) * blocks;
  candidate.launch = [data, sink, blocks, sums](Stream stream) {
    mma_kernel<Operand><<<blocks, mma_threads, 0, cuda::native(stream)>>>(
        static_cast<const typename Operand::Register*>(data->data()), sums,
        static_cast<float*>(sink->data()), never);
    cuda::check_launch("ceiling through mma.sync");
  };
  return candidate;
}

// One candidate for each operand that the device has, all of one type and so of one input.
template <class... Operands>
std::vector<CeilingCandidate> prepare_mma(Device& device, DataPattern pattern,
                                          double flops_per_clock) {
  using First = std::tuple_element_t<0, std::tuple<Operands...>>;
  const auto data = First::input(device, std::max({MmaLoop<Operands>::input_bytes...}), pattern);
  const auto sink = ceilings::sink(device);
  const int capability = device.facts().compute_capability.value_or(0);
  std::vector<CeilingCandidate> candidates;
  const auto add = [&]<class Operand>(std::type_identity<Operand>) {
    if (capability >= Operand::capability)
      candidates.push_back(mma_candidate<Operand>(device, data, sink, flops_per_clock));
  };
  (add(std::type_identity<Operands>()), ...);
  return candidates;
}

// The tiles that fit every type of 32-bit registers: 16 x 8 results in four.
struct MmaTiles {
  using Register = std::uint32_t;
  static constexpr int m = 16;
  static constexpr int n = 8;
  static constexpr int a_registers = 4;
  static constexpr int b_registers = 2;
  static constexpr int d_registers = 4;
  static constexpr int a_tiles = 2;
  static constexpr int b_tiles = 4;
  static constexpr int slices = 2;
};

}  // namespace gpubench::ceilings
