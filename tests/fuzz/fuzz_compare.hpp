// What the inputs of the fuzz target came to, for the report of whoever drives it.
#pragma once

#include <array>
#include <cstdint>

namespace gpubench::fuzz {

// Stands between the texts of an input. No JSON holds it as it is.
inline constexpr char separator = '\x1e';

struct Reach {
  std::uint64_t documents = 0;  // texts that were read as one
  std::uint64_t noise_files = 0;
  std::uint64_t suites = 0;
  std::uint64_t comparisons = 0;
  std::array<std::uint64_t, 8> verdicts{};  // of cases, by Verdict
};
const Reach& reach();

}  // namespace gpubench::fuzz
