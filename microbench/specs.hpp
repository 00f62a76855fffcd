// What each ceiling's file offers to the list in ceilings.cpp.
#pragma once

#include <vector>

#include "roofline/ceiling.hpp"

namespace gpubench {

// fp32_fma.cu, f16_tensor_wgmma.sm90a.cu, ...: candidates ready to launch on a CUDA device. They
// exist only in a build with CUDA.
std::vector<CeilingCandidate> prepare_fp32_fma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_fp64_fma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_int32(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_f64_tensor_mma_sync(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_tf32_tensor_wgmma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_tf32_tensor_mma_sync(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_f16_tensor_wgmma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_f16_tensor_mma_sync(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_bf16_tensor_wgmma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_bf16_tensor_mma_sync(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_fp8_tensor_wgmma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_fp8_tensor_mma_sync(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_int8_tensor_wgmma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_int8_tensor_mma_sync(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_dram_read(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_l2_read(Device&, DataPattern);
// A set of that many quarters of L2; 1, 2, 3, 4, 5, 6, 8, 16, 32 and 64 exist.
template <int quarters>
std::vector<CeilingCandidate> prepare_read_sweep(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_dram_write(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_dram_copy(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_dram_triad(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_l2_write(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_l1_read(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_shared_read(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_pcie_h2d(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_pcie_d2h(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_pcie_bidirectional(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_latency_l1(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_latency_l2(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_latency_dram(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_latency_launch(Device&, DataPattern);

// host_*.cpp: the host's ceilings, whole.
CeilingSpec host_fp32_fma();
CeilingSpec host_fp64_fma();
CeilingSpec host_dram_read();
CeilingSpec host_dram_triad();
CeilingSpec host_dram_copy();
CeilingSpec host_l2_read();
CeilingSpec host_core_l2_read();

}  // namespace gpubench
