#include "roofline/roof.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gpubench {
namespace {

constexpr std::int64_t MiB = 1 << 20;

Ceiling ceiling(std::string name, double value, std::optional<double> clock_hz = {}) {
  Ceiling c;
  c.name = std::move(name);
  c.value = value;
  c.sustained = value;
  c.telemetry.sm_clock_during_hz = clock_hz;
  return c;
}

// A device of round numbers: 1 TFLOP/s, 10 TFLOP/s in f16, 100 GB/s, 400 GB/s from 40 MiB of L2.
class RoofTest : public ::testing::Test {
 protected:
  RoofTest() { facts.l2_bytes = 40 * MiB; }
  Placement place(double seconds, std::optional<double> clock_hz = {}) const {
    return place_under_roof(work, dtype, cache, {seconds, clock_hz, burst_s}, ceilings, facts);
  }
  void lose(std::string_view name) {
    std::erase_if(ceilings, [&](const Ceiling& c) { return c.name == name; });
  }

  DeviceFacts facts;
  std::optional<double> burst_s;
  std::vector<Ceiling> ceilings = {ceiling("fp32_fma", 1e12, 2e9),
                                   ceiling("f16_tensor", 10e12, 1.5e9), ceiling("dram_read", 100e9),
                                   ceiling("l2_read", 400e9)};
  Work work{.flops = 2e9,
            .bytes_read = 600e6,
            .bytes_written = 200e6,
            .working_set_bytes = 8.0 * MiB,
            .convention = "made up"};
  DType dtype = DType::f32;
  CacheMode cache = CacheMode::warm;
};

using Notes = std::vector<std::string>;

TEST_F(RoofTest, a_small_warm_case_is_held_to_l2_and_arithmetic_whichever_takes_longer) {
  // 2e9 / 1e12 = 2 ms of arithmetic, 800e6 / 400e9 = 2 ms of traffic.
  work.flops = 3e9;
  Placement p = place(0.006);
  ASSERT_TRUE(p.roof);
  EXPECT_EQ(p.roof->compute_ceiling, "fp32_fma");
  EXPECT_EQ(p.roof->memory_ceiling, "l2_read");
  EXPECT_DOUBLE_EQ(*p.roof->compute_flops_per_s, 1e12);
  EXPECT_DOUBLE_EQ(*p.roof->memory_bytes_per_s, 400e9);
  EXPECT_EQ(p.roof->limited_by, "fp32_fma");
  EXPECT_DOUBLE_EQ(p.roof->attainable_s, 0.003);
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 50);
  EXPECT_FALSE(p.roof->above_roof);
  EXPECT_TRUE(p.notes.empty());

  work.flops = 1e9;
  p = place(0.004);
  EXPECT_EQ(p.roof->limited_by, "l2_read");
  EXPECT_DOUBLE_EQ(p.roof->attainable_s, 0.002);
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 50);
}

TEST_F(RoofTest, the_transition_from_l2_to_dram_is_noted_above_six_tenths_of_l2) {
  work.working_set_bytes = 24.0 * MiB;
  EXPECT_EQ(place(0.01).notes, Notes{});
  work.working_set_bytes = 24.0 * MiB + 1;
  EXPECT_EQ(place(0.01).notes, Notes{"l2_transition"});
  EXPECT_EQ(place(0.01).roof->memory_ceiling, "l2_read");
  work.working_set_bytes = 160.0 * MiB;
  EXPECT_EQ(place(0.01).notes, Notes{"l2_transition"});
  EXPECT_EQ(place(0.01).roof->memory_ceiling, "l2_read");
}

TEST_F(RoofTest, what_the_inner_caches_of_a_host_hold_is_held_to_no_memory_ceiling) {
  facts.inner_cache_bytes = 4 * MiB;
  work.flops = 1e9;
  Placement p = place(0.004);
  ASSERT_TRUE(p.roof);
  EXPECT_FALSE(p.roof->memory_ceiling);
  EXPECT_EQ(p.roof->limited_by, "fp32_fma");
  EXPECT_EQ(p.notes, Notes{"inner_caches"});
  work.working_set_bytes = 8.0 * MiB + 1;
  p = place(0.004);
  EXPECT_EQ(p.roof->memory_ceiling, "l2_read");
  EXPECT_EQ(p.notes, Notes{});
}

TEST_F(RoofTest, a_warm_case_beyond_four_times_l2_is_held_to_dram) {
  work.working_set_bytes = 160.0 * MiB + 1;
  const Placement p = place(0.016);
  EXPECT_EQ(p.roof->memory_ceiling, "dram_read");
  EXPECT_EQ(p.roof->limited_by, "dram_read");
  EXPECT_DOUBLE_EQ(p.roof->attainable_s, 0.008);  // 800e6 / 100e9
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 50);
  EXPECT_TRUE(p.notes.empty());
}

TEST_F(RoofTest, a_device_that_does_not_tell_its_l2_is_held_to_dram) {
  facts.l2_bytes.reset();
  EXPECT_EQ(place(0.016).roof->memory_ceiling, "dram_read");
  work.working_set_bytes = 0;
  EXPECT_EQ(place(0.016).roof->memory_ceiling, "dram_read");
}

TEST_F(RoofTest, a_cold_case_reads_from_dram_and_what_it_writes_stays_in_l2_where_it_fits) {
  cache = CacheMode::cold;
  work.bytes_read = 300e6;
  work.bytes_written = 40.0 * MiB;
  Placement p = place(0.006);
  EXPECT_EQ(p.roof->memory_ceiling, "dram_read");
  EXPECT_DOUBLE_EQ(p.roof->attainable_s, 0.003);
  EXPECT_TRUE(p.notes.empty());

  work.bytes_written = 100e6;  // does not fit in 40 MiB
  p = place(0.006);
  EXPECT_DOUBLE_EQ(p.roof->attainable_s, 0.004);
}

// 100 GB/s reading, 160 at a third written, 130 at a half.
class WriteShareTest : public RoofTest {
 protected:
  WriteShareTest() {
    ceilings.push_back(ceiling("dram_triad", 160e9));
    ceilings.push_back(ceiling("dram_copy", 130e9));
    work.flops = 0;
    work.working_set_bytes = 1e9;
  }
  Roof roof(double read, double written) {
    work.bytes_read = read;
    work.bytes_written = written;
    return *place(0.01).roof;
  }
};

TEST_F(WriteShareTest, at_a_measured_share_the_dram_limit_is_what_was_measured) {
  EXPECT_EQ(roof(600e6, 0).memory_ceiling, "dram_read");
  EXPECT_DOUBLE_EQ(*roof(600e6, 0).memory_bytes_per_s, 100e9);
  const Roof third = roof(400e6, 200e6);
  EXPECT_EQ(third.memory_ceiling, "dram_triad");
  EXPECT_EQ(third.limited_by, "dram_triad");
  EXPECT_DOUBLE_EQ(*third.memory_bytes_per_s, 160e9);
  EXPECT_DOUBLE_EQ(third.attainable_s, 0.00375);  // 600e6 / 160e9
  EXPECT_DOUBLE_EQ(third.percent_of_roof, 37.5);
  EXPECT_EQ(roof(300e6, 300e6).memory_ceiling, "dram_copy");
  EXPECT_DOUBLE_EQ(*roof(300e6, 300e6).memory_bytes_per_s, 130e9);
}

TEST_F(WriteShareTest, between_them_it_is_interpolated_and_named_after_the_nearest) {
  // A twelfth is a quarter of the way to a third: 100 + 60 / 4.
  EXPECT_NEAR(*roof(1100e6, 100e6).memory_bytes_per_s, 115e9, 1);
  EXPECT_EQ(roof(1100e6, 100e6).limited_by, "dram_read");
  // A quarter is three quarters of the way.
  EXPECT_NEAR(*roof(900e6, 300e6).memory_bytes_per_s, 145e9, 1);
  EXPECT_EQ(roof(900e6, 300e6).limited_by, "dram_triad");
  // Five twelfths are half-way between a third and a half.
  EXPECT_NEAR(*roof(700e6, 500e6).memory_bytes_per_s, 145e9, 1);
}

TEST_F(WriteShareTest, beyond_the_last_measured_share_it_is_level) {
  EXPECT_EQ(roof(0, 600e6).memory_ceiling, "dram_copy");
  EXPECT_DOUBLE_EQ(*roof(0, 600e6).memory_bytes_per_s, 130e9);
  // With dram_write at 50: three quarters are half-way from 130.
  ceilings.push_back(ceiling("dram_write", 50e9));
  EXPECT_NEAR(*roof(150e6, 450e6).memory_bytes_per_s, 90e9, 1);
  EXPECT_EQ(roof(0, 600e6).memory_ceiling, "dram_write");
}

TEST_F(WriteShareTest, a_ceiling_that_failed_is_passed_over) {
  ceilings[4].status = "failed";  // dram_triad
  // A quarter is half of the way from 0 to a half: 115.
  EXPECT_NEAR(*roof(900e6, 300e6).memory_bytes_per_s, 115e9, 1);
  lose("dram_read");
  EXPECT_DOUBLE_EQ(*roof(900e6, 300e6).memory_bytes_per_s, 130e9);
  lose("dram_copy");
  EXPECT_FALSE(place(0.01).roof);
}

TEST_F(WriteShareTest, traffic_that_stays_in_l2_has_no_share) {
  cache = CacheMode::cold;
  const Roof cold = roof(300e6, 40.0 * MiB);  // what is written fits: all of DRAM's is reading
  EXPECT_EQ(cold.memory_ceiling, "dram_read");
  EXPECT_DOUBLE_EQ(cold.attainable_s, 0.003);
  cache = CacheMode::warm;
  work.working_set_bytes = 8.0 * MiB;
  EXPECT_EQ(roof(300e6, 300e6).memory_ceiling, "l2_read");
}

TEST_F(RoofTest, without_flops_only_memory_counts) {
  work.flops = 0;
  const Placement p = place(0.004, 1e9);
  EXPECT_FALSE(p.roof->compute_ceiling);
  EXPECT_FALSE(p.roof->compute_flops_per_s);
  EXPECT_FALSE(p.roof->percent_of_roof_at_clock);
  EXPECT_EQ(p.roof->limited_by, "l2_read");
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 50);
}

TEST_F(RoofTest, where_a_ceiling_that_is_needed_is_missing_there_is_no_roof) {
  work.working_set_bytes = 30.0 * MiB;
  const auto all = ceilings;
  lose("l2_read");
  EXPECT_FALSE(place(0.004).roof);
  EXPECT_EQ(place(0.004).notes, Notes{"no_ceiling"});  // nothing was held to L2
  ceilings = all;
  lose("fp32_fma");
  EXPECT_FALSE(place(0.004).roof);
  EXPECT_EQ(place(0.004).notes, Notes{"no_ceiling"});
  work.flops = 0;
  EXPECT_EQ(place(0.004).roof->limited_by, "l2_read");
  cache = CacheMode::cold;
  lose("dram_read");
  EXPECT_FALSE(place(0.004).roof);
}

TEST_F(RoofTest, a_type_whose_ceiling_is_not_measured_has_no_roof) {
  for (const DType type : {DType::bf16, DType::f64}) {
    dtype = type;
    EXPECT_FALSE(place(0.004).roof);
  }
}

TEST_F(RoofTest, what_the_inner_caches_hold_needs_the_compute_ceiling_alone) {
  facts.inner_cache_bytes = 4 * MiB;
  lose("l2_read");
  EXPECT_EQ(place(0.004).roof->limited_by, "fp32_fma");
  lose("fp32_fma");
  EXPECT_FALSE(place(0.004).roof);
  EXPECT_EQ(place(0.004).notes, (Notes{"inner_caches", "no_ceiling"}));
}

TEST_F(RoofTest, a_ceiling_near_zero_makes_no_infinite_percentage) {
  for (Ceiling& c : ceilings) c.value = 1e-300;
  EXPECT_FALSE(place(0.004).roof);
  EXPECT_TRUE(place(0.004).notes.empty());
  ceilings[0].value = 1e12;
  ceilings[3].value = 400e9;
  ceilings[0].telemetry.sm_clock_during_hz = 1e300;
  const Placement p = place(0.004, 1e-300);
  ASSERT_TRUE(p.roof);
  EXPECT_FALSE(p.roof->percent_of_roof_at_clock);
}

TEST_F(RoofTest, skipped_and_failed_ceilings_and_runs_on_zeros_are_no_roofs) {
  ceilings[0].status = "failed";
  ceilings[0].value.reset();
  ceilings.push_back(ceiling("fp32_fma_zeros", 2e12));
  EXPECT_FALSE(place(0.004).roof);
}

TEST_F(RoofTest, the_compute_ceiling_follows_the_type_or_the_unit_the_work_names) {
  dtype = DType::f16;
  EXPECT_EQ(place(0.01).roof->compute_ceiling, "f16_tensor");
  dtype = DType::f32;
  work.compute_ceiling = "f16_tensor";
  EXPECT_EQ(place(0.01).roof->compute_ceiling, "f16_tensor");
  work.compute_ceiling = "tf32_tensor";  // not measured
  EXPECT_FALSE(place(0.01).roof);
  EXPECT_EQ(compute_ceiling_of(DType::bf16), "bf16_tensor");
  EXPECT_EQ(compute_ceiling_of(DType::f64), "fp64_fma");
}

// 50 GB/s to the device, 40 back.
class TransferTest : public RoofTest {
 protected:
  TransferTest() {
    work.host_transfer = true;
    ceilings.push_back(ceiling("pcie_h2d", 50e9));
    ceilings.push_back(ceiling("pcie_d2h", 40e9));
    ceilings.push_back(ceiling("pcie_bidirectional", 60e9));
  }
};

TEST_F(TransferTest, a_trip_is_held_to_the_longer_of_its_two_directions) {
  // 600e6 / 50e9 = 12 ms in, 200e6 / 40e9 = 5 ms out.
  Placement p = place(0.016, 1.5e9);
  ASSERT_TRUE(p.roof);
  EXPECT_EQ(p.roof->memory_ceiling, "pcie_h2d");
  EXPECT_DOUBLE_EQ(*p.roof->memory_bytes_per_s, 50e9);
  EXPECT_EQ(p.roof->limited_by, "pcie_h2d");
  EXPECT_DOUBLE_EQ(p.roof->attainable_s, 0.012);
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 75);
  EXPECT_FALSE(p.roof->above_roof);
  EXPECT_FALSE(p.roof->compute_ceiling);
  EXPECT_FALSE(p.roof->percent_of_roof_at_clock);
  EXPECT_TRUE(p.notes.empty());

  work.bytes_read = 300e6;     // 6 ms in
  work.bytes_written = 320e6;  // 8 ms out
  p = place(0.01);
  EXPECT_EQ(p.roof->memory_ceiling, "pcie_d2h");
  EXPECT_DOUBLE_EQ(*p.roof->memory_bytes_per_s, 40e9);
  EXPECT_EQ(p.roof->limited_by, "pcie_d2h");
  EXPECT_DOUBLE_EQ(p.roof->attainable_s, 0.008);
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 80);
}

TEST_F(TransferTest, neither_the_size_of_l2_nor_the_cache_mode_matters) {
  work.working_set_bytes = 1;
  cache = CacheMode::cold;
  work.bytes_written = 10.0 * MiB;
  EXPECT_DOUBLE_EQ(place(0.016).roof->attainable_s, 0.012);
  EXPECT_TRUE(place(0.016).notes.empty());
}

TEST_F(TransferTest, a_direction_without_bytes_needs_no_ceiling_and_one_with_bytes_does) {
  lose("pcie_h2d");
  EXPECT_FALSE(place(0.01).roof);
  EXPECT_EQ(place(0.01).notes, Notes{"no_ceiling"});
  work.bytes_read = 0;
  EXPECT_EQ(place(0.01).roof->limited_by, "pcie_d2h");
  EXPECT_DOUBLE_EQ(place(0.01).roof->percent_of_roof, 50);  // 5 of 10 ms
  work.bytes_written = 0;
  EXPECT_FALSE(place(0.01).roof);
  EXPECT_TRUE(place(0.01).notes.empty());
}

TEST_F(TransferTest, a_ceiling_near_zero_makes_no_infinite_percentage) {
  for (Ceiling& c : ceilings) c.value = 5e-324;
  EXPECT_FALSE(place(0.01).roof);
}

TEST_F(TransferTest, without_ceilings_of_the_bus_it_has_no_roof) {
  lose("pcie_d2h");
  for (Ceiling& c : ceilings)
    if (c.name == "pcie_h2d") c.status = "failed";
  EXPECT_FALSE(place(0.004).roof);
  EXPECT_EQ(place(0.004).notes, Notes{"no_ceiling"});
}

TEST_F(TransferTest, faster_than_the_bus_is_flagged) {
  const Placement p = place(0.006);
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 200);
  EXPECT_TRUE(p.roof->above_roof);
  EXPECT_EQ(p.notes, Notes{"above_roof"});
}

TEST_F(RoofTest, a_time_of_zero_or_no_number_is_never_divided_by) {
  EXPECT_FALSE(place(0).roof);
  EXPECT_FALSE(place(std::numeric_limits<double>::quiet_NaN()).roof);
}

TEST_F(RoofTest, above_the_roof_by_more_than_one_percent_is_flagged_and_not_clamped) {
  Placement p = place(0.001);  // the roof allows 2 ms
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 200);
  EXPECT_TRUE(p.roof->above_roof);
  EXPECT_EQ(p.notes, Notes{"above_roof"});

  p = place(0.002 / 1.009);
  EXPECT_NEAR(p.roof->percent_of_roof, 100.9, 1e-9);
  EXPECT_FALSE(p.roof->above_roof);
  EXPECT_TRUE(p.notes.empty());
}

TEST_F(RoofTest, percent_at_clock_scales_the_compute_ceiling_to_the_clock_of_the_case) {
  work.flops = 3e9;  // 3 ms at 2 GHz
  // At 1.5 GHz the unit does 0.75e12: 4 ms of the 8 are attainable.
  EXPECT_DOUBLE_EQ(*place(0.008, 1.5e9).roof->percent_of_roof_at_clock, 50);
  EXPECT_DOUBLE_EQ(place(0.008, 1.5e9).roof->percent_of_roof, 37.5);
  // The memory term stays at 2 ms, and takes over where the clock is high.
  EXPECT_DOUBLE_EQ(*place(0.008, 4e9).roof->percent_of_roof_at_clock, 25);
}

TEST_F(RoofTest, a_case_of_a_few_empty_launches_is_bound_by_the_launch) {
  ceilings.push_back(ceiling("latency_launch", 1e-3));
  work.flops = 1e9;
  EXPECT_EQ(place(0.0029).notes, Notes{"launch_bound"});
  EXPECT_EQ(place(0.0031).notes, Notes{});
}

TEST_F(RoofTest, a_burst_is_held_to_the_burst_of_the_ceiling) {
  work.flops = 10e9;
  burst_s = 0.010;
  EXPECT_FALSE(place(0.020).roof->percent_of_roof_burst);  // the ceiling's burst is not known
  ceilings[0].burst = 1.25e12;
  const Placement p = place(0.020);
  EXPECT_DOUBLE_EQ(p.roof->percent_of_roof, 50);         // 10 ms at 1 TFLOP/s of 20
  EXPECT_DOUBLE_EQ(*p.roof->percent_of_roof_burst, 80);  // 8 ms at 1.25 of 10
  burst_s.reset();
  EXPECT_FALSE(place(0.020).roof->percent_of_roof_burst);
}

TEST_F(RoofTest, percent_at_clock_needs_both_clocks) {
  EXPECT_FALSE(place(0.008).roof->percent_of_roof_at_clock);
  ceilings[0].telemetry.sm_clock_during_hz.reset();
  EXPECT_FALSE(place(0.008, 1.5e9).roof->percent_of_roof_at_clock);
}

}  // namespace
}  // namespace gpubench
