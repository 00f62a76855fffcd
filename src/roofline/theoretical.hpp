// What a device could do on paper, at its own maximum clocks. All are empty where a fact is
// unknown.
#pragma once

#include <optional>

#include "device/device.hpp"

namespace gpubench {

// The units that do arithmetic, named as their ceilings. Tensor cores accumulate in f32, integers
// in s32, f64 in f64.
enum class Pipe {
  fp32_fma,
  fp64_fma,
  int32,  // multiply-adds
  f64_tensor,
  tf32_tensor,
  f16_tensor,
  bf16_tensor,
  fp8_tensor,
  int8_tensor,
};

// Dense operations a multiprocessor completes a clock, a multiply-add being two, by compute
// capability (90 for 9.0).
std::optional<double> operations_per_clock(Pipe, int compute_capability);

// Operations a second: multiprocessors x operations per clock x maximum SM clock. GeForce cards run
// f32 accumulation in tensor cores at half their chip's rate.
std::optional<double> theoretical(Pipe, const DeviceFacts&);
template <Pipe pipe>
std::optional<double> theoretical(const DeviceFacts& facts) {
  return theoretical(pipe, facts);
}

// Operations a clock of a multiprocessor, to choose the length of a launch by: a guess on the low
// side where none is known, so that no launch takes long.
double launch_rate(Pipe, const DeviceFacts&);

// byte/s: memory clock x 2 (double data rate) x bus width / 8.
std::optional<double> theoretical_dram(const DeviceFacts&);

// Bytes a clock that a multiprocessor reads from shared memory, or from L1: since 7.0 they are one
// memory with one data path.
std::optional<double> shared_bytes_per_clock(int compute_capability);
// byte/s, of all multiprocessors at maximum SM clock.
std::optional<double> theoretical_shared(const DeviceFacts&);

}  // namespace gpubench
