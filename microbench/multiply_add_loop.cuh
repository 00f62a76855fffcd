// The rate of multiply-adds on the ordinary cores. A sub-core issues one warp instruction a clock
// and an FFMA of a whole warp takes one clock (two before 8.6, and so do DFMA and IMAD where they
// are fastest), so every other instruction in the loop subtracts directly: the body is a thousand
// multiply-adds long.
//
// An Arithmetic says what is computed:
//   Value, Constant   what a chain holds; what all chains of a thread share
//   constant, start   of a thread and of one of its chains, from two random floats in [-1, 1]
//   step              one multiply-add of a chain, whose recurrence no compiler can fold
//   technique         the recurrence and the instruction, in words
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "microbench/support.cuh"

namespace gpubench::ceilings {

inline constexpr int chain_threads = 256;
inline constexpr int chains = 8;      // independent: the latency is 4 to 8 clocks of 8 or 16 warps
inline constexpr int unrolled = 128;  // 1024 multiply-adds a loop body, 3 other instructions

template <class Arithmetic>
__global__ void __launch_bounds__(chain_threads)
    multiply_add_kernel(int rounds, float* sink, float never) {
  const Generator generator{.seed = 1};
  const std::int64_t thread = std::int64_t{blockIdx.x} * chain_threads + threadIdx.x;
  const float start = element(generator, 2 * thread);
  const typename Arithmetic::Constant constant =
      Arithmetic::constant(element(generator, 2 * thread + 1));
  typename Arithmetic::Value x[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain)
    x[chain] = Arithmetic::start(start * (chain + 1) * (1.0f / chains));
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) x[chain] = Arithmetic::step(x[chain], constant);
    }
  }
  float sum = 0;
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) sum += static_cast<float>(x[chain]);
  if (sum == never) *sink = sum;
}

// `operations_per_clock`: of a multiprocessor, about; it sets how long a launch takes.
template <class Arithmetic>
std::vector<CeilingCandidate> prepare_multiply_add(Device& device, double operations_per_clock) {
  const auto sink = ceilings::sink(device);
  const int blocks = resident_blocks(device, multiply_add_kernel<Arithmetic>, chain_threads);
  constexpr double clocks = 3.9e6;  // a launch: about 2 ms
  const double operations_per_round = 2.0 * unrolled * chains * chain_threads * blocks;
  const int rounds =
      static_cast<int>(std::max(1.0, std::round(clocks * operations_per_clock *
                                                multiprocessors(device) / operations_per_round)));
  CeilingCandidate candidate;
  candidate.technique = std::string(Arithmetic::technique) + ", " + std::to_string(chains) +
                        " chains a thread, " + std::to_string(unrolled * chains) +
                        " multiply-adds a loop body";
  candidate.amount = operations_per_round * rounds;
  candidate.launch = [blocks, rounds, sink](Stream stream) {
    multiply_add_kernel<Arithmetic><<<blocks, chain_threads, 0, cuda::native(stream)>>>(
        rounds, static_cast<float*>(sink->data()), never);
    cuda::check_launch("ceiling of multiply-adds");
  };
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace gpubench::ceilings
