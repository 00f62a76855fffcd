// The rate at which device memory is written. A store waits for nothing, so that a few 16-byte
// stores a thread fill the memory system; what differs is in which order the lines leave L2, which
// the hint of the store and the number of blocks at work decide. Whole lines are written: nothing
// is read to complete them. The runtime's own memset is tried as well; it writes one byte's
// pattern.
#include "microbench/dram_streams.cuh"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

CeilingCandidate memset_candidate(const ceilings::StreamArrays& arrays, DataPattern pattern) {
  CeilingCandidate candidate;
  candidate.technique = "cudaMemsetAsync";
  candidate.amount = static_cast<double>(arrays.bytes());
  candidate.working_set_bytes = arrays.bytes();
  // As a node of a graph it may go to the copy engines instead (see dram_copy.cu).
  candidate.submission = Submission::held;
  candidate.launch = [arrays, byte = pattern == DataPattern::zeros ? 0 : 0x5a](Stream stream) {
    cuda::check(cudaMemsetAsync(arrays.a->data(), byte, arrays.bytes(), cuda::native(stream)),
                "ceiling dram_write");
  };
  return candidate;
}

}  // namespace

std::vector<CeilingCandidate> prepare_dram_write(Device& device, DataPattern pattern) {
  const auto arrays = ceilings::stream_arrays(device, pattern, 0, "dram_write");
  auto candidates = ceilings::stream_candidates<0>(device, arrays, "a = constant");
  candidates.push_back(memset_candidate(arrays, pattern));
  return candidates;
}

}  // namespace gpubench
