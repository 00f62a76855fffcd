// What each ceiling's file offers to the list in ceilings.cpp.
#pragma once

#include <vector>

#include "roofline/ceiling.hpp"

namespace gpubench {

// fp32_fma.cu, f16_tensor_wgmma.sm90a.cu, ...: candidates ready to launch on a CUDA device. They
// exist only in a build with CUDA.
std::vector<CeilingCandidate> prepare_fp32_fma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_f16_tensor_wgmma(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_f16_tensor_mma_sync(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_dram_read(Device&, DataPattern);
std::vector<CeilingCandidate> prepare_l2_read(Device&, DataPattern);

// host_*.cpp: the host's ceilings, whole.
CeilingSpec host_fp32_fma();
CeilingSpec host_dram_read();
CeilingSpec host_dram_triad();
CeilingSpec host_dram_copy();
CeilingSpec host_l2_read();

}  // namespace gpubench
