// Ceiling core_l2_read of the host: reads from the caches below the last level, the L2 of the cores
// on most processors, by all cores at once. Each core reads its own set, of half its cache or a
// quarter: read round and round it finds next to nothing in an L1 several times smaller, and little
// of it is missed although physical pages fall unevenly on the sets of the cache (of the quarter
// least).
#include <algorithm>

#include "microbench/host_read.hpp"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

// A set of so many times L1 finds two percent of itself there even where replacement is random.
constexpr std::int64_t times_l1 = 4;

std::optional<std::string> unsupported(const DeviceFacts& facts) {
  if (!facts.inner_cache_bytes || !facts.core_l1_bytes)
    return "the system does not say how large the caches below the last level are";
  if (*facts.inner_cache_bytes < 2 * times_l1 * *facts.core_l1_bytes)
    return "no cache several times larger than L1 is between it and the last level";
  return std::nullopt;
}

std::vector<CeilingCandidate> prepare(Device& device, DataPattern pattern) {
  const DeviceFacts& facts = device.facts();
  // 32 MiB read by each core: some tenths of a millisecond, to which starting the threads adds
  // little.
  const std::int64_t launch_bytes = (std::int64_t{32} << 20) * facts.multiprocessors.value_or(1);
  std::vector<CeilingCandidate> candidates;
  for (const std::int64_t part : {2, 4}) {
    const std::int64_t bytes =
        std::max(*facts.inner_cache_bytes / part, times_l1 * *facts.core_l1_bytes);
    candidates.push_back(host::read_candidate(device, pattern, static_cast<std::size_t>(bytes),
                                              static_cast<int>(launch_bytes / bytes),
                                              "repeated reads of each core's own part"));
  }
  return candidates;
}

}  // namespace

CeilingSpec host_core_l2_read() {
  CeilingSpec spec;
  spec.name = "core_l2_read";
  spec.unit = "byte/s";
  spec.device = DeviceKind::host;
  spec.uses_data = true;
  spec.from_s = 0.1;
  spec.until_s = 0.3;
  spec.unsupported = unsupported;
  spec.prepare = prepare;
  return spec;
}

}  // namespace gpubench
