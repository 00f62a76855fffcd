// c[i] = a[i] + b[i]. Inputs a, b and output c hold n elements.
#pragma once

#include <cstdint>

#include "registry/variant.hpp"

namespace gpubench::vector_add {

struct Problem {
  std::int64_t n = 0;
};

}  // namespace gpubench::vector_add
