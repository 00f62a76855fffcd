// The order in which a pointer chase visits its nodes.
#pragma once

#include <cstdint>

#include "base/generator.hpp"

namespace gpubench::ceilings {

// Where the step-th visit goes, 0 <= step < 2^bits, 2 <= bits <= 32: a permutation of the nodes, so
// that going from each visit's node to the next one's is one cycle through all of them, and every
// node can work out its successor alone. Multiplying by an odd number and folding the upper half
// into the lower can both be undone, whatever the number of bits; done three times over, no stride
// is left that hardware could foresee.
GPUBENCH_HOST_DEVICE inline std::uint32_t visited(std::uint32_t step, int bits) {
  const std::uint32_t mask = 0xffffffffu >> (32 - bits);
  std::uint32_t x = step & mask;
  for (const std::uint32_t odd : {0x9e3779b1u, 0x85ebca6bu, 0xc2b2ae35u}) {
    x = (x * odd) & mask;
    x ^= x >> (bits / 2);
  }
  return x;
}

}  // namespace gpubench::ceilings
