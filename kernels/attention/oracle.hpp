// The float64 answer of attention, for the manifest.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/attention/problem.hpp"
#include "registry/inputs.hpp"

namespace gpubench::attention {

// Expected outputs at flat indices into [batch, heads, n_q, d], ascending. Inputs are q, k, v.
void oracle(const Problem&, DType, const Inputs&, std::span<const std::int64_t> indices,
            std::span<Expected>);

}  // namespace gpubench::attention
