// Ceiling dram_read of the host: all cores read, each its own part of a block that no cache holds.
// A pass evicts what the next one would find: at least four times the last-level cache, and 512
// MiB. The processor's own prefetchers follow the streams.
#include <algorithm>

#include "microbench/host_read.hpp"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

std::vector<CeilingCandidate> prepare(Device& device, DataPattern pattern) {
  const std::int64_t cache = device.facts().l2_bytes.value_or(0);
  const std::int64_t bytes = std::max(std::int64_t{512} << 20, 4 * cache);
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(host::read_candidate(device, pattern, static_cast<std::size_t>(bytes), 1,
                                            "sequential reads"));
  return candidates;
}

}  // namespace

CeilingSpec host_dram_read() {
  CeilingSpec spec;
  spec.name = "dram_read";
  spec.unit = "byte/s";
  spec.device = DeviceKind::host;
  spec.uses_data = true;
  spec.from_s = 0.1;
  spec.until_s = 0.5;
  spec.prepare = prepare;
  return spec;
}

}  // namespace gpubench
