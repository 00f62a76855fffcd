#include "base/dtype.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace gpubench {

std::string_view name(DType type) {
  switch (type) {
    case DType::f32:
      return "f32";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::f64:
      return "f64";
  }
  return "";
}

std::optional<DType> parse_dtype(std::string_view text) {
  for (DType type : {DType::f32, DType::f16, DType::bf16, DType::f64})
    if (text == name(type)) return type;
  return std::nullopt;
}

std::size_t size_of(DType type) {
  switch (type) {
    case DType::f32:
      return 4;
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::f64:
      return 8;
  }
  return 0;
}

double unit_roundoff(DType type) {
  switch (type) {
    case DType::f32:
      return 0x1p-24;
    case DType::f16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    case DType::f64:
      return 0x1p-53;
  }
  return 0;
}

std::uint16_t f32_to_f16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7fffu;   // NaN
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // rounds past 65504: infinity
  if (magnitude < 0x33000001u) return sign;             // at or below half the smallest subnormal
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  // Bits dropped: 13 for normal results, more for subnormal ones.
  const int dropped = exponent >= -14 ? 13 : 13 + (-14 - exponent);
  std::uint32_t kept = significand >> dropped;
  const std::uint32_t rest = significand & ((1u << dropped) - 1);
  const std::uint32_t half = 1u << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1u))) ++kept;
  // A carry out of the significand lands in the exponent field, which is the right answer.
  const std::uint32_t base = exponent >= -14 ? static_cast<std::uint32_t>(exponent + 14) << 10 : 0u;
  return static_cast<std::uint16_t>(sign | (base + kept));
}

float f16_bits_to_f32(std::uint16_t bits) {
  const float sign = (bits & 0x8000u) ? -1.0f : 1.0f;
  const int exponent = (bits >> 10) & 31;
  const int significand = bits & 1023;
  if (exponent == 31)
    return significand ? std::bit_cast<float>(0x7fc00000u)
                       : sign * std::bit_cast<float>(0x7f800000u);
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(significand), -24);
  return sign * std::ldexp(static_cast<float>(significand + 1024), exponent - 25);
}

std::uint16_t f32_to_bf16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float bf16_bits_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

double round_to(DType type, double value) {
  switch (type) {
    case DType::f32:
      return static_cast<float>(value);
    case DType::f16:
      return f16_bits_to_f32(f32_to_f16_bits(static_cast<float>(value)));
    case DType::bf16:
      return bf16_bits_to_f32(f32_to_bf16_bits(static_cast<float>(value)));
    case DType::f64:
      return value;
  }
  return value;
}

double load(DType type, const void* data, std::size_t index) {
  const auto* bytes = static_cast<const unsigned char*>(data) + index * size_of(type);
  switch (type) {
    case DType::f32: {
      float value;
      std::memcpy(&value, bytes, sizeof value);
      return value;
    }
    case DType::f64: {
      double value;
      std::memcpy(&value, bytes, sizeof value);
      return value;
    }
    case DType::f16:
    case DType::bf16: {
      std::uint16_t value;
      std::memcpy(&value, bytes, sizeof value);
      return type == DType::f16 ? f16_bits_to_f32(value) : bf16_bits_to_f32(value);
    }
  }
  return 0;
}

void store(DType type, void* data, std::size_t index, double value) {
  auto* bytes = static_cast<unsigned char*>(data) + index * size_of(type);
  switch (type) {
    case DType::f32: {
      const float v = static_cast<float>(value);
      std::memcpy(bytes, &v, sizeof v);
      return;
    }
    case DType::f64:
      std::memcpy(bytes, &value, sizeof value);
      return;
    case DType::f16:
    case DType::bf16: {
      const float f = static_cast<float>(value);
      const std::uint16_t v = type == DType::f16 ? f32_to_f16_bits(f) : f32_to_bf16_bits(f);
      std::memcpy(bytes, &v, sizeof v);
      return;
    }
  }
}

}  // namespace gpubench
