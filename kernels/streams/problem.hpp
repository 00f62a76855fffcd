// vector_add from host memory to host memory: copy a and b in, add, copy c out. The whole trip is
// timed.
#pragma once

#include <cstdint>

#include "registry/variant.hpp"

namespace gpubench::streams {

struct Problem {
  std::int64_t n = 0;       // elements of each of a, b, c
  std::int64_t chunks = 1;  // pieces that a pipelined variant cuts the trip into
};

}  // namespace gpubench::streams
