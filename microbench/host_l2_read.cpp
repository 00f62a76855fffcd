// Ceiling l2_read of the host: reads from the last-level cache. The set is larger than the cores'
// inner caches together (read round and round, it then finds nothing there) and well inside the
// last level, which other processes use too.
#include <algorithm>

#include "base/error.hpp"
#include "device/host/host_device.hpp"
#include "microbench/host_read.hpp"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

std::vector<CeilingCandidate> prepare(Device& device, DataPattern pattern) {
  // The specification is the host's: so is the device.
  const host::Caches& caches = static_cast<host::HostDevice&>(device).caches();
  if (!caches.last_level_bytes)
    throw Error(ExitCode::no_device, "the system does not say how large the last-level cache is");
  const std::int64_t last = *caches.last_level_bytes, inner = caches.inner_bytes.value_or(0);
  const std::int64_t smallest = 2 * inner, largest = last * 3 / 4;
  std::vector<CeilingCandidate> candidates;
  for (const std::int64_t bytes : {last / 4, last / 2}) {
    // Passes that make a launch of 64 MiB and more: a few milliseconds, to which starting the
    // threads adds little.
    const auto set = std::min(std::max(bytes, smallest), largest);
    const auto passes = static_cast<int>(std::max<std::int64_t>(1, (std::int64_t{64} << 20) / set));
    candidates.push_back(host::read_candidate(device, pattern, static_cast<std::size_t>(set),
                                              passes, "repeated sequential reads"));
  }
  return candidates;
}

}  // namespace

CeilingSpec host_l2_read() {
  CeilingSpec spec;
  spec.name = "l2_read";
  spec.unit = "byte/s";
  spec.device = DeviceKind::host;
  spec.uses_data = true;
  spec.from_s = 0.1;
  spec.until_s = 0.3;
  spec.prepare = prepare;
  return spec;
}

}  // namespace gpubench
