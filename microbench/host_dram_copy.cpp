// Ceiling dram_copy of the host: a[i] = b[i], half of the traffic written.
#include "microbench/host_dram.hpp"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

std::vector<CeilingCandidate> prepare(Device& device, DataPattern pattern) {
  return host::stream_candidates(device, pattern, 1, "a = b");
}

}  // namespace

CeilingSpec host_dram_copy() {
  return host::dram_spec("dram_copy", prepare);
}

}  // namespace gpubench
