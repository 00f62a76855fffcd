// Attention, forward.
#pragma once

#include <cstdint>

#include "kernels/attention/problem.hpp"
#include "registry/family.hpp"

namespace gpubench::attention {

const Family& family();

// Pairs (query, key) that a head may see: n_q n_k, or under the causal mask exactly those with
// key <= query + n_k - n_q.
std::int64_t visible_pairs(const Problem&);

}  // namespace gpubench::attention
