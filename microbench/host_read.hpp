// What the two memory ceilings of the host share: reading a block on all cores.
#pragma once

#include <cstddef>
#include <string>

#include "roofline/ceiling.hpp"

namespace gpubench::host {

// A launch reads `bytes` (whole 4 KiB pages a core are taken) `passes` times; every core its own
// part, which it touched first.
CeilingCandidate read_candidate(Device&, DataPattern, std::size_t bytes, int passes,
                                const std::string& what);

}  // namespace gpubench::host
