// Inputs of types of one byte, which no device generates: made on the host from the same numbers.
#pragma once

#include <cuda_fp8.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/generator.hpp"
#include "device/device.hpp"
#include "roofline/ceiling.hpp"

namespace gpubench::ceilings {

// What `convert` makes of each float, uniform in [-1, 1], or zeros.
template <class Convert>
std::shared_ptr<Memory> byte_input(Device& device, std::size_t bytes, DataPattern pattern,
                                   Convert convert) {
  auto memory = std::make_shared<Memory>(device.allocate(bytes));
  std::vector<std::uint8_t> values(bytes, 0);
  const Generator generator{.seed = 1};
  if (pattern == DataPattern::random)
    for (std::size_t i = 0; i < bytes; ++i)
      values[i] = convert(element(generator, static_cast<std::int64_t>(i)));
  device.copy_from_host(memory->data(), values.data(), bytes);
  return memory;
}

// Uniform in [-1, 1], rounded to fp8 (e4m3).
inline std::shared_ptr<Memory> input_e4m3(Device& device, std::size_t bytes, DataPattern pattern) {
  return byte_input(device, bytes, pattern, [](float value) -> std::uint8_t {
    return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
  });
}

// Uniform in [-127, 127]: [-1, 1] as a symmetric quantisation to signed bytes makes it.
inline std::shared_ptr<Memory> input_s8(Device& device, std::size_t bytes, DataPattern pattern) {
  return byte_input(device, bytes, pattern, [](float value) {
    return static_cast<std::uint8_t>(static_cast<std::int8_t>(std::lrint(127 * value)));
  });
}

}  // namespace gpubench::ceilings
