// The rule of the gate, from documents to verdicts.
#include "compare/rule.hpp"

#include <gtest/gtest.h>

#include "compare_documents.hpp"

namespace gpubench {
namespace {

using testing::empty_document;
using testing::Folder;
using testing::noisy;
using testing::timed_case;
using testing::timed_ceiling;

using Samples = std::vector<std::vector<double>>;

// One process of 20 samples, `factor` slower than a millisecond.
Samples one_process(double factor, std::uint64_t seed = 1) {
  return {noisy(1e-3 * factor, 0.005, 20, seed)};
}

// Processes whose medians differ by a relative `spread`.
Samples processes(int count, double factor, double spread, std::uint64_t seed) {
  Samples all;
  for (const double seconds : noisy(1e-3 * factor, spread, count, seed))
    all.push_back(noisy(seconds, 0.002, 20, all.size() + seed + 100));
  return all;
}

Document document_of(std::vector<CaseRecord> cases) {
  Document document = empty_document();
  document.cases = std::move(cases);
  return document;
}

class CompareRule : public ::testing::Test {
 protected:
  Comparison compared(const Document& base, const Document& fresh,
                      const CompareOptions& options = {}) {
    return compared(std::vector{base}, std::vector{fresh}, options);
  }
  Comparison compared(const std::vector<Document>& base, const std::vector<Document>& fresh,
                      const CompareOptions& options = {}) {
    return compare(side("base", base, options), side("new", fresh, options), options);
  }
  Side side(const std::string& name, const std::vector<Document>& documents,
            const CompareOptions& options) {
    std::vector<std::string> paths;
    for (Document document : documents) {
      // Of runs one after the other.
      document.started_at = name + std::to_string(paths.size());
      paths.push_back(folder.write(document.started_at + ".json", document));
    }
    return read_side(paths, std::nullopt, options.ignore_device);
  }
  // The one case of both, of these samples.
  Compared verdict(const Samples& base, const Samples& fresh, const CompareOptions& options = {}) {
    const Comparison all = compared(document_of({timed_case(1 << 28, base)}),
                                    document_of({timed_case(1 << 28, fresh)}), options);
    EXPECT_EQ(all.cases.size(), 1u);
    return all.cases.at(0);
  }
  std::string refusal(const Document& base, const Document& fresh,
                      const CompareOptions& options = {}) {
    try {
      compared(base, fresh, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::not_comparable);
      return error.what();
    }
    return "";
  }
  Folder folder;
};

TEST_F(CompareRule, one_process_a_side_is_bootstrapped_and_held_to_a_floor) {
  const Compared found = verdict(one_process(1), one_process(1.1, 2));
  EXPECT_EQ(found.verdict, Verdict::regression);
  EXPECT_EQ(found.method, Method::bootstrap);
  EXPECT_EQ(found.floor_source, "DRAM-sized");
  EXPECT_DOUBLE_EQ(found.threshold, 0.02);  // the floor of 0.7 % is below the least effect
  EXPECT_NEAR(*found.ratio, 1.1, 0.005);
  EXPECT_GT(found.interval->low, 1.09);
  EXPECT_LT(found.interval->high, 1.11);
  EXPECT_NEAR(found.base->value, 1e-3, 1e-5);
  EXPECT_EQ(found.base->samples, 20);
  EXPECT_EQ(found.base->processes, 1);
}

TEST_F(CompareRule, an_improvement_is_symmetric) {
  EXPECT_EQ(verdict(one_process(1.1), one_process(1, 2)).verdict, Verdict::improvement);
  EXPECT_EQ(verdict(one_process(1), one_process(1.005, 2)).verdict, Verdict::same);
  EXPECT_EQ(verdict(one_process(1), one_process(1.02, 2)).verdict, Verdict::inconclusive);
  EXPECT_EQ(verdict(one_process(1.02), one_process(1, 2)).verdict, Verdict::inconclusive);
}

TEST_F(CompareRule, five_processes_a_side_carry_their_noise_in_the_interval) {
  // 10 % between processes hides 3 %, and no floor is added.
  const Compared noisy_case = verdict(processes(5, 1, 0.1, 1), processes(5, 1.03, 0.1, 2));
  EXPECT_EQ(noisy_case.method, Method::welch);
  EXPECT_FALSE(noisy_case.floor);
  EXPECT_EQ(noisy_case.verdict, Verdict::inconclusive);
  EXPECT_NE(noisy_case.reason.find("processes"), std::string::npos) << noisy_case.reason;
  const Compared quiet = verdict(processes(5, 1, 0.001, 1), processes(5, 1.03, 0.001, 2));
  EXPECT_EQ(quiet.verdict, Verdict::regression);
  EXPECT_EQ(quiet.base->processes, 5);
  EXPECT_EQ(quiet.base->samples, 100);
  // Five on one side alone are not enough.
  EXPECT_EQ(verdict(processes(5, 1, 0.001, 1), processes(4, 1.03, 0.001, 2)).method,
            Method::bootstrap);
}

TEST_F(CompareRule, several_documents_a_side_are_more_processes) {
  std::vector<Document> base, fresh;
  for (std::uint64_t i = 0; i < 5; ++i) {
    base.push_back(document_of({timed_case(1, one_process(1, i))}));
    fresh.push_back(document_of({timed_case(1, one_process(1.1, i + 10))}));
  }
  const Comparison all = compared(base, fresh);
  EXPECT_EQ(all.cases.at(0).method, Method::welch);
  EXPECT_EQ(all.cases.at(0).verdict, Verdict::regression);
  EXPECT_EQ(all.base.processes, 5);
  EXPECT_TRUE(all.remarks.empty());
}

TEST_F(CompareRule, too_few_samples_prove_nothing) {
  const Compared found = verdict({noisy(1e-3, 0.001, 8, 1)}, one_process(2));
  EXPECT_EQ(found.verdict, Verdict::insufficient);
  EXPECT_NE(found.reason.find("8 samples"), std::string::npos) << found.reason;
  EXPECT_EQ(verdict({noisy(1e-3, 0.001, 9, 1)}, one_process(2)).verdict, Verdict::regression);
  // Five processes of one sample each are five samples.
  EXPECT_EQ(verdict({{1e-3}, {1e-3}, {1e-3}, {1e-3}, {1e-3}}, processes(5, 2, 0.001, 1)).verdict,
            Verdict::insufficient);
}

TEST_F(CompareRule, the_floor_depends_on_the_kind_of_case) {
  const auto floor_of = [&](CaseRecord base, CaseRecord fresh) {
    return compared(document_of({std::move(base)}), document_of({std::move(fresh)})).cases.at(0);
  };
  const auto with_set = [](double working_set_bytes, double factor) {
    CaseRecord record = timed_case(1, one_process(factor));
    record.work.working_set_bytes = working_set_bytes;
    return record;
  };
  EXPECT_EQ(floor_of(with_set(1e9, 1), with_set(1e9, 1)).floor_source, "DRAM-sized");
  const Compared l2 = floor_of(with_set(100e6, 1), with_set(100e6, 1));
  EXPECT_EQ(l2.floor_source, "L2-sized");
  EXPECT_DOUBLE_EQ(l2.threshold, *l2.floor);
  EXPECT_EQ(floor_of(with_set(1e6, 0.01), with_set(1e6, 0.01)).floor_source, "launch-sized");
  CaseRecord hot = with_set(1e9, 1);
  hot.notes = {"power_limited"};
  EXPECT_EQ(floor_of(with_set(1e9, 1), hot).floor_source, "power-limited");
}

TEST_F(CompareRule, calibrated_floors_replace_the_defaults_and_none_is_none) {
  CompareOptions options;
  options.noise.emplace();
  options.noise->device = "Test GPU";
  const std::string id = timed_case(1 << 28, one_process(1)).id;
  options.noise->cases.push_back({.id = id,
                                  .processes = 5,
                                  .time = 0.2,
                                  .percent_of_roof = {},
                                  .percent_of_roof_at_clock = {},
                                  .energy = {}});
  const Compared calibrated = verdict(one_process(1), one_process(1.1, 2), options);
  EXPECT_EQ(calibrated.verdict, Verdict::same);
  EXPECT_DOUBLE_EQ(calibrated.threshold, 0.2);
  EXPECT_EQ(calibrated.floor_source, "calibrated");
  options.noise.reset();
  options.no_floor = true;
  const Compared none = verdict(one_process(1), one_process(1.1, 2), options);
  EXPECT_EQ(none.verdict, Verdict::regression);
  EXPECT_FALSE(none.floor);
}

TEST_F(CompareRule, a_case_that_is_gone_or_no_longer_ok_is_missing) {
  CaseRecord failed = timed_case(2, one_process(1));
  failed.status = CaseStatus::failed;
  failed.reason = "verification failed";
  const Document base = document_of({timed_case(1, one_process(1)), timed_case(2, one_process(1)),
                                     timed_case(3, one_process(1))});
  const Document fresh = document_of({timed_case(1, one_process(1)), failed});
  const Comparison all = compared(base, fresh);
  ASSERT_EQ(all.cases.size(), 3u);
  EXPECT_EQ(all.cases[0].verdict, Verdict::same);
  EXPECT_EQ(all.cases[1].verdict, Verdict::missing);
  EXPECT_NE(all.cases[1].reason.find("verification failed"), std::string::npos);
  EXPECT_EQ(all.cases[2].verdict, Verdict::missing);
  EXPECT_EQ(exit_code(all), ExitCode::failed);
  CompareOptions allowing;
  allowing.allow_missing = true;
  EXPECT_EQ(exit_code(compared(base, fresh, allowing)), ExitCode::ok);
  // The other way round both are new, and new cases do not fail.
  const Comparison grown = compared(fresh, base);
  EXPECT_EQ(count(grown, Verdict::added), 2);
  EXPECT_EQ(exit_code(grown), ExitCode::ok);
}

TEST_F(CompareRule, a_case_that_one_of_several_new_documents_lacks_is_missing) {
  const Document both = document_of({timed_case(1, one_process(1)), timed_case(2, one_process(1))});
  const Document one = document_of({timed_case(1, one_process(1))});
  EXPECT_EQ(count(compared({both}, {both, one}), Verdict::missing), 1);
  EXPECT_EQ(count(compared({both, one}, {both, both}), Verdict::missing), 0);
}

TEST_F(CompareRule, cases_that_neither_side_measured_are_left_out_and_counted) {
  CaseRecord skipped = timed_case(2, one_process(1));
  skipped.status = CaseStatus::skipped;
  const Document document = document_of({timed_case(1, one_process(1)), skipped});
  const Comparison all = compared(document, document);
  EXPECT_EQ(all.cases.size(), 1u);
  EXPECT_EQ(all.remarks.front(), "1 case was measured on neither side.");
}

TEST_F(CompareRule, one_id_with_another_seed_is_not_comparable) {
  CaseRecord other = timed_case(1, one_process(1));
  other.seed = 2;
  const Comparison all =
      compared(document_of({timed_case(1, one_process(1)), timed_case(2, one_process(1))}),
               document_of({other, timed_case(2, one_process(1))}));
  EXPECT_EQ(all.cases[0].verdict, Verdict::not_comparable);
  EXPECT_NE(all.cases[0].reason.find("seed 2"), std::string::npos) << all.cases[0].reason;
  EXPECT_EQ(exit_code(all), ExitCode::not_comparable);
}

TEST_F(CompareRule, figures_beyond_the_numbers_are_not_comparable) {
  CaseRecord tiny = timed_case(1 << 28, {std::vector<double>(20, 1e-310)});
  tiny.roof.reset();  // whose percentages would be no numbers
  const Comparison all =
      compared(document_of({timed_case(1 << 28, one_process(1))}), document_of({tiny}));
  EXPECT_EQ(all.cases[0].verdict, Verdict::not_comparable);
}

TEST_F(CompareRule, other_devices_are_refused_unless_ignored) {
  const Document base = document_of({timed_case(1, one_process(1))});
  const auto with = [&](const std::function<void(DeviceFacts&)>& change) {
    Document other = base;
    change(other.device);
    return other;
  };
  const std::pair<std::string, Document> others[] = {
      {"name", with([](DeviceFacts& device) { device.name = "Other GPU"; })},
      {"multiprocessors", with([](DeviceFacts& device) { device.multiprocessors = 114; })},
      {"memory", with([](DeviceFacts& device) { device.memory_bytes = 1 << 30; })},
      {"MIG", with([](DeviceFacts& device) { device.mig_profile = "1g.10gb"; })}};
  CompareOptions ignoring;
  ignoring.ignore_device = true;
  for (const auto& [what, other] : others) {
    EXPECT_NE(refusal(base, other).find(what), std::string::npos) << refusal(base, other);
    EXPECT_EQ(compared(base, other, ignoring).cases.size(), 1u);
  }
  // Another card of the same kind in another slot is what a fleet has.
  EXPECT_EQ(refusal(base, with([](DeviceFacts& device) {
                      device.id = "cuda:3";
                      device.uuid = "GPU-2";
                    })),
            "");
  // Two documents of one side, too.
  EXPECT_THROW(compared({base, others[0].second}, {base}), Error);
}

TEST_F(CompareRule, one_run_does_not_count_twice) {
  const std::string path = folder.write("a.json", document_of({timed_case(1, one_process(1))}));
  const std::string copy = folder.write("b.json", document_of({timed_case(1, one_process(1))}));
  const std::vector<std::string> both = {path, copy};
  try {
    read_side(both, std::nullopt, false);
    ADD_FAILURE() << "taken for two runs";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_comparable);
    EXPECT_NE(std::string(error.what()).find("are one run"), std::string::npos) << error.what();
  }
  // On both sides it is seen, and said.
  const Comparison all = compare(read_side(std::span(&path, 1), std::nullopt, false),
                                 read_side(std::span(&copy, 1), std::nullopt, false), {});
  ASSERT_EQ(all.warnings.size(), 1u);
  EXPECT_NE(all.warnings[0].find("are one run"), std::string::npos);
}

TEST_F(CompareRule, ceilings_that_differ_are_named_where_roofs_are_compared) {
  Document base = document_of({timed_case(1, one_process(1))});
  base.ceilings = {timed_ceiling("fp32_fma", "flop/s", 66e12),
                   timed_ceiling("l2_read", "byte/s", 9.4e12)};
  Document fresh = base;
  fresh.ceilings[1] = timed_ceiling("l2_read", "byte/s", 9.7e12);
  EXPECT_TRUE(compared(base, fresh).warnings.empty());
  CompareOptions options;
  options.metric = Metric::percent_of_roof;
  const Comparison all = compared(base, fresh, options);
  ASSERT_EQ(all.warnings.size(), 1u);
  EXPECT_NE(all.warnings[0].find("l2_read by 3.2 %"), std::string::npos) << all.warnings[0];
  EXPECT_EQ(all.warnings[0].find("fp32_fma"), std::string::npos);
}

TEST_F(CompareRule, the_change_is_that_of_the_figures_shown) {
  const Compared found = verdict(processes(5, 1, 0.05, 1), processes(6, 1.1, 0.05, 2));
  EXPECT_DOUBLE_EQ(*found.ratio, found.fresh->value / found.base->value);
  const Compared few = verdict(processes(5, 1, 0.05, 1), processes(2, 1.1, 0.05, 2));
  EXPECT_DOUBLE_EQ(*few.ratio, few.fresh->value / few.base->value);
}

TEST_F(CompareRule, drivers_clocks_and_power_limits_that_differ_are_warned_about) {
  const Document base = document_of({timed_case(1, one_process(1))});
  EXPECT_TRUE(compared(base, base).warnings.empty());
  Document other = base;
  other.device.driver_version = "590.2";
  other.device.sm_clock_max_hz = 1.7e9;
  other.device.power_limit_w = 500;
  EXPECT_EQ(compared(base, other).warnings.size(), 3u);
  other = base;
  other.status = Document::Status::interrupted;
  EXPECT_EQ(compared(base, other).warnings.size(), 1u);
}

TEST_F(CompareRule, documents_of_ceilings_compare_their_ceilings) {
  Document base = empty_document();
  base.ceilings = {timed_ceiling("fp32_fma", "flop/s", 66e12),
                   timed_ceiling("latency_l2", "s", 142e-9)};
  Document fresh = base;
  fresh.ceilings = {timed_ceiling("fp32_fma", "flop/s", 60e12),
                    timed_ceiling("latency_l2", "s", 130e-9)};
  const Comparison all = compared(base, fresh);
  ASSERT_EQ(all.cases.size(), 2u);
  EXPECT_EQ(all.cases[0].id, "ceiling/fp32_fma");
  EXPECT_EQ(all.cases[0].verdict, Verdict::regression);  // less is worse
  EXPECT_FALSE(all.cases[0].less_is_better);
  EXPECT_NEAR(*all.cases[0].ratio, 60.0 / 66, 0.002);
  EXPECT_NEAR(all.cases[0].fresh->value, 60e12, 0.1e12);
  EXPECT_EQ(all.cases[1].verdict, Verdict::improvement);
  EXPECT_NEAR(all.cases[1].fresh->value, 130e-9, 1e-9);
  // A document with cases is of another kind.
  EXPECT_NE(refusal(base, document_of({timed_case(1, one_process(1))})).find("no case in common"),
            std::string::npos);
}

TEST_F(CompareRule, only_ceilings_of_arithmetic_are_limited_by_power) {
  Document document = empty_document();
  document.ceilings = {timed_ceiling("f16_tensor", "flop/s", 800e12),
                       timed_ceiling("dram_read", "byte/s", 4.6e12)};
  for (Ceiling& ceiling : document.ceilings) ceiling.telemetry.throttle_reasons = {"sw_power_cap"};
  const Comparison all = compared(document, document);
  EXPECT_EQ(all.cases[0].floor_source, "power-limited");
  EXPECT_EQ(all.cases[1].floor_source, "DRAM-sized");
}

TEST_F(CompareRule, nothing_in_common_or_nothing_at_all_is_refused) {
  const Document one = document_of({timed_case(1, one_process(1))});
  EXPECT_NE(refusal(one, document_of({timed_case(2, one_process(1))})).find("no case in common"),
            std::string::npos);
  EXPECT_NE(refusal(one, empty_document()).find("no case"), std::string::npos);
}

TEST_F(CompareRule, nothing_but_insufficient_cases_is_no_verdict) {
  const Document few = document_of({timed_case(1, {noisy(1e-3, 0.001, 3, 1)})});
  EXPECT_EQ(exit_code(compared(few, few)), ExitCode::not_comparable);
}

TEST_F(CompareRule, percent_of_roof_is_of_the_roof_of_its_own_document) {
  CompareOptions options;
  options.metric = Metric::percent_of_roof;
  // Twice as fast under a roof twice as high is the same.
  CaseRecord fast = timed_case(1, one_process(0.5));
  fast.roof->attainable_s = 0.4e-3;
  const Comparison all =
      compared(document_of({timed_case(1, one_process(1))}), document_of({fast}), options);
  EXPECT_EQ(all.cases[0].verdict, Verdict::same);
  EXPECT_NEAR(all.cases[0].base->value, 80, 0.5);
  EXPECT_EQ(all.cases[0].unit, "%");
  EXPECT_FALSE(all.cases[0].less_is_better);
  // Slower under the same roof: fewer percent.
  const Compared slow = verdict(one_process(1), one_process(1.25, 2), options);
  EXPECT_EQ(slow.verdict, Verdict::regression);
  EXPECT_NEAR(*slow.ratio, 0.8, 0.005);
}

TEST_F(CompareRule, at_the_clock_a_slower_clock_is_no_regression) {
  CompareOptions options;
  options.metric = Metric::percent_of_roof_at_clock;
  const auto at = [](double clock_share, int count) {
    CaseRecord record = timed_case(1, processes(count, 1 / clock_share, 0.001, 1));
    record.telemetry.sm_clock_during_hz = 1.5e9 * clock_share;
    // The document's figure scales the roof to the document's clock.
    record.roof->percent_of_roof_at_clock = 80.0;
    return record;
  };
  const auto found = compared(document_of({at(1, 5)}), document_of({at(0.9, 5)}), options).cases[0];
  EXPECT_EQ(found.verdict, Verdict::same) << *found.ratio;
  EXPECT_EQ(found.notes.back(), "SM clock -10.0 %");
  EXPECT_EQ(compared(document_of({at(1, 5)}), document_of({at(0.9, 5)})).cases[0].verdict,
            Verdict::regression);
  // Each process at its own clock: the noise of the clock leaves the interval.
  Samples samples;
  std::vector<Telemetry> telemetry;
  for (const double share : {0.8, 0.9, 1.0, 1.1, 1.2}) {
    samples.push_back(noisy(1e-3 / share, 0.001, 20, 7));
    telemetry.emplace_back();
    telemetry.back().sm_clock_during_hz = 1.5e9 * share;
  }
  CaseRecord wandering = timed_case(1, samples);
  wandering.telemetry_by_process = telemetry;
  wandering.roof->percent_of_roof_at_clock = 80.0;
  const auto steady =
      compared(document_of({wandering}), document_of({wandering}), options).cases[0];
  EXPECT_LT(steady.interval->high - steady.interval->low, 0.01);
}

TEST_F(CompareRule, energy_is_one_figure_a_process) {
  CompareOptions options;
  options.metric = Metric::energy;
  const auto with_energy = [](double joule, int count) {
    CaseRecord record = timed_case(1, processes(count, 1, 0.001, 1));
    for (int i = 0; i < count; ++i) {
      record.telemetry_by_process.emplace_back();
      record.telemetry_by_process.back().energy_j_per_launch = joule * (1 + 0.001 * i);
    }
    return record;
  };
  const auto found = [&](int count) {
    return compared(document_of({with_energy(1, count)}), document_of({with_energy(1.1, count)}),
                    options)
        .cases[0];
  };
  EXPECT_EQ(found(5).verdict, Verdict::regression);
  EXPECT_EQ(found(5).unit, "J");
  EXPECT_EQ(found(4).verdict, Verdict::insufficient);
  // A document without energies says so.
  const Compared none = verdict(one_process(1), one_process(1), options);
  EXPECT_EQ(none.verdict, Verdict::insufficient);
  EXPECT_NE(none.reason.find("no energy"), std::string::npos) << none.reason;
}

TEST_F(CompareRule, the_same_documents_give_the_same_figures) {
  const Compared one = verdict(one_process(1), one_process(1.03, 2));
  const Compared two = verdict(one_process(1), one_process(1.03, 2));
  EXPECT_EQ(one.interval->low, two.interval->low);
  EXPECT_EQ(one.interval->high, two.interval->high);
}

TEST_F(CompareRule, 256_regressions_are_one_failure) {
  std::vector<CaseRecord> before, after;
  for (int i = 0; i < 256; ++i) {
    before.push_back(timed_case(i + 1, one_process(1)));
    after.push_back(timed_case(i + 1, one_process(1.5)));
  }
  const Comparison all = compared(document_of(before), document_of(after));
  EXPECT_EQ(count(all, Verdict::regression), 256);
  EXPECT_EQ(static_cast<int>(exit_code(all)), 1);
}

TEST_F(CompareRule, strict_fails_what_is_inconclusive) {
  CompareOptions options;
  const auto code = [&] {
    return exit_code(compared(document_of({timed_case(1, one_process(1))}),
                              document_of({timed_case(1, one_process(1.02, 2))}), options));
  };
  EXPECT_EQ(code(), ExitCode::ok);
  options.strict = true;
  EXPECT_EQ(code(), ExitCode::failed);
}

TEST_F(CompareRule, a_filter_leaves_only_what_it_finds) {
  const std::string path = folder.write(
      "d.json", document_of({timed_case(1, one_process(1)), timed_case(2, one_process(1))}));
  const Side side = read_side(std::span(&path, 1), std::regex("N=2"), false);
  ASSERT_EQ(side.entries.size(), 1u);
  EXPECT_NE(side.entries[0].id.find("N=2"), std::string::npos);
}

}  // namespace
}  // namespace gpubench
