// Input data as a pure function of (seed, buffer, index): the device fills its buffers with it, and
// the oracle evaluates it again where it needs an element, so that no copy of the inputs is kept.
#pragma once

#include <cstdint>
#include <string_view>

#if defined(__CUDACC__)
#define GPUBENCH_HOST_DEVICE __host__ __device__
#else
#define GPUBENCH_HOST_DEVICE
#endif

namespace gpubench {

// What kind of input a case runs on. `random` is the one that is timed; the others belong to
// `verify`.
enum class InputKind {
  random,         // uniform in [-1, 1]
  integers,       // small integers: sums are exact in every order
  large,          // random, of large magnitude
  equal,          // all elements equal
  outlier,        // random with one large element in each row
  infinite_rows,  // random, and every third row is all minus infinity
};

std::string_view name(InputKind);

enum class Pattern : std::int32_t { uniform, integers, constant, outlier, infinite_rows };

struct Generator {
  Pattern pattern = Pattern::uniform;
  std::uint64_t seed = 0;
  std::int32_t buffer = 0;  // which input: different inputs differ under one seed
  float scale = 1.0f;  // uniform: half-width; integers: largest magnitude; constant: the value;
                       // outlier: the outlier's value
  std::int64_t row_length = 1;  // outlier, infinite_rows: elements in a row
};

GPUBENCH_HOST_DEVICE inline std::uint64_t mix64(std::uint64_t x) {
  // The output function of SplitMix64 (Steele, Lea, Flood 2014).
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Element `index`, before it is rounded to the buffer's type. Every value is exact in float.
GPUBENCH_HOST_DEVICE inline float element(const Generator& g, std::int64_t index) {
  if (g.pattern == Pattern::constant) return g.scale;
  const std::uint64_t key = g.seed * 0xd1342543de82ef95ull + static_cast<std::uint64_t>(g.buffer);
  const std::uint64_t hash = mix64(mix64(key) ^ static_cast<std::uint64_t>(index));
  if (g.pattern == Pattern::integers) {
    const std::int64_t span = 2 * static_cast<std::int64_t>(g.scale) + 1;
    return static_cast<float>(
        static_cast<std::int64_t>((hash >> 33) % static_cast<std::uint64_t>(span)) -
        static_cast<std::int64_t>(g.scale));
  }
  const float uniform =
      static_cast<float>(static_cast<std::int64_t>(hash >> 40) - (std::int64_t{1} << 23)) *
      0x1p-23f;
  if (g.pattern == Pattern::uniform) return g.scale * uniform;
  const std::int64_t row = index / g.row_length;
  const std::int64_t column = index - row * g.row_length;
  if (g.pattern == Pattern::outlier) {
    const std::uint64_t at = mix64(mix64(key + 1) ^ static_cast<std::uint64_t>(row)) %
                             static_cast<std::uint64_t>(g.row_length);
    return static_cast<std::uint64_t>(column) == at ? g.scale : uniform;
  }
  return row % 3 == 1 ? -__builtin_huge_valf() : g.scale * uniform;
}

}  // namespace gpubench
