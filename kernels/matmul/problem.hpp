// C = A B, row-major: A is m by k, B is k by n, C is m by n.
#pragma once

#include <cstdint>

#include "registry/variant.hpp"

namespace gpubench::matmul {

struct Problem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

}  // namespace gpubench::matmul
