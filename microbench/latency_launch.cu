// Seconds from one launch to the next where the kernel does nothing: launches that depend on each
// other, in a replayed graph, as a case of many short launches is timed. It is the device's part:
// what the host spends on a launch is not in it.
#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

__global__ void empty_kernel() {}

}  // namespace

std::vector<CeilingCandidate> prepare_latency_launch(Device&, DataPattern) {
  CeilingCandidate candidate;
  candidate.technique = "an empty kernel of one block, one after another in a replayed graph";
  candidate.amount = 1;
  candidate.launch = [](Stream stream) {
    empty_kernel<<<1, 32, 0, cuda::native(stream)>>>();
    cuda::check_launch("ceiling latency_launch");
  };
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace gpubench
