// The rate from page-locked host memory to the device, by a copy engine.
#include "microbench/pcie.cuh"
#include "microbench/specs.hpp"

namespace gpubench {

std::vector<CeilingCandidate> prepare_pcie_h2d(Device& device, DataPattern) {
  CeilingCandidate candidate;
  candidate.technique = "cudaMemcpyAsync of 256 MiB from page-locked memory";
  candidate.amount = static_cast<double>(ceilings::BusBuffers::bytes);
  candidate.working_set_bytes = ceilings::BusBuffers::bytes;
  candidate.launch = [buffers = std::make_shared<ceilings::BusBuffers>(device)](Stream stream) {
    ceilings::copy_to_device(*buffers, cuda::native(stream));
  };
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace gpubench
