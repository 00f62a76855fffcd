// Inputs and answers of the reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/reduction/problem.hpp"
#include "registry/inputs.hpp"

namespace gpubench::reduction {

Generator generator(const Problem&, DType, std::size_t input, InputKind, std::uint64_t seed);

// The one output; reads all n inputs, on all cores.
void oracle(const Problem&, DType, const Inputs&, std::span<const std::int64_t> indices,
            std::span<Expected>);

// How far a float sum of n inputs of this kind may lie from the exact one.
double tolerance(std::int64_t n, DType, InputKind);

}  // namespace gpubench::reduction
