#include "roofline/theoretical.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace gpubench {
namespace {

std::optional<double> at_maximum_clock(const DeviceFacts& facts, std::optional<double> per_clock) {
  if (!per_clock || !facts.multiprocessors || !facts.sm_clock_max_hz) return std::nullopt;
  return *per_clock * *facts.multiprocessors * *facts.sm_clock_max_hz;
}

struct Rates {
  int compute_capability;
  // In the order of Pipe; 0 where the unit is missing or its rate is not published.
  double fp32_fma, fp64_fma, int32;
  double f64_tensor, tf32_tensor, f16_tensor, bf16_tensor, fp8_tensor, int8_tensor;
};

// The cores': CUDA C++ Programming Guide, throughput of native arithmetic instructions, in results
// a clock, twice that in operations. The tensor cores': NVIDIA's architecture white papers and data
// sheets, the peak of the full product (V100, T4, A100, A40, L40S, H100, RTX PRO 6000) divided by
// its multiprocessors and boost clock.
constexpr Rates known[] = {
    //   fp32 fp64 int32  f64  tf32   f16  bf16   fp8  int8
    {70, 128, 64, 128, 0, 0, 0, 0, 0, 0},
    {75, 128, 4, 128, 0, 0, 1024, 0, 0, 2048},
    {80, 128, 64, 128, 128, 1024, 2048, 2048, 0, 4096},
    {86, 256, 4, 128, 0, 512, 1024, 1024, 0, 2048},
    {87, 256, 0, 0, 0, 0, 0, 0, 0, 0},
    {89, 256, 4, 128, 0, 512, 1024, 1024, 2048, 2048},
    {90, 256, 128, 128, 256, 2048, 4096, 4096, 8192, 8192},
    {100, 256, 0, 0, 0, 0, 0, 0, 0, 0},
    {103, 256, 0, 0, 0, 0, 0, 0, 0, 0},
    {120, 256, 4, 0, 0, 512, 1024, 1024, 2048, 2048},
    {121, 256, 0, 0, 0, 0, 0, 0, 0, 0},
};

double rate(const Rates& rates, Pipe pipe) {
  switch (pipe) {
    case Pipe::fp32_fma:
      return rates.fp32_fma;
    case Pipe::fp64_fma:
      return rates.fp64_fma;
    case Pipe::int32:
      return rates.int32;
    case Pipe::f64_tensor:
      return rates.f64_tensor;
    case Pipe::tf32_tensor:
      return rates.tf32_tensor;
    case Pipe::f16_tensor:
      return rates.f16_tensor;
    case Pipe::bf16_tensor:
      return rates.bf16_tensor;
    case Pipe::fp8_tensor:
      return rates.fp8_tensor;
    case Pipe::int8_tensor:
      return rates.int8_tensor;
  }
  return 0;
}

bool accumulates_in_f32_on_tensor_cores(Pipe pipe) {
  return pipe == Pipe::tf32_tensor || pipe == Pipe::f16_tensor || pipe == Pipe::bf16_tensor ||
         pipe == Pipe::fp8_tensor;
}

std::optional<double> of_device(Pipe pipe, const DeviceFacts& facts) {
  if (!facts.compute_capability) return std::nullopt;
  auto per_clock = operations_per_clock(pipe, *facts.compute_capability);
  if (per_clock && accumulates_in_f32_on_tensor_cores(pipe) &&
      facts.name.find("GeForce") != std::string::npos)
    *per_clock /= 2;
  return per_clock;
}

}  // namespace

std::optional<double> operations_per_clock(Pipe pipe, int compute_capability) {
  const auto found = std::ranges::find(known, compute_capability, &Rates::compute_capability);
  if (found == std::end(known) || rate(*found, pipe) == 0) return std::nullopt;
  return rate(*found, pipe);
}

std::optional<double> theoretical(Pipe pipe, const DeviceFacts& facts) {
  return at_maximum_clock(facts, of_device(pipe, facts));
}

double launch_rate(Pipe pipe, const DeviceFacts& facts) {
  if (const auto known_rate = of_device(pipe, facts)) return *known_rate;
  switch (pipe) {
    case Pipe::fp64_fma:
      return 16;  // 4 or 64 and more
    case Pipe::f64_tensor:
      return launch_rate(Pipe::fp64_fma, facts);  // what stands in for the unit where it is missing
    case Pipe::fp32_fma:
    case Pipe::int32:
      return 128;
    default:
      return 512;
  }
}

std::optional<double> theoretical_dram(const DeviceFacts& facts) {
  if (!facts.memory_clock_max_hz || !facts.memory_bus_bits) return std::nullopt;
  return *facts.memory_clock_max_hz * 2 * *facts.memory_bus_bits / 8;
}

// NVIDIA's GA102 white paper: 128 bytes a clock, against 64 of Turing; the CUDA C++ Programming
// Guide: 32 banks of 4 bytes a clock.
std::optional<double> shared_bytes_per_clock(int compute_capability) {
  switch (compute_capability) {
    case 75:
      return 64;
    case 70:
    case 80:
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 103:
    case 120:
    case 121:
      return 128;
    default:
      return std::nullopt;
  }
}

std::optional<double> theoretical_shared(const DeviceFacts& facts) {
  if (!facts.compute_capability) return std::nullopt;
  return at_maximum_clock(facts, shared_bytes_per_clock(*facts.compute_capability));
}

}  // namespace gpubench
