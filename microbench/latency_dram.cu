// Seconds a load takes that goes to device memory: a chase in random order through 1 GiB, many
// times any L2. What is measured is a random access, so that with it come the closed row of the
// memory and the miss in the first levels of address translation, which cover some tens of MiB.
// Nodes are 512 bytes apart, beyond what a miss brings along, and there are more of them than the
// whole measurement visits: none is met twice while L2 still has it.
#include <bit>

#include "microbench/chase.cuh"
#include "microbench/specs.hpp"

namespace gpubench {

std::vector<CeilingCandidate> prepare_latency_dram(Device& device, DataPattern) {
  constexpr unsigned spacing = 512;
  int bits = 21;  // 1 GiB
  while (bits > 1 && (std::size_t{spacing} << bits) > device.free_bytes() / 2) --bits;
  const auto least =
      std::bit_ceil(static_cast<std::size_t>(4 * device.facts().l2_bytes.value_or(64 << 20)));
  if ((std::size_t{spacing} << bits) < least)
    throw Error(ExitCode::no_device, "latency_dram needs " + bytes_text(2.0 * least) + " free on " +
                                         device.facts().id + ", which has " +
                                         bytes_text(1.0 * device.free_bytes()));
  constexpr int loads = 1 << 12;  // about 1.5 ms
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(
      ceilings::chase_candidate<ceilings::Level::l2>(device, bits, spacing, loads));
  return candidates;
}

}  // namespace gpubench
