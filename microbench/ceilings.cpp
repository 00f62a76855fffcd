// The list of all ceilings. A new one is a file here, a line in specs.hpp and an entry below.
#include <array>

#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

// Multiply-adds on registers: nothing is read, so the data does not matter, but the clock does.
CeilingSpec cores(std::string_view name, std::string_view unit) {
  CeilingSpec spec;
  spec.name = name;
  spec.unit = unit;
  spec.needs = {.compute_capability = 75};
  spec.scales_with_clock = true;
  return spec;
}

CeilingSpec fp32_fma() {
  CeilingSpec spec = cores("fp32_fma", "flop/s");
  spec.until_s = 0.7;  // the clock holds still under this load on cards that are not short of power
  spec.theoretical = theoretical<Pipe::fp32_fma>;
  spec.prepare = cuda_launch<prepare_fp32_fma>();
  return spec;
}

CeilingSpec fp64_fma() {
  CeilingSpec spec = cores("fp64_fma", "flop/s");
  spec.theoretical = theoretical<Pipe::fp64_fma>;
  spec.prepare = cuda_launch<prepare_fp64_fma>();
  return spec;
}

// Multiply-adds, each two operations.
CeilingSpec int32() {
  CeilingSpec spec = cores("int32", "op/s");
  spec.theoretical = theoretical<Pipe::int32>;
  spec.prepare = cuda_launch<prepare_int32>();
  return spec;
}

using Prepare = decltype(CeilingSpec::prepare);

template <Pipe pipe>
CeilingSpec tensor(std::string_view name, Requirement needs, Prepare prepare) {
  CeilingSpec spec;
  spec.name = name;
  spec.unit = pipe == Pipe::int8_tensor ? "op/s" : "flop/s";
  spec.needs = needs;
  spec.uses_data = true;
  spec.scales_with_clock = true;
  spec.theoretical = theoretical<pipe>;
  spec.prepare = prepare;
  return spec;
}

// wgmma exists on 9.0 alone, mma.sync of a type from the architecture on that is given.
constexpr Requirement wgmma = {.compute_capability = 90, .exact_architecture = true};
constexpr Requirement since(int compute_capability) {
  return {.compute_capability = compute_capability};
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

// The other memory ceilings. Their candidates are nearer to each other than those of other
// ceilings: the trial is longer.
CeilingSpec memory_ceiling(std::string_view name, Prepare prepare) {
  CeilingSpec spec = memory_ceiling();
  spec.name = name;
  spec.trial_s = 0.02;
  spec.prepare = prepare;
  return spec;
}

// One point of the sweep, named by its set in units of L2. Ten of them are to take two seconds
// together: the memory clock holds still, and the clock of L2 has risen by then.
template <int quarters>
CeilingSpec read_sweep(std::string_view name) {
  CeilingSpec spec = memory_ceiling();
  spec.name = name;
  spec.from_s = 0.06;
  spec.until_s = 0.15;
  spec.prepare = cuda_launch<prepare_read_sweep<quarters>>();
  return spec;
}

CeilingSpec dram_ceiling(std::string_view name, Prepare prepare) {
  CeilingSpec spec = memory_ceiling(name, prepare);
  spec.theoretical = theoretical_dram;
  return spec;
}

// On the multiprocessors: at their clock.
CeilingSpec inner_ceiling(std::string_view name, Prepare prepare) {
  CeilingSpec spec = memory_ceiling(name, prepare);
  spec.scales_with_clock = true;
  spec.theoretical = theoretical_shared;
  return spec;
}

// No attribute tells what the bus could do, and it does not matter to it what it carries.
CeilingSpec bus_ceiling(std::string_view name, Prepare prepare) {
  CeilingSpec spec = memory_ceiling(name, prepare);
  spec.uses_data = false;
  return spec;
}

// One thread is no load that a clock would give way to; it only has to have risen from idle.
CeilingSpec latency(std::string_view name, Prepare prepare) {
  CeilingSpec spec;
  spec.name = name;
  spec.unit = "s";
  spec.needs = {.compute_capability = 75};
  spec.from_s = 0.08;
  spec.until_s = 0.18;
  spec.prepare = prepare;
  return spec;
}

}  // namespace

std::span<const CeilingSpec> ceiling_specs() {
  static const std::array specs = {
      fp32_fma(),
      fp64_fma(),
      int32(),
      tensor<Pipe::f64_tensor>("f64_tensor", since(80), cuda_launch<prepare_f64_tensor_mma_sync>()),
      tensor<Pipe::tf32_tensor>("tf32_tensor", wgmma, cuda_launch<prepare_tf32_tensor_wgmma>()),
      tensor<Pipe::tf32_tensor>("tf32_tensor", since(80),
                                cuda_launch<prepare_tf32_tensor_mma_sync>()),
      tensor<Pipe::f16_tensor>("f16_tensor", wgmma, cuda_launch<prepare_f16_tensor_wgmma>()),
      tensor<Pipe::f16_tensor>("f16_tensor", since(75), cuda_launch<prepare_f16_tensor_mma_sync>()),
      tensor<Pipe::bf16_tensor>("bf16_tensor", wgmma, cuda_launch<prepare_bf16_tensor_wgmma>()),
      tensor<Pipe::bf16_tensor>("bf16_tensor", since(80),
                                cuda_launch<prepare_bf16_tensor_mma_sync>()),
      tensor<Pipe::fp8_tensor>("fp8_tensor", wgmma, cuda_launch<prepare_fp8_tensor_wgmma>()),
      tensor<Pipe::fp8_tensor>("fp8_tensor", since(89), cuda_launch<prepare_fp8_tensor_mma_sync>()),
      tensor<Pipe::int8_tensor>("int8_tensor", wgmma, cuda_launch<prepare_int8_tensor_wgmma>()),
      tensor<Pipe::int8_tensor>("int8_tensor", since(75),
                                cuda_launch<prepare_int8_tensor_mma_sync>()),
      dram_read(),
      l2_read(),
      read_sweep<1>("read_sweep_0.25"),
      read_sweep<2>("read_sweep_0.5"),
      read_sweep<3>("read_sweep_0.75"),
      read_sweep<4>("read_sweep_1"),
      read_sweep<5>("read_sweep_1.25"),
      read_sweep<6>("read_sweep_1.5"),
      read_sweep<8>("read_sweep_2"),
      read_sweep<16>("read_sweep_4"),
      read_sweep<32>("read_sweep_8"),
      read_sweep<64>("read_sweep_16"),
      dram_ceiling("dram_write", cuda_launch<prepare_dram_write>()),
      dram_ceiling("dram_copy", cuda_launch<prepare_dram_copy>()),
      dram_ceiling("dram_triad", cuda_launch<prepare_dram_triad>()),
      memory_ceiling("l2_write", cuda_launch<prepare_l2_write>()),
      inner_ceiling("l1_read", cuda_launch<prepare_l1_read>()),
      inner_ceiling("shared_read", cuda_launch<prepare_shared_read>()),
      bus_ceiling("pcie_h2d", cuda_launch<prepare_pcie_h2d>()),
      bus_ceiling("pcie_d2h", cuda_launch<prepare_pcie_d2h>()),
      bus_ceiling("pcie_bidirectional", cuda_launch<prepare_pcie_bidirectional>()),
      latency("latency_l1", cuda_launch<prepare_latency_l1>()),
      latency("latency_l2", cuda_launch<prepare_latency_l2>()),
      latency("latency_dram", cuda_launch<prepare_latency_dram>()),
      latency("latency_launch", cuda_launch<prepare_latency_launch>()),
      host_fp32_fma(),
      host_fp64_fma(),
      host_dram_read(),
      host_dram_triad(),
      host_dram_copy(),
      host_l2_read(),
      host_core_l2_read(),
  };
  return specs;
}

}  // namespace gpubench
