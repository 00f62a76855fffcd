// y[r, c] = exp(x[r, c] - max_c x[r, c]) / sum_c exp(...), for each row r. Input x and output y are rows by columns,
// row-major. A row that is minus infinity throughout gives 0.
#pragma once

#include <cstdint>

#include "registry/variant.hpp"

namespace gpubench::softmax {

struct Problem {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

}  // namespace gpubench::softmax
