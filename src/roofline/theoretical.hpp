// What a device could do on paper, at its own maximum clocks. All are empty where a fact is
// unknown.
#pragma once

#include <optional>

#include "device/device.hpp"

namespace gpubench {

// Dense operations (FLOP) a multiprocessor completes a clock, by compute capability (90 for 9.0).
std::optional<double> fp32_flops_per_clock(int compute_capability);
std::optional<double> f16_tensor_flops_per_clock(int compute_capability);  // accumulating in f32

// FLOP/s: multiprocessors x FLOP per clock x maximum SM clock.
std::optional<double> theoretical_fp32_fma(const DeviceFacts&);
// The same for the tensor cores; GeForce cards run f32 accumulation at half their chip's rate.
std::optional<double> theoretical_f16_tensor(const DeviceFacts&);
// byte/s: memory clock x 2 (double data rate) x bus width / 8.
std::optional<double> theoretical_dram(const DeviceFacts&);

}  // namespace gpubench
