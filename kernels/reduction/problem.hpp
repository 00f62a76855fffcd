// One value of n: y = x[0] + x[1] + ... Input x holds n elements, the output one.
#pragma once

#include <cstdint>

#include "registry/variant.hpp"

namespace gpubench::reduction {

enum class Op { sum };

struct Problem {
  std::int64_t n = 0;
  Op op = Op::sum;
};

}  // namespace gpubench::reduction
