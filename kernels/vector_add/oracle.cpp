#include "kernels/vector_add/oracle.hpp"

#include <algorithm>

namespace gpubench::vector_add {

namespace {
constexpr float integer_magnitude = 1000.0f;
constexpr float large_magnitude = 1e30f;  // a sum of two stays far from overflow
constexpr float outlier_value = 1e4f;
constexpr std::int64_t longest_row = 1024;  // an outlier in every 1024 elements
}  // namespace

Generator generator(const Problem& p, DType, std::size_t input, InputKind kind,
                    std::uint64_t seed) {
  Generator g;
  g.seed = seed;
  g.buffer = static_cast<std::int32_t>(input);
  g.row_length = std::min(p.n, longest_row);
  switch (kind) {
    case InputKind::random:
      break;
    case InputKind::integers:
      g.pattern = Pattern::integers;
      g.scale = integer_magnitude;
      break;
    case InputKind::large:
      g.scale = large_magnitude;
      break;
    case InputKind::equal:
      g.pattern = Pattern::constant;
      g.scale = input == 0 ? 0.1f : 0.7f;
      break;
    case InputKind::outlier:
      g.pattern = Pattern::outlier;
      g.scale = outlier_value;
      break;
    case InputKind::infinite_rows:
      g.pattern = Pattern::infinite_rows;
      break;
  }
  return g;
}

// The sum is exact in double before it is rounded once. Random inputs and the outlier's are
// multiples of 2^-23 below 2^14; large ones are 24-bit numbers of which the smallest but 0 is 2^23
// times below the largest, so that their sum needs 48 bits at most; integers are small.
void oracle(const Problem&, DType dtype, const Inputs& inputs,
            std::span<const std::int64_t> indices, std::span<Expected> out) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    out[i] = {round_to(dtype, inputs.at(0, indices[i]) + inputs.at(1, indices[i])), 0.0};
}

}  // namespace gpubench::vector_add
