// Seconds a load takes that finds its data in L2: a chase through 4 MiB that skips L1, or through a
// quarter of a small L2. The random order meets all slices alike, near and far ones, so that it is
// the mean of them. Building the cycle leaves it in L2.
#include "microbench/chase.cuh"
#include "microbench/specs.hpp"

namespace gpubench {

std::vector<CeilingCandidate> prepare_latency_l2(Device& device, DataPattern) {
  if (!device.facts().l2_bytes)
    throw Error(ExitCode::no_device, device.facts().id + " does not tell the size of its L2");
  constexpr unsigned line = 128;
  int bits = 15;  // 4 MiB
  while (bits > 8 && (std::int64_t{line} << bits) > *device.facts().l2_bytes / 4) --bits;
  constexpr int loads = 1 << 13;  // about 1.2 ms
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(ceilings::chase_candidate<ceilings::Level::l2>(device, bits, line, loads));
  return candidates;
}

}  // namespace gpubench
