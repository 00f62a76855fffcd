// Kernels that make a stretch of work longer by a share of itself.
#pragma once

#include <cstdint>

#include "device/device.hpp"

namespace gpubench::gate {

// Notes the device's time.
void launch_mark(std::uint64_t* mark, Stream);
// Keeps every multiprocessor busy until the time since the mark has grown by `share`.
void launch_prolong(const std::uint64_t* mark, double share, int multiprocessors, float* sink,
                    Stream);

}  // namespace gpubench::gate
