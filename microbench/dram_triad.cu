// The rate of a = b + s c in device memory (STREAM's triad), bytes read and bytes written together:
// the mix of one written byte to two read, which adding two arrays has too.
#include "microbench/dram_streams.cuh"
#include "microbench/specs.hpp"

namespace gpubench {

std::vector<CeilingCandidate> prepare_dram_triad(Device& device, DataPattern pattern) {
  const auto arrays = ceilings::stream_arrays(device, pattern, 2, "dram_triad");
  return ceilings::stream_candidates<2>(device, arrays, "a = b + s c");
}

}  // namespace gpubench
