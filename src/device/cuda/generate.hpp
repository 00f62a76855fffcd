// Filling memory that the device can reach with a generator's elements.
#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "base/generator.hpp"
#include "device/device.hpp"

namespace gpubench::cuda {

// Elements first..first+count of the generator, rounded to the type, to destination[0..count).
void launch_generate(void* destination, DType type, std::int64_t first, std::int64_t count,
                     const Generator&, Stream);

}  // namespace gpubench::cuda
