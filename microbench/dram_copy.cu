// The rate of a copy within device memory, bytes read and bytes written together. Half of the
// traffic is writing, the mix that turns the memory channels around most often, so it is below both
// dram_read and dram_write. The runtime's own copy is tried as well.
#include "microbench/dram_streams.cuh"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

CeilingCandidate memcpy_candidate(const ceilings::StreamArrays& arrays) {
  CeilingCandidate candidate;
  candidate.technique = "cudaMemcpyAsync, device to device";
  candidate.amount = 2.0 * static_cast<double>(arrays.bytes());
  candidate.working_set_bytes = 2 * arrays.bytes();
  // As a node of a graph it may go to the copy engines instead, which are slower: 2.8 TB/s against
  // 4.3 on an H200.
  candidate.submission = Submission::held;
  candidate.launch = [arrays](Stream stream) {
    cuda::check(cudaMemcpyAsync(arrays.a->data(), arrays.b->data(), arrays.bytes(),
                                cudaMemcpyDeviceToDevice, cuda::native(stream)),
                "ceiling dram_copy");
  };
  return candidate;
}

}  // namespace

std::vector<CeilingCandidate> prepare_dram_copy(Device& device, DataPattern pattern) {
  const auto arrays = ceilings::stream_arrays(device, pattern, 1, "dram_copy");
  auto candidates = ceilings::stream_candidates<1>(device, arrays, "a = b");
  candidates.push_back(memcpy_candidate(arrays));
  return candidates;
}

}  // namespace gpubench
