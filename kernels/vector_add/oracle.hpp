// Inputs and answers of c = a + b, for vector_add and for the families that move it about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/vector_add/problem.hpp"
#include "registry/inputs.hpp"

namespace gpubench::vector_add {

// Input 0 is a, input 1 is b.
Generator generator(const Problem&, DType, std::size_t input, InputKind, std::uint64_t seed);

// One IEEE addition has one right answer: every kind of input demands equality.
void oracle(const Problem&, DType, const Inputs&, std::span<const std::int64_t> indices,
            std::span<Expected>);

}  // namespace gpubench::vector_add
