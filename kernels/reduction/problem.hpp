// One value of n: y = x[0] + x[1] + ... Input x holds n elements, the output one.
// A variant sums like a tree: of its chains of additions into one accumulator none is longer than
// max(1024, n / 2^18), or the accumulator is a double; the oracle's tolerance is made for that, and
// refuses one float running through all n (oracle.cpp).
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
