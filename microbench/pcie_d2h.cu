// The rate from the device to page-locked host memory, by a copy engine.
#include "microbench/pcie.cuh"
#include "microbench/specs.hpp"

namespace gpubench {

std::vector<CeilingCandidate> prepare_pcie_d2h(Device& device, DataPattern) {
  CeilingCandidate candidate;
  candidate.technique = "cudaMemcpyAsync of 256 MiB to page-locked memory";
  candidate.amount = static_cast<double>(ceilings::BusBuffers::bytes);
  candidate.working_set_bytes = ceilings::BusBuffers::bytes;
  candidate.launch = [buffers = std::make_shared<ceilings::BusBuffers>(device)](Stream stream) {
    ceilings::copy_to_host(*buffers, cuda::native(stream));
  };
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace gpubench
