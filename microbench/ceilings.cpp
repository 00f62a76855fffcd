// The list of all ceilings. A new one is a file here, a line in specs.hpp and an entry below.
#include <array>

#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

// Multiply-adds on registers: nothing is read, so the data does not matter, but the clock does.
CeilingSpec fp32_fma() {
  CeilingSpec spec;
  spec.name = "fp32_fma";
  spec.unit = "flop/s";
  spec.needs = {.compute_capability = 75};
  spec.scales_with_clock = true;
  spec.until_s = 0.7;  // the clock holds still under this load on cards that are not short of power
  spec.theoretical = theoretical_fp32_fma;
  spec.prepare = cuda_launch<prepare_fp32_fma>();
  return spec;
}

CeilingSpec f16_tensor() {
  CeilingSpec spec;
  spec.name = "f16_tensor";
  spec.unit = "flop/s";
  spec.uses_data = true;
  spec.scales_with_clock = true;
  spec.theoretical = theoretical_f16_tensor;
  return spec;
}

CeilingSpec f16_tensor_wgmma() {
  CeilingSpec spec = f16_tensor();
  spec.needs = {.compute_capability = 90, .exact_architecture = true};
  spec.prepare = cuda_launch<prepare_f16_tensor_wgmma>();
  return spec;
}

CeilingSpec f16_tensor_mma_sync() {
  CeilingSpec spec = f16_tensor();
  spec.needs = {.compute_capability = 75};
  spec.prepare = cuda_launch<prepare_f16_tensor_mma_sync>();
  return spec;
}

// The memory clock does not move under load, so a shorter window than the compute ceilings' is
// enough; it keeps the core four within three seconds.
CeilingSpec memory_ceiling() {
  CeilingSpec spec;
  spec.unit = "byte/s";
  spec.needs = {.compute_capability = 75};
  spec.uses_data = true;
  spec.from_s = 0.08;
  spec.until_s = 0.3;
  return spec;
}

CeilingSpec dram_read() {
  CeilingSpec spec = memory_ceiling();
  spec.name = "dram_read";
  spec.theoretical = theoretical_dram;
  spec.prepare = cuda_launch<prepare_dram_read>();
  return spec;
}

// What L2 delivers a clock is not published and no attribute tells it: nothing theoretical.
CeilingSpec l2_read() {
  CeilingSpec spec = memory_ceiling();
  spec.name = "l2_read";
  spec.prepare = cuda_launch<prepare_l2_read>();
  return spec;
}

}  // namespace

std::span<const CeilingSpec> ceiling_specs() {
  static const std::array specs = {
      fp32_fma(),      f16_tensor_wgmma(), f16_tensor_mma_sync(), dram_read(),      l2_read(),
      host_fp32_fma(), host_dram_read(),   host_dram_triad(),     host_dram_copy(), host_l2_read(),
  };
  return specs;
}

}  // namespace gpubench
