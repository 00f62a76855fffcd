// Ceiling dram_triad of the host: a[i] = b[i] + s c[i], a third of the traffic written. Where reads
// and writes travel on separate links, as between the core dies and the memory die of some
// processors, this is far above dram_read.
#include "microbench/host_dram.hpp"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

std::vector<CeilingCandidate> prepare(Device& device, DataPattern pattern) {
  return host::stream_candidates(device, pattern, 2, "a = b + s c");
}

}  // namespace

CeilingSpec host_dram_triad() {
  return host::dram_spec("dram_triad", prepare);
}

}  // namespace gpubench
