// O = softmax(Q K^T / sqrt(D)) V for each batch and head. Q and O are [batch, heads, n_q, d], K and
// V [batch, heads_kv, n_k, d], row-major; query head h reads key head h / (heads / heads_kv).
// Causal: query i sees the keys j <= i + n_k - n_q (mask aligned bottom-right). A query that sees
// no key gives 0.
#pragma once

#include <cstdint>

#include "registry/variant.hpp"

namespace gpubench::attention {

struct Problem {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t heads_kv = 1;
  std::int64_t n_q = 0;
  std::int64_t n_k = 0;
  std::int64_t d = 0;
  bool causal = false;
};

}  // namespace gpubench::attention
