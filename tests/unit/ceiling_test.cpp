#include "roofline/ceiling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "fake_device.hpp"
#include "roofline/candidates.hpp"

namespace gpubench {
namespace {

DeviceFacts cuda_facts(int capability) {
  DeviceFacts facts;
  facts.kind = DeviceKind::cuda;
  facts.id = "cuda:0";
  facts.name = "Some GPU";
  facts.compute_capability = capability;
  facts.sm_clock_max_hz = 2e9;
  return facts;
}

DeviceFacts host_facts() {
  DeviceFacts facts;
  facts.id = "host";
  facts.name = "Some CPU";
  return facts;
}

FakeDevice fake(DeviceFacts facts) {
  FakeDevice device;
  device.facts() = std::move(facts);
  return device;
}

CeilingCandidate candidate(Device& device, std::string technique, double amount, double seconds) {
  CeilingCandidate c;
  c.technique = std::move(technique);
  c.amount = amount;
  c.working_set_bytes = 4096;
  c.launch = [&device, seconds](Stream) { static_cast<FakeDevice&>(device).seconds = {seconds}; };
  return c;
}

CeilingSpec made_up_spec() {
  CeilingSpec spec;
  spec.name = "made_up";
  spec.unit = "byte/s";
  spec.device = DeviceKind::cuda;
  spec.uses_data = true;
  spec.from_s = 0;
  spec.until_s = 0.002;
  spec.theoretical = [](const DeviceFacts&) { return std::optional<double>(8e9); };
  spec.prepare = [](Device& device, DataPattern) {
    std::vector<CeilingCandidate> candidates;
    candidates.push_back(candidate(device, "slow", 1e6, 1e-3));
    candidates.push_back(candidate(device, "fast", 2e6, 0.5e-3));
    candidates.push_back(candidate(device, "large", 2e6, 1e-3));
    return candidates;
  };
  return spec;
}

TEST(Ceilings, the_core_ceilings_are_listed_for_cuda) {
  for (int capability : {75, 80, 86, 89, 90, 100, 120})
    for (std::string_view name : core_ceilings(DeviceKind::cuda)) {
      const SpecChoice choice = choose_spec(ceiling_specs(), name, cuda_facts(capability));
      if (built_with_cuda)
        EXPECT_TRUE(choice.spec) << name << " at " << capability << ": " << choice.reason;
      else
        EXPECT_EQ(choice.reason, "this gpubench was built without CUDA");
    }
}

TEST(Ceilings, the_tensor_cores_of_9_0_are_measured_with_wgmma_and_others_with_mma_sync) {
  if (!built_with_cuda) GTEST_SKIP() << "built without CUDA";
  for (std::string_view name :
       {"tf32_tensor", "f16_tensor", "bf16_tensor", "fp8_tensor", "int8_tensor"}) {
    const auto exact = [&](int capability) {
      const SpecChoice choice = choose_spec(ceiling_specs(), name, cuda_facts(capability));
      return choice.spec && choice.spec->needs.exact_architecture;
    };
    EXPECT_TRUE(exact(90)) << name;
    for (int capability : {75, 80, 89, 100, 120})
      EXPECT_FALSE(exact(capability)) << name << " at " << capability;
  }
  // wgmma has no f64.
  const SpecChoice f64 = choose_spec(ceiling_specs(), "f64_tensor", cuda_facts(90));
  ASSERT_TRUE(f64.spec);
  EXPECT_FALSE(f64.spec->needs.exact_architecture);
}

TEST(Ceilings, a_type_that_the_hardware_lacks_is_skipped_with_the_first_that_has_it) {
  if (!built_with_cuda) GTEST_SKIP() << "built without CUDA";
  const std::map<std::string_view, int> first = {
      {"fp32_fma", 75},    {"fp64_fma", 75},    {"int32", 75},
      {"f64_tensor", 80},  {"tf32_tensor", 80}, {"f16_tensor", 75},
      {"bf16_tensor", 80}, {"fp8_tensor", 89},  {"int8_tensor", 75}};
  for (const auto& [name, needed] : first)
    for (int capability : {75, 80, 86, 89, 90, 100, 103, 120}) {
      const SpecChoice choice = choose_spec(ceiling_specs(), name, cuda_facts(capability));
      EXPECT_EQ(choice.spec != nullptr, capability >= needed) << name << " at " << capability;
    }
  EXPECT_EQ(choose_spec(ceiling_specs(), "fp8_tensor", cuda_facts(86)).reason,
            "needs compute capability 8.9 or newer; Some GPU has 8.6");
  FakeDevice device = fake(cuda_facts(75));
  const Ceiling skipped = measure_ceiling(device, "bf16_tensor");
  EXPECT_EQ(skipped.status, "skipped");
  EXPECT_EQ(skipped.unit, "flop/s");
  EXPECT_EQ(skipped.reason, "needs compute capability 8.0 or newer; Some GPU has 7.5");
}

TEST(Ceilings, a_compute_ceiling_scales_with_the_clock_and_integers_count_operations) {
  for (const CeilingSpec& spec : ceiling_specs()) {
    if (spec.device != DeviceKind::cuda) continue;
    const bool tensor = spec.name.ends_with("_tensor");
    const bool compute = tensor || spec.name.ends_with("_fma") || spec.name == "int32";
    const bool integers = spec.name.starts_with("int");
    if (!compute) continue;
    EXPECT_TRUE(spec.scales_with_clock) << spec.name;
    EXPECT_EQ(spec.unit, integers ? "op/s" : "flop/s") << spec.name;
    EXPECT_EQ(spec.uses_data, tensor) << spec.name;  // the others read nothing
    EXPECT_TRUE(spec.theoretical) << spec.name;
    EXPECT_EQ(spec.from_s, 0.5) << spec.name;
    EXPECT_EQ(spec.until_s, spec.name == "fp32_fma" ? 0.7 : 1.0) << spec.name;
  }
}

TEST(Ceilings, no_two_specs_of_one_device_kind_share_name_and_requirement) {
  std::set<std::tuple<std::string_view, DeviceKind, int, bool>> seen;
  for (const CeilingSpec& spec : ceiling_specs())
    EXPECT_TRUE(seen.insert({spec.name, spec.device, spec.needs.compute_capability,
                             spec.needs.exact_architecture})
                    .second)
        << spec.name;
}

TEST(Ceilings, a_spec_is_complete) {
  const std::set<std::string_view> units = {"flop/s", "op/s", "byte/s", "s"};
  for (const CeilingSpec& spec : ceiling_specs()) {
    EXPECT_FALSE(spec.name.empty());
    EXPECT_TRUE(units.contains(spec.unit)) << spec.name;
    EXPECT_LT(spec.from_s, spec.until_s) << spec.name;
    EXPECT_EQ(spec.prepare != nullptr, spec.device == DeviceKind::host || built_with_cuda)
        << spec.name;
  }
}

TEST(Ceilings, the_cuda_core_ceilings_take_less_than_three_seconds_of_load) {
  double total_s = 0;
  for (std::string_view name : core_ceilings(DeviceKind::cuda)) {
    const auto spec = std::ranges::find_if(ceiling_specs(), [&](const CeilingSpec& s) {
      return s.name == name && s.device == DeviceKind::cuda;
    });
    ASSERT_NE(spec, ceiling_specs().end()) << name;
    total_s += spec->until_s;
  }
  EXPECT_LE(total_s, 2.75);  // the rest is for the trials
}

TEST(Ceilings, the_host_has_its_core_ceilings_but_for_the_tensor_cores_which_are_skipped) {
  for (std::string_view name : core_ceilings(DeviceKind::host))
    EXPECT_EQ(choose_spec(ceiling_specs(), name, host_facts()).spec != nullptr,
              name != "f16_tensor")
        << name;
  FakeDevice host = fake(host_facts());
  const Ceiling skipped = measure_ceiling(host, "f16_tensor");
  EXPECT_EQ(skipped.name, "f16_tensor");
  EXPECT_EQ(skipped.unit, "flop/s");
  EXPECT_EQ(skipped.status, "skipped");
  EXPECT_EQ(skipped.reason, "needs a cuda device; this device is host");
  EXPECT_FALSE(skipped.value);
  EXPECT_FALSE(skipped.timing);
}

TEST(Ceilings, the_read_sweep_goes_up_from_a_quarter_of_l2_to_sixteen_within_two_seconds) {
  std::vector<double> sets;  // in units of L2, as the names say
  double total_s = 0;
  for (const std::string_view name : ceiling_names(DeviceKind::cuda)) {
    constexpr std::string_view prefix = "read_sweep_";
    if (!name.starts_with(prefix)) continue;
    const CeilingSpec& spec = *find_spec(DeviceKind::cuda, name);
    EXPECT_EQ(spec.unit, "byte/s") << name;
    EXPECT_TRUE(spec.uses_data) << name;
    EXPECT_FALSE(spec.scales_with_clock) << name;  // it would cost a second of idle for a burst
    EXPECT_EQ(std::ranges::count(core_ceilings(DeviceKind::cuda), name), 0) << name;
    sets.push_back(parse_number(name.substr(prefix.size())).value_or(0));
    total_s += spec.until_s;
  }
  ASSERT_GE(sets.size(), 9u);
  EXPECT_TRUE(std::ranges::is_sorted(sets));
  EXPECT_EQ(sets.front(), 0.25);
  EXPECT_EQ(sets.back(), 16);
  EXPECT_LE(total_s, 1.6);  // the rest is for the trials
  EXPECT_EQ(std::ranges::count_if(ceiling_names(DeviceKind::host),
                                  [](auto name) { return name.starts_with("read_sweep"); }),
            0);
}

TEST(Ceilings, the_host_has_more_than_its_core_ceilings) {
  for (const std::string_view name : {"fp64_fma", "core_l2_read"}) {
    ASSERT_TRUE(find_spec(DeviceKind::host, name)) << name;
    EXPECT_EQ(std::ranges::count(core_ceilings(DeviceKind::host), name), 0) << name;
  }
}

TEST(Ceilings, a_host_without_caches_of_its_cores_skips_their_ceiling) {
  DeviceFacts facts = host_facts();
  const auto reason = [&] { return choose_spec(ceiling_specs(), "core_l2_read", facts).reason; };
  EXPECT_EQ(reason(), "the system does not say how large the caches below the last level are");
  facts.core_l1_bytes = facts.inner_cache_bytes = 64 << 10;
  EXPECT_EQ(reason(), "no cache several times larger than L1 is between it and the last level");
  facts.inner_cache_bytes = 512 << 10;
  EXPECT_TRUE(choose_spec(ceiling_specs(), "core_l2_read", facts).spec);
}

TEST(Ceilings, an_unknown_name_is_a_usage_error_that_names_the_nearest) {
  FakeDevice host = fake(host_facts());
  try {
    measure_ceiling(host, "dram_raed");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("dram_read"), std::string::npos);
  }
}

TEST(Ceilings, the_first_spec_whose_requirement_is_met_is_chosen) {
  std::vector<CeilingSpec> specs(2, made_up_spec());
  specs[0].needs = {.compute_capability = 90, .exact_architecture = true};
  specs[1].needs = {.compute_capability = 75};
  EXPECT_EQ(choose_spec(specs, "made_up", cuda_facts(90)).spec, &specs[0]);
  EXPECT_EQ(choose_spec(specs, "made_up", cuda_facts(100)).spec, &specs[1]);
  const SpecChoice none = choose_spec(specs, "made_up", cuda_facts(70));
  EXPECT_FALSE(none.spec);
  EXPECT_EQ(none.reason, "needs compute capability 7.5 or newer; Some GPU has 7.0");
}

TEST(Ceilings, the_fastest_candidate_of_the_trial_is_measured) {
  FakeDevice device = fake(cuda_facts(90));
  const Ceiling c = measure_spec(device, made_up_spec(), DataPattern::random);
  EXPECT_EQ(c.status, "ok") << c.reason.value_or("");
  EXPECT_EQ(c.name, "made_up");
  EXPECT_EQ(c.technique, "fast");
  EXPECT_DOUBLE_EQ(*c.value, 4e9);
  EXPECT_DOUBLE_EQ(*c.sustained, 4e9);
  EXPECT_FALSE(c.burst);
  EXPECT_EQ(c.working_set_bytes, 4096);
  EXPECT_EQ(c.data_pattern, DataPattern::random);
  EXPECT_DOUBLE_EQ(*c.theoretical, 8e9);
  EXPECT_DOUBLE_EQ(*c.percent_of_theoretical, 50);
  EXPECT_FALSE(c.percent_of_theoretical_at_clock);  // it does not scale with the clock
  ASSERT_TRUE(c.timing);
  EXPECT_DOUBLE_EQ(c.timing->median_s, 0.5e-3);
}

TEST(Ceilings, percent_at_clock_is_of_the_theoretical_figure_at_the_clock_that_ran) {
  FakeDevice device = fake(cuda_facts(90));
  CeilingSpec spec = made_up_spec();
  spec.scales_with_clock = true;
  // 1 of 2 GHz: 4e9 of 4e9.
  EXPECT_DOUBLE_EQ(*measure_spec(device, spec, DataPattern::random).percent_of_theoretical_at_clock,
                   100);

  Measurement without_clock;
  without_clock.timing = summarize({1e-3});
  Ceiling ceiling;
  record(ceiling, spec, candidate(device, "any", 1e6, 1e-3), without_clock, device.facts());
  EXPECT_DOUBLE_EQ(*ceiling.percent_of_theoretical, 12.5);
  EXPECT_FALSE(ceiling.percent_of_theoretical_at_clock);
}

TEST(Ceilings, a_latency_is_the_seconds_of_one_and_has_no_percentage) {
  FakeDevice device = fake(cuda_facts(90));
  CeilingSpec spec = made_up_spec();
  spec.unit = "s";
  spec.scales_with_clock = true;
  spec.prepare = [](Device& device, DataPattern) {
    std::vector<CeilingCandidate> candidates;
    candidates.push_back(candidate(device, "slow", 1000, 1e-3));
    candidates.push_back(candidate(device, "fast", 4000, 2e-3));
    return candidates;
  };
  const Ceiling c = measure_spec(device, spec, DataPattern::random);
  EXPECT_EQ(c.technique, "fast");
  EXPECT_EQ(c.unit, "s");
  EXPECT_DOUBLE_EQ(*c.value, 0.5e-6);  // 2 ms / 4000
  EXPECT_DOUBLE_EQ(*c.sustained, 0.5e-6);
  EXPECT_FALSE(c.theoretical);
  EXPECT_FALSE(c.percent_of_theoretical);
  EXPECT_FALSE(c.percent_of_theoretical_at_clock);
}

TEST(Ceilings, a_run_on_zeros_is_named_so) {
  FakeDevice device = fake(cuda_facts(90));
  CeilingSpec spec = made_up_spec();
  const Ceiling zeros = measure_spec(device, spec, DataPattern::zeros);
  EXPECT_EQ(zeros.name, "made_up_zeros");
  EXPECT_EQ(zeros.data_pattern, DataPattern::zeros);
  spec.uses_data = false;
  const Ceiling none = measure_spec(device, spec, DataPattern::zeros);
  EXPECT_EQ(none.name, "made_up");
  EXPECT_FALSE(none.data_pattern);
}

TEST(Ceilings, a_launch_that_fails_gives_status_failed_with_its_reason) {
  FakeDevice device = fake(cuda_facts(90));
  CeilingSpec spec = made_up_spec();
  spec.prepare = [](Device&, DataPattern) {
    CeilingCandidate c;
    c.launch = [](Stream) { throw Error(ExitCode::no_device, "the launch failed"); };
    std::vector<CeilingCandidate> candidates;
    candidates.push_back(std::move(c));
    return candidates;
  };
  const Ceiling c = measure_spec(device, spec, DataPattern::random);
  EXPECT_EQ(c.status, "failed");
  EXPECT_EQ(c.reason, "the launch failed");
  EXPECT_FALSE(c.value);
}

TEST(Ceilings, an_interrupt_is_passed_on) {
  FakeDevice device = fake(cuda_facts(90));
  CeilingSpec spec = made_up_spec();
  spec.prepare = [](Device&, DataPattern) -> std::vector<CeilingCandidate> { throw Interrupted(); };
  EXPECT_THROW(measure_spec(device, spec, DataPattern::random), Interrupted);
}

}  // namespace
}  // namespace gpubench
