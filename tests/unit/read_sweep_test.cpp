// The read sweep as the roof of warm cases that L2 holds in part.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "roofline/roof.hpp"

namespace gpubench {
namespace {

constexpr double l2 = 64e6;

// 400 GB/s from L2, 100 from DRAM, in between a sweep that falls from the one to the other: a point
// is named by its set in units of L2, as in microbench/ceilings.cpp.
class ReadSweepTest : public ::testing::Test {
 protected:
  ReadSweepTest() {
    facts.kind = DeviceKind::cuda;
    facts.l2_bytes = static_cast<std::int64_t>(l2);
    measure("dram_read", 100e9);
    measure("l2_read", 400e9, l2 / 3);
    for (const auto& [name, set, value] :
         {Point{"read_sweep_0.5", 0.5, 390e9}, Point{"read_sweep_1", 1, 300e9},
          Point{"read_sweep_2", 2, 200e9}, Point{"read_sweep_4", 4, 140e9},
          Point{"read_sweep_16", 16, 110e9}})
      measure(name, value, set * l2);
    work.bytes_read = 1e9;
  }
  struct Point {
    const char* name;
    double set;
    double value;
  };

  void measure(std::string name, double value, std::optional<double> set = {}) {
    Ceiling c;
    c.name = std::move(name);
    c.unit = "byte/s";
    c.value = value;
    if (set) c.working_set_bytes = static_cast<std::int64_t>(*set);
    ceilings.push_back(std::move(c));
  }
  Ceiling& named(std::string_view name) {
    return *std::ranges::find(ceilings, name, &Ceiling::name);
  }
  void lose_sweep() {
    std::erase_if(ceilings, [](const Ceiling& c) { return c.name.starts_with("read_sweep"); });
  }

  // The placement of a case with a set of that many L2.
  Placement at(double set) {
    work.working_set_bytes = set * l2;
    return place_under_roof(work, DType::f32, cache,
                            {.seconds = 1, .sm_clock_hz = {}, .burst_s = {}}, ceilings, facts);
  }
  double rate(double set) { return at(set).roof->memory_bytes_per_s.value(); }
  std::string limit(double set) { return at(set).roof->memory_ceiling.value(); }

  DeviceFacts facts;
  std::vector<Ceiling> ceilings;
  Work work;
  CacheMode cache = CacheMode::warm;
};

TEST_F(ReadSweepTest, at_a_point_the_roof_is_what_was_measured_there) {
  EXPECT_DOUBLE_EQ(rate(1), 300e9);
  EXPECT_EQ(limit(1), "read_sweep_1");
  EXPECT_DOUBLE_EQ(rate(2), 200e9);
  EXPECT_EQ(limit(2), "read_sweep_2");
  EXPECT_EQ(at(2).roof->limited_by, "read_sweep_2");
  EXPECT_DOUBLE_EQ(at(2).roof->attainable_s, 1e9 / 200e9);
  EXPECT_DOUBLE_EQ(rate(16), 110e9);
  EXPECT_EQ(limit(16), "read_sweep_16");
}

TEST_F(ReadSweepTest, between_points_it_is_linear_in_the_logarithm_of_the_set) {
  EXPECT_NEAR(rate(std::sqrt(2.0)), 250e9, 1e3);
  EXPECT_NEAR(rate(8), 125e9, 1e3);                   // half-way from 4 to 16
  EXPECT_NEAR(rate(std::exp2(1.25)), 185e9, 1e3);     // a quarter of the way from 2 to 4
  EXPECT_EQ(limit(std::exp2(0.49)), "read_sweep_1");  // the nearest
  EXPECT_EQ(limit(std::exp2(0.51)), "read_sweep_2");
}

TEST_F(ReadSweepTest, a_smaller_set_is_never_held_to_less) {
  named("read_sweep_1").value = 180e9;  // below the point at 2
  named("read_sweep_4").value = 105e9;  // below the point at 16
  EXPECT_DOUBLE_EQ(rate(1), 200e9);
  EXPECT_EQ(limit(1), "read_sweep_1");
  EXPECT_DOUBLE_EQ(rate(1.5), 200e9);
  EXPECT_DOUBLE_EQ(rate(4), 110e9);
  double before = rate(0.25);
  for (double set = 0.3; set < 20; set *= 1.05) {
    const double now = rate(set);
    EXPECT_LE(now, before) << set;
    before = now;
  }
}

TEST_F(ReadSweepTest, what_l2_holds_is_held_to_l2_alone) {
  named("read_sweep_0.5").value = 150e9;
  named("read_sweep_1").value = 150e9;
  for (const double set : {0.1, 0.25, 0.5, 0.6}) {
    EXPECT_EQ(limit(set), "l2_read") << set;
    EXPECT_DOUBLE_EQ(rate(set), 400e9) << set;
  }
  EXPECT_LT(rate(0.601), 250e9);
}

TEST_F(ReadSweepTest, no_set_is_held_to_more_than_l2) {
  named("read_sweep_1").value = 450e9;
  EXPECT_DOUBLE_EQ(rate(0.8), 400e9);
  EXPECT_EQ(limit(0.8), "l2_read");
  EXPECT_EQ(limit(1), "l2_read");
  EXPECT_EQ(limit(2), "read_sweep_2");
  named("l2_read").status = "failed";
  EXPECT_DOUBLE_EQ(rate(1), 450e9);
  EXPECT_EQ(limit(1), "read_sweep_1");
  EXPECT_FALSE(at(0.5).roof);  // what L2 holds still needs it
}

TEST_F(ReadSweepTest, no_warm_case_is_held_to_less_than_dram_at_its_own_write_share) {
  measure("dram_triad", 160e9);
  work.bytes_read = 2e9;
  work.bytes_written = 1e9;
  EXPECT_EQ(limit(2), "read_sweep_2");
  EXPECT_DOUBLE_EQ(rate(4), 160e9);
  EXPECT_EQ(limit(4), "dram_triad");
  EXPECT_EQ(limit(16), "dram_triad");
  work.bytes_written = 0;
  EXPECT_EQ(limit(4), "read_sweep_4");
}

TEST_F(ReadSweepTest, beyond_the_sweep_it_is_dram) {
  EXPECT_EQ(limit(16.01), "dram_read");
  EXPECT_DOUBLE_EQ(rate(16.01), 100e9);
}

TEST_F(ReadSweepTest, a_point_that_was_not_measured_is_passed_over) {
  named("read_sweep_1").status = "failed";
  named("read_sweep_1").value.reset();
  EXPECT_NEAR(rate(1), 295e9, 1e3);  // half-way from 0.5 to 2
  named("read_sweep_2").working_set_bytes.reset();
  EXPECT_NEAR(rate(std::sqrt(2.0)), 265e9, 1e3);  // half-way from 0.5 to 4
  named("read_sweep_4").value = 0;
  named("read_sweep_0.5").status = "skipped";
  EXPECT_DOUBLE_EQ(rate(1), 110e9);  // level below the only point that is left
  EXPECT_EQ(limit(1), "read_sweep_16");
}

TEST_F(ReadSweepTest, where_the_large_points_are_missing_it_is_level_to_4_l2_and_then_dram) {
  named("read_sweep_4").status = named("read_sweep_16").status = "failed";
  EXPECT_DOUBLE_EQ(rate(4), 200e9);
  EXPECT_EQ(limit(4), "read_sweep_2");
  EXPECT_EQ(limit(4.01), "dram_read");
}

TEST_F(ReadSweepTest, a_sweep_on_zeros_is_no_roof) {
  for (Ceiling& c : ceilings)
    if (c.name.starts_with("read_sweep")) c.data_pattern = DataPattern::zeros;
  EXPECT_EQ(limit(2), "l2_read");
  for (Ceiling& c : ceilings) c.data_pattern = DataPattern::random;
  EXPECT_EQ(limit(2), "read_sweep_2");
}

TEST_F(ReadSweepTest, the_order_in_the_document_does_not_matter) {
  const double before = rate(3);
  std::ranges::reverse(ceilings);
  EXPECT_EQ(rate(3), before);
}

TEST_F(ReadSweepTest, without_a_sweep_warm_cases_are_held_to_l2_up_to_four_times_its_size) {
  lose_sweep();
  for (const double set : {0.5, 1.0, 4.0}) {
    EXPECT_EQ(limit(set), "l2_read") << set;
    EXPECT_DOUBLE_EQ(rate(set), 400e9) << set;
  }
  EXPECT_EQ(limit(4.01), "dram_read");
  // DRAM is not asked for: what it does better than L2 is no reason.
  named("dram_read").value = 500e9;
  EXPECT_EQ(limit(2), "l2_read");
}

TEST_F(ReadSweepTest, cold_cases_are_held_to_dram) {
  cache = CacheMode::cold;
  for (const double set : {0.5, 1.0, 4.0}) EXPECT_EQ(limit(set), "dram_read") << set;
}

TEST_F(ReadSweepTest, the_transition_is_noted_as_it_is_without_a_sweep) {
  using Notes = std::vector<std::string>;
  for (int sweep = 1; sweep >= 0; --sweep) {
    EXPECT_EQ(at(0.6).notes, Notes{}) << sweep;
    EXPECT_EQ(at(0.61).notes, Notes{"l2_transition"}) << sweep;
    EXPECT_EQ(at(4).notes, Notes{"l2_transition"}) << sweep;
    EXPECT_EQ(at(4.01).notes, Notes{}) << sweep;
    lose_sweep();
  }
}

}  // namespace
}  // namespace gpubench
