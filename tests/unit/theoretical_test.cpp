#include "roofline/theoretical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gpubench {
namespace {

TEST(Theoretical, an_h200s_figures_follow_from_its_facts) {
  DeviceFacts facts;
  facts.name = "NVIDIA H200";
  facts.compute_capability = 90;
  facts.multiprocessors = 132;
  facts.sm_clock_max_hz = 1.98e9;
  facts.memory_clock_max_hz = 3.201e9;
  facts.memory_bus_bits = 6144;
  EXPECT_NEAR(*theoretical(Pipe::fp32_fma, facts), 66.908e12, 1e9);  // 132 x 256 x 1.98e9
  EXPECT_NEAR(*theoretical(Pipe::fp64_fma, facts), 33.454e12, 1e9);
  EXPECT_NEAR(*theoretical(Pipe::int32, facts), 33.454e12, 1e9);
  EXPECT_NEAR(*theoretical(Pipe::f64_tensor, facts), 66.908e12, 1e9);
  EXPECT_NEAR(*theoretical(Pipe::tf32_tensor, facts), 535.27e12, 1e10);
  EXPECT_NEAR(*theoretical(Pipe::f16_tensor, facts), 1070.53e12, 1e10);  // 132 x 4096 x 1.98e9
  EXPECT_NEAR(*theoretical(Pipe::bf16_tensor, facts), 1070.53e12, 1e10);
  EXPECT_NEAR(*theoretical(Pipe::fp8_tensor, facts), 2141.06e12, 1e10);
  EXPECT_NEAR(*theoretical(Pipe::int8_tensor, facts), 2141.06e12, 1e10);
  EXPECT_NEAR(*theoretical_dram(facts), 4916.7e9, 1e8);  // 3.201e9 x 2 x 768
}

TEST(Theoretical, shared_memory_reads_32_banks_a_clock_and_half_of_it_on_turing) {
  DeviceFacts facts;
  facts.compute_capability = 90;
  facts.multiprocessors = 132;
  facts.sm_clock_max_hz = 1.98e9;
  EXPECT_NEAR(*theoretical_shared(facts), 33.454e12, 1e9);  // 132 x 128 x 1.98e9
  facts.compute_capability = 75;
  EXPECT_NEAR(*theoretical_shared(facts), 16.727e12, 1e9);
  facts.compute_capability = 61;
  EXPECT_FALSE(theoretical_shared(facts));
}

constexpr Pipe all_pipes[] = {Pipe::fp32_fma,    Pipe::fp64_fma,    Pipe::int32,
                              Pipe::f64_tensor,  Pipe::tf32_tensor, Pipe::f16_tensor,
                              Pipe::bf16_tensor, Pipe::fp8_tensor,  Pipe::int8_tensor};

TEST(Theoretical, unknown_facts_give_no_figure) {
  DeviceFacts facts;
  EXPECT_FALSE(theoretical_dram(facts));
  for (Pipe pipe : all_pipes) EXPECT_FALSE(theoretical(pipe, facts));
  facts.compute_capability = 90;
  facts.multiprocessors = 132;
  for (Pipe pipe : all_pipes) EXPECT_FALSE(theoretical(pipe, facts));  // the clock is missing
  facts.sm_clock_max_hz = 1e9;
  for (Pipe pipe : all_pipes) EXPECT_TRUE(theoretical(pipe, facts));
  facts.compute_capability = 61;  // not in the tables
  for (Pipe pipe : all_pipes) EXPECT_FALSE(theoretical(pipe, facts));
}

TEST(Theoretical, rates_a_clock_follow_the_compute_capability) {
  EXPECT_EQ(operations_per_clock(Pipe::fp32_fma, 75), 128);
  EXPECT_EQ(operations_per_clock(Pipe::fp32_fma, 80), 128);
  for (int capability : {86, 89, 90, 120})
    EXPECT_EQ(operations_per_clock(Pipe::fp32_fma, capability), 256);
  EXPECT_EQ(operations_per_clock(Pipe::f16_tensor, 75), 1024);
  EXPECT_EQ(operations_per_clock(Pipe::f16_tensor, 80), 2048);
  EXPECT_EQ(operations_per_clock(Pipe::f16_tensor, 90), 4096);
  EXPECT_EQ(operations_per_clock(Pipe::fp64_fma, 80), 64);
  EXPECT_EQ(operations_per_clock(Pipe::fp64_fma, 86), 4);
  EXPECT_EQ(operations_per_clock(Pipe::int8_tensor, 75), 2048);
}

TEST(Theoretical, a_unit_that_an_architecture_lacks_has_no_rate) {
  for (Pipe pipe : {Pipe::f64_tensor, Pipe::tf32_tensor, Pipe::bf16_tensor, Pipe::fp8_tensor})
    EXPECT_FALSE(operations_per_clock(pipe, 75));
  EXPECT_FALSE(operations_per_clock(Pipe::fp8_tensor, 80));
  for (int capability : {86, 89, 120})
    EXPECT_FALSE(operations_per_clock(Pipe::f64_tensor, capability));
}

DeviceFacts card(std::string name, int compute_capability, int multiprocessors, double clock_hz) {
  DeviceFacts facts;
  facts.name = std::move(name);
  facts.compute_capability = compute_capability;
  facts.multiprocessors = multiprocessors;
  facts.sm_clock_max_hz = clock_hz;
  return facts;
}

// Against the peaks that NVIDIA prints, in units of 1e12: white papers of Ampere, of GA102, of Ada.
TEST(Theoretical, the_figures_are_those_of_the_white_papers) {
  const DeviceFacts a100 = card("NVIDIA A100", 80, 108, 1.41e9);
  EXPECT_NEAR(*theoretical(Pipe::fp64_fma, a100) / 1e12, 9.7, 0.05);
  EXPECT_NEAR(*theoretical(Pipe::f64_tensor, a100) / 1e12, 19.5, 0.05);
  EXPECT_NEAR(*theoretical(Pipe::int32, a100) / 1e12, 19.5, 0.05);
  EXPECT_NEAR(*theoretical(Pipe::tf32_tensor, a100) / 1e12, 156, 0.5);
  EXPECT_NEAR(*theoretical(Pipe::bf16_tensor, a100) / 1e12, 312, 0.5);
  EXPECT_NEAR(*theoretical(Pipe::int8_tensor, a100) / 1e12, 624, 0.5);
  const DeviceFacts t4 = card("Tesla T4", 75, 40, 1.59e9);
  EXPECT_NEAR(*theoretical(Pipe::int8_tensor, t4) / 1e12, 130, 0.5);
}

TEST(Theoretical, a_geforce_accumulates_in_f32_at_half_rate_and_integers_at_full) {
  const DeviceFacts ampere = card("NVIDIA GeForce RTX 3090", 86, 82, 1.695e9);
  EXPECT_NEAR(*theoretical(Pipe::f16_tensor, ampere) / 1e12, 71, 0.3);
  EXPECT_NEAR(*theoretical(Pipe::tf32_tensor, ampere) / 1e12, 35.6, 0.1);
  EXPECT_NEAR(*theoretical(Pipe::int8_tensor, ampere) / 1e12, 284, 1);
  const DeviceFacts ada = card("NVIDIA GeForce RTX 4090", 89, 128, 2.52e9);
  EXPECT_NEAR(*theoretical(Pipe::bf16_tensor, ada) / 1e12, 165.2, 0.1);
  EXPECT_NEAR(*theoretical(Pipe::fp8_tensor, ada) / 1e12, 330.3, 0.1);
  EXPECT_NEAR(*theoretical(Pipe::int8_tensor, ada) / 1e12, 660.6, 0.1);
}

TEST(Theoretical, the_length_of_a_launch_is_chosen_by_a_low_guess_where_no_rate_is_known) {
  DeviceFacts facts = card("Some GPU", 90, 132, 1.98e9);
  for (Pipe pipe : all_pipes) EXPECT_EQ(launch_rate(pipe, facts), operations_per_clock(pipe, 90));
  facts.compute_capability = 86;
  EXPECT_EQ(launch_rate(Pipe::f64_tensor, facts), 4);  // the cores stand in for the unit
  facts.compute_capability.reset();
  for (Pipe pipe : all_pipes) EXPECT_GT(launch_rate(pipe, facts), 0);
}

}  // namespace
}  // namespace gpubench
