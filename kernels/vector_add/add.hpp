// Device code of vector_add that other families launch.
#pragma once

#include <cstdint>

#include "device/device.hpp"

namespace gpubench::vector_add {

// c[i] = a[i] + b[i] for 0 <= i < n, queued on `stream`. Device pointers, aligned to 16 bytes; c
// overlaps neither a nor b; 1 <= n <= 2^38. Throws Error{no_device} when the launch is refused.
void add(const float* a, const float* b, float* c, std::int64_t n, Stream stream);

}  // namespace gpubench::vector_add
