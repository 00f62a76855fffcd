#include "microbench/cycle.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace gpubench {
namespace {

TEST(Cycle, visits_every_node_once_before_it_comes_back) {
  for (const int bits : {2, 3, 7, 8, 15, 20, 21}) {
    std::vector<bool> seen(std::size_t{1} << bits, false);
    for (std::uint32_t step = 0; step < seen.size(); ++step) {
      const std::uint32_t node = ceilings::visited(step, bits);
      ASSERT_LT(node, seen.size());
      ASSERT_FALSE(seen[node]) << bits << " bits, step " << step;
      seen[node] = true;
    }
    const auto length = static_cast<std::uint32_t>(seen.size());
    EXPECT_EQ(ceilings::visited(length, bits), ceilings::visited(0, bits));
  }
}

// Two numbers drawn at random from [0, n) are n / 3 apart on average. In every low bit alone half
// of the steps are changes: no short pattern is left in the choice of a channel or a slice.
TEST(Cycle, a_step_goes_anywhere) {
  constexpr int bits = 21;
  constexpr std::uint32_t length = 1u << bits;
  double sum = 0;
  std::vector<int> changes(bits, 0);
  for (std::uint32_t step = 0; step < length; ++step) {
    const std::uint32_t from = ceilings::visited(step, bits),
                        to = ceilings::visited(step + 1, bits);
    sum += from > to ? from - to : to - from;
    for (int bit = 0; bit < bits; ++bit) changes[bit] += (from ^ to) >> bit & 1;
  }
  EXPECT_NEAR(sum / length / length, 1.0 / 3, 0.01);
  for (int bit = 0; bit < bits; ++bit) EXPECT_NEAR(1.0 * changes[bit] / length, 0.5, 0.05) << bit;
}

}  // namespace
}  // namespace gpubench
