// The inputs of a problem as the oracle sees them: exact values of what the device was given.
#pragma once

#include <cstdint>
#include <vector>

#include "base/dtype.hpp"
#include "base/generator.hpp"

namespace gpubench {

class Inputs {
 public:
  Inputs(InputKind kind, std::vector<Generator> generators, std::vector<DType> types)
      : kind_(kind), generators_(std::move(generators)), types_(std::move(types)) {}

  InputKind kind() const { return kind_; }
  // Element `index` of input `input`, rounded to its type as the device's copy is.
  double at(std::size_t input, std::int64_t index) const {
    const float value = element(generators_[input], index);
    const DType type = types_[input];
    return type == DType::f32 || type == DType::f64 ? static_cast<double>(value) : round_to(type, value);
  }

 private:
  InputKind kind_;
  std::vector<Generator> generators_;
  std::vector<DType> types_;
};

// What the oracle says of one output: |output - value| <= tolerance accepts, and NaN never does.
// An infinite value must be met exactly. Tolerance 0 demands equality.
struct Expected {
  double value = 0;
  double tolerance = 0;
};

}  // namespace gpubench
