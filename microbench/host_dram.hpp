// What the DRAM ceilings of the host share: how much memory they go over, and writing past the
// caches.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/ceiling.hpp"

namespace gpubench::host {

// Bytes of which no cache keeps what the next pass would find: at least four times the last-level
// cache, and 512 MiB.
std::size_t bytes_beyond_caches(const Device&);

// A DRAM ceiling of the host; rates in byte/s, read and written ones together.
CeilingSpec dram_spec(std::string_view name,
                      std::vector<CeilingCandidate> (*prepare)(Device&, DataPattern));

// a[i] = b[i] + s c[i] where `sources` is 2, a[i] = b[i] where it is 1, with stores that go past
// the caches; all arrays together take bytes_beyond_caches. One candidate for each size of stores
// and distance at which the sources are asked for: processors differ in which they like.
std::vector<CeilingCandidate> stream_candidates(Device&, DataPattern, int sources,
                                                const std::string& what);

}  // namespace gpubench::host
