// The cache that decides whether host variants write past it.
#pragma once

#include <cstdint>

namespace gpubench::host {

// Bytes of last-level cache that this process can reach (32 MiB where the system does not say);
// read once.
std::int64_t last_level_bytes();

}  // namespace gpubench::host
