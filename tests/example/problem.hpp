// y[i] = factor * x[i]. Input x and output y hold n elements.
#pragma once

#include <cstdint>

#include "registry/variant.hpp"

namespace gpubench::scale {

struct Problem {
  std::int64_t n = 0;
  std::int64_t factor = 1;
};

}  // namespace gpubench::scale
