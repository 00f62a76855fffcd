// Seconds a load takes that finds its data in L1: a chase through 16 KiB, which every L1 holds. A
// node a line of 128 bytes. Filling L1 takes a thousandth of a launch.
#include "microbench/chase.cuh"
#include "microbench/specs.hpp"

namespace gpubench {

std::vector<CeilingCandidate> prepare_latency_l1(Device& device, DataPattern) {
  cuda::check(cudaFuncSetAttribute(
                  reinterpret_cast<const void*>(ceilings::chase_kernel<ceilings::Level::l1>),
                  cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1),
              "asking for a large L1");
  constexpr int loads = 1 << 17;  // about 2 ms
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(ceilings::chase_candidate<ceilings::Level::l1>(device, 7, 128, loads));
  return candidates;
}

}  // namespace gpubench
