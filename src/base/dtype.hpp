// Element types: their names, sizes, rounding and conversions to and from double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpubench {

enum class DType { f32, f16, bf16, f64 };

std::string_view name(DType);
std::optional<DType> parse_dtype(std::string_view);
std::size_t size_of(DType);  // bytes an element

// Largest relative error of one correctly rounded operation: 2^-24 for f32, 2^-11 for f16, ...
double unit_roundoff(DType);

// The nearest value that the type can hold (ties to even; overflow gives infinity, as the hardware
// does).
double round_to(DType, double);

// Element `index` of a host array of the type, as double.
double load(DType, const void* data, std::size_t index);
void store(DType, void* data, std::size_t index, double value);

std::uint16_t f32_to_f16_bits(float);
float f16_bits_to_f32(std::uint16_t);
std::uint16_t f32_to_bf16_bits(float);
float bf16_bits_to_f32(std::uint16_t);

}  // namespace gpubench
