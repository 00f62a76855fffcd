// What the outputs of a matmul must be: float64 sums, and how far an honest kernel may be from
// them.
#pragma once

#include <span>

#include "kernels/matmul/problem.hpp"
#include "registry/inputs.hpp"

namespace gpubench::matmul {

// The data of `verify` and of timing. Input 0 is A, 1 is B.
Generator generator(const Problem&, DType, std::size_t input, InputKind, std::uint64_t seed);

// Expected outputs at the ascending flat indices.
void oracle(const Problem&, DType, const Inputs&, std::span<const std::int64_t> indices,
            std::span<Expected>);

// How far an output of that type may be from its exact value. 0: it must be the exact value,
// rounded once to the type.
double tolerance(const Problem&, DType, InputKind, double value);

}  // namespace gpubench::matmul
