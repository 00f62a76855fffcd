// The roof of a warm case that the caches of a host below the last level hold.
#include <gtest/gtest.h>

#include <algorithm>

#include "roofline/roof.hpp"

namespace gpubench {
namespace {

constexpr std::int64_t MiB = 1 << 20;

// A last level of 32 MiB at 100 GB/s, 4 MiB below it at 300, 0.25 MiB of L1.
class InnerCachesTest : public ::testing::Test {
 protected:
  InnerCachesTest() {
    facts.l2_bytes = 32 * MiB;
    facts.inner_cache_bytes = 4 * MiB;
    facts.core_l1_bytes = MiB / 4;
    measure("fp32_fma", 1e12);
    measure("dram_read", 20e9);
    measure("l2_read", 100e9);
    measure("core_l2_read", 300e9);
    work.bytes_read = 600e6;
  }
  void measure(std::string name, double value) {
    Ceiling c;
    c.name = std::move(name);
    c.value = value;
    ceilings.push_back(std::move(c));
  }
  Placement at(double set) {
    work.working_set_bytes = set;
    return place_under_roof(work, DType::f32, cache,
                            {.seconds = 1, .sm_clock_hz = {}, .burst_s = {}}, ceilings, facts);
  }

  DeviceFacts facts;
  std::vector<Ceiling> ceilings;
  Work work;
  CacheMode cache = CacheMode::warm;
};

using Notes = std::vector<std::string>;

TEST_F(InnerCachesTest, what_they_hold_is_held_to_their_ceiling) {
  for (const double set : {0.5 * MiB + 1, 1.0 * MiB, 4.0 * MiB}) {
    const Placement p = at(set);
    ASSERT_TRUE(p.roof) << set;
    EXPECT_EQ(p.roof->memory_ceiling, "core_l2_read") << set;
    EXPECT_EQ(p.roof->limited_by, "core_l2_read") << set;
    EXPECT_DOUBLE_EQ(p.roof->attainable_s, 600e6 / 300e9) << set;
    EXPECT_EQ(p.notes, Notes{"inner_caches"}) << set;
  }
}

TEST_F(InnerCachesTest, what_another_cache_holds_in_part_has_no_memory_term) {
  work.flops = 1e9;
  // To a good part in L1, or in part in the last level.
  for (const double set : {0.1 * MiB, 0.5 * MiB, 4.0 * MiB + 1, 8.0 * MiB}) {
    const Placement p = at(set);
    ASSERT_TRUE(p.roof) << set;
    EXPECT_FALSE(p.roof->memory_ceiling) << set;
    EXPECT_EQ(p.roof->limited_by, "fp32_fma") << set;
    EXPECT_EQ(p.notes, Notes{"inner_caches"}) << set;
  }
  EXPECT_EQ(at(8.0 * MiB + 1).roof->memory_ceiling, "l2_read");
  EXPECT_EQ(at(8.0 * MiB + 1).notes, Notes{});
}

TEST_F(InnerCachesTest, arithmetic_that_takes_longer_is_the_roof) {
  work.flops = 3e9;  // 3 ms against 2 of traffic
  EXPECT_EQ(at(1.0 * MiB).roof->limited_by, "fp32_fma");
  EXPECT_EQ(at(1.0 * MiB).roof->memory_ceiling, "core_l2_read");
  EXPECT_DOUBLE_EQ(at(1.0 * MiB).roof->attainable_s, 3e-3);
}

TEST_F(InnerCachesTest, without_their_ceiling_or_the_size_of_l1_there_is_no_memory_term) {
  facts.core_l1_bytes.reset();
  EXPECT_FALSE(at(1.0 * MiB).roof);
  facts.core_l1_bytes = MiB / 4;
  EXPECT_TRUE(at(1.0 * MiB).roof);
  std::ranges::find(ceilings, "core_l2_read", &Ceiling::name)->status = "failed";
  EXPECT_FALSE(at(1.0 * MiB).roof);
  EXPECT_EQ(at(1.0 * MiB).notes, Notes{"inner_caches"});
}

TEST_F(InnerCachesTest, near_a_last_level_that_is_hardly_larger_no_transition_is_noted) {
  facts.l2_bytes = 5 * MiB;
  EXPECT_EQ(at(4.0 * MiB).notes, Notes{"inner_caches"});
  EXPECT_EQ(at(4.0 * MiB).roof->memory_ceiling, "core_l2_read");
}

TEST_F(InnerCachesTest, a_cold_case_is_held_to_dram) {
  cache = CacheMode::cold;
  EXPECT_EQ(at(1.0 * MiB).roof->memory_ceiling, "dram_read");
  EXPECT_EQ(at(1.0 * MiB).notes, Notes{});
}

}  // namespace
}  // namespace gpubench
