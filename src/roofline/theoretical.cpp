#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

std::optional<double> at_maximum_clock(const DeviceFacts& facts, std::optional<double> per_clock) {
  if (!per_clock || !facts.multiprocessors || !facts.sm_clock_max_hz) return std::nullopt;
  return *per_clock * *facts.multiprocessors * *facts.sm_clock_max_hz;
}

}  // namespace

// CUDA C++ Programming Guide, throughput of native arithmetic instructions: 64 or 128 results a
// clock, and a multiply-add is two operations.
std::optional<double> fp32_flops_per_clock(int compute_capability) {
  switch (compute_capability) {
    case 70:
    case 75:
    case 80:
      return 128;
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 103:
    case 120:
    case 121:
      return 256;
    default:
      return std::nullopt;
  }
}

// NVIDIA's architecture white papers: the peak of the full product (T4, A100, A40, L40S, H100,
// RTX PRO 6000) divided by its multiprocessors and boost clock.
std::optional<double> f16_tensor_flops_per_clock(int compute_capability) {
  switch (compute_capability) {
    case 75:
    case 86:
    case 89:
    case 120:
      return 1024;
    case 80:
      return 2048;
    case 90:
      return 4096;
    default:
      return std::nullopt;
  }
}

std::optional<double> theoretical_fp32_fma(const DeviceFacts& facts) {
  if (!facts.compute_capability) return std::nullopt;
  return at_maximum_clock(facts, fp32_flops_per_clock(*facts.compute_capability));
}

std::optional<double> theoretical_f16_tensor(const DeviceFacts& facts) {
  if (!facts.compute_capability) return std::nullopt;
  auto per_clock = f16_tensor_flops_per_clock(*facts.compute_capability);
  if (per_clock && facts.name.find("GeForce") != std::string::npos) *per_clock /= 2;
  return at_maximum_clock(facts, per_clock);
}

std::optional<double> theoretical_dram(const DeviceFacts& facts) {
  if (!facts.memory_clock_max_hz || !facts.memory_bus_bits) return std::nullopt;
  return *facts.memory_clock_max_hz * 2 * *facts.memory_bus_bits / 8;
}

}  // namespace gpubench
