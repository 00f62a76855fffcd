// Ceiling dram_read of the host: all cores read, each its own part of a block that no cache holds.
// The processor's own prefetchers follow the streams.
#include "microbench/host_dram.hpp"
#include "microbench/host_read.hpp"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

std::vector<CeilingCandidate> prepare(Device& device, DataPattern pattern) {
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(host::read_candidate(device, pattern, host::bytes_beyond_caches(device), 1,
                                            "sequential reads"));
  return candidates;
}

}  // namespace

CeilingSpec host_dram_read() {
  return host::dram_spec("dram_read", prepare);
}

}  // namespace gpubench
