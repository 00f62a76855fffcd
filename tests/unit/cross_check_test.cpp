#include "measure/cross_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "cli/run_case.hpp"
#include "fake_device.hpp"
#include "kernels/families.hpp"

namespace gpubench {
namespace {

using Of = ActivityRecord::Of;

constexpr std::int64_t us = 1000;  // nanoseconds

ActivityRecord record(Of of, std::int64_t start_us, std::int64_t end_us) {
  return {of, {start_us * us, end_us * us}};
}

// gate, probe, two launches of 40 µs with 20 µs between them, probe.
std::vector<ActivityRecord> two_launches() {
  return {record(Of::gate, 10, 80), record(Of::probe, 80, 85), record(Of::launch, 100, 140),
          record(Of::launch, 160, 200), record(Of::probe, 205, 210)};
}

TEST(CutSample, KeepsWhatBeganBetweenTheProbes) {
  const TracedSample sample = cut_sample(1e-4, two_launches(), 0);
  EXPECT_EQ(sample.incomplete, "");
  EXPECT_EQ(sample.events_s, 1e-4);
  ASSERT_EQ(sample.activities.size(), 2u);
  EXPECT_EQ(sample.activities[0].start_ns, 100 * us);
  EXPECT_EQ(sample.activities[1].end_ns, 200 * us);
}

TEST(CutSample, TakesRecordsInAnyOrder) {
  auto records = two_launches();
  std::ranges::reverse(records);
  const TracedSample sample = cut_sample(1e-4, records, 0);
  ASSERT_EQ(sample.activities.size(), 2u);
  EXPECT_LT(sample.activities[0].start_ns, sample.activities[1].start_ns);
}

TEST(CutSample, LeavesOutTheSweepAndWhatRanBeforeAndAfter) {
  auto records = two_launches();
  records.push_back(record(Of::launch, 1, 5));      // before the first probe
  records.push_back(record(Of::sweep, 86, 99));     // of a cold sample
  records.push_back(record(Of::launch, 212, 220));  // behind the last
  EXPECT_EQ(cut_sample(1e-4, records, 0).activities.size(), 2u);
}

TEST(CutSample, CountsWorkOfOtherStreamsThatOverlaps) {
  auto records = two_launches();
  records.push_back(record(Of::launch, 110, 190));
  EXPECT_EQ(cut_sample(1e-4, records, 0).activities.size(), 3u);
}

TEST(CutSample, TakesTheLastSampleWhereAGateGaveUp) {
  auto records = two_launches();
  for (ActivityRecord& each : records) {
    each.activity.start_ns += 1000 * us;
    each.activity.end_ns += 1000 * us;
  }
  const auto before = two_launches();
  records.insert(records.end(), before.begin(), before.end());
  const TracedSample sample = cut_sample(1e-4, records, 0);
  EXPECT_EQ(sample.incomplete, "");
  ASSERT_EQ(sample.activities.size(), 2u);
  EXPECT_EQ(sample.activities[0].start_ns, 1100 * us);
}

TEST(CutSample, IsHeldWhereItsOwnGateIsRecorded) {
  EXPECT_TRUE(cut_sample(1e-4, two_launches(), 0).held);
  auto records = two_launches();
  records.erase(records.begin());
  EXPECT_FALSE(cut_sample(1e-4, records, 0).held);
  // The gate of the sample before, which gave up.
  records.insert(records.begin(), {record(Of::gate, 1, 20), record(Of::probe, 21, 25),
                                   record(Of::launch, 30, 40), record(Of::probe, 41, 45)});
  EXPECT_FALSE(cut_sample(1e-4, records, 0).held);
}

TEST(CutSample, SaysWhatIsMissing) {
  EXPECT_NE(cut_sample(1e-4, two_launches(), 3).incomplete.find("3 records were lost"),
            std::string::npos);

  auto untimed = two_launches();
  untimed[2].activity = {0, 0};
  EXPECT_NE(cut_sample(1e-4, untimed, 0).incomplete.find("1 of 5 records have no time"),
            std::string::npos);

  auto backwards = two_launches();
  std::swap(backwards[2].activity.start_ns, backwards[2].activity.end_ns);
  EXPECT_NE(cut_sample(1e-4, backwards, 0).incomplete, "");

  auto one_probe = two_launches();
  one_probe.pop_back();
  EXPECT_NE(cut_sample(1e-4, one_probe, 0).incomplete.find("1 were found in 4 records"),
            std::string::npos);
  EXPECT_NE(cut_sample(1e-4, {}, 0).incomplete.find("0 were found in 0 records"),
            std::string::npos);

  const std::vector<ActivityRecord> nothing = {record(Of::probe, 80, 85),
                                               record(Of::probe, 205, 210)};
  EXPECT_NE(cut_sample(1e-4, nothing, 0).incomplete.find("nothing that was launched"),
            std::string::npos);
}

// Samples of one activity of `span_us`, with these events.
std::vector<TracedSample> samples(std::int64_t span_us, const std::vector<double>& events_s) {
  std::vector<TracedSample> made;
  for (const double seconds : events_s)
    made.push_back({seconds, {{7 * us, (7 + span_us) * us}}, true, {}});
  return made;
}

TEST(CrossCheck, AgreesWithinTwoPercentEitherWay) {
  for (const double events : {0.985e-3, 1.0e-3, 1.019e-3}) {
    const CrossCheck checked = cross_check(samples(1000, std::vector<double>(5, events)));
    EXPECT_EQ(checked.failure, "") << events;
    EXPECT_EQ(checked.not_judged, "") << events;
    EXPECT_NEAR(*checked.difference, (events - 1e-3) / events, 1e-9);
    EXPECT_EQ(checked.activities, 1u);
    EXPECT_FALSE(checked.gap_median_s);
    EXPECT_NEAR(checked.span_s, 1e-3, 1e-12);
  }
}

TEST(CrossCheck, FailsBeyondTwoPercentEitherWayAndSaysBothTimes) {
  for (const double events : {0.95e-3, 0.979e-3, 1.022e-3, 1.05e-3}) {
    const std::string failure = cross_check(samples(1000, std::vector<double>(5, events))).failure;
    EXPECT_NE(failure.find("disagree"), std::string::npos) << events;
    EXPECT_NE(failure.find("records of 1 activity 1.000 ms"), std::string::npos) << failure;
  }
  const std::string failure = cross_check(samples(1000, std::vector<double>(5, 1.05e-3))).failure;
  EXPECT_NE(failure.find("events 1.050 ms"), std::string::npos) << failure;
  EXPECT_NE(failure.find("4.8 % apart"), std::string::npos) << failure;
}

TEST(CrossCheck, OneStraySampleDecidesNothing) {
  EXPECT_EQ(cross_check(samples(1000, {1e-3, 1e-3, 2e-3, 1e-3, 1e-3})).failure, "");
  EXPECT_NE(cross_check(samples(1000, {1e-3, 1.2e-3, 1.2e-3, 1.2e-3, 1e-3})).failure, "");
}

TEST(CrossCheck, ShortSamplesAreReportedAndNotJudged) {
  const CrossCheck checked = cross_check(samples(400, std::vector<double>(5, 0.45e-3)));
  EXPECT_EQ(checked.failure, "");
  EXPECT_NE(checked.not_judged.find("500"), std::string::npos);
  EXPECT_NEAR(*checked.difference, 1.0 / 9, 1e-6);
  EXPECT_NE(text(checked, 0.44e-3).find("not judged"), std::string::npos);
}

TEST(CrossCheck, EventsThatReadNearlyNothingOfALongSampleFail) {
  EXPECT_NE(cross_check(samples(1000, std::vector<double>(5, 1e-6))).failure, "");
  EXPECT_NE(cross_check(samples(1000, std::vector<double>(5, 0.0))).failure, "");
  EXPECT_EQ(cross_check(samples(1, std::vector<double>(5, 0.0))).failure, "");
}

TEST(CrossCheck, EventsThatReadFarMoreThanWasRecordedFail) {
  EXPECT_NE(cross_check(samples(100, std::vector<double>(5, 1e-3))).failure, "");
}

TEST(CrossCheck, SamplesThatWaitForTheHostAreNotJudged) {
  auto made = samples(1000, std::vector<double>(5, 1.5e-3));
  EXPECT_NE(cross_check(made).failure, "");
  made[3].held = false;
  const CrossCheck waiting = cross_check(made);
  EXPECT_EQ(waiting.failure, "");
  EXPECT_NE(waiting.not_judged.find("host"), std::string::npos);
}

TEST(CrossCheck, NeedsThreeCompleteSamples) {
  auto made = samples(1000, std::vector<double>(5, 1e-3));
  made[0].incomplete = made[1].incomplete = "12 records were lost";
  EXPECT_EQ(cross_check(made).failure, "");
  made[2].incomplete = "12 records were lost";
  const std::string failure = cross_check(made).failure;
  EXPECT_NE(failure.find("2 of 5 samples"), std::string::npos) << failure;
  EXPECT_NE(failure.find("12 records were lost"), std::string::npos) << failure;
  EXPECT_EQ(text(cross_check(made), 1e-3), failure);

  EXPECT_NE(cross_check({}).failure, "");
  EXPECT_NE(cross_check(std::vector<TracedSample>(5, TracedSample{1e-3, {}, true, {}})).failure,
            "");
}

// 0-100, 110-200, on another stream 150-400 and inside that 300-350, 430-1000: idle for 10 and 30.
std::vector<TracedSample> overlapping() {
  const TracedSample sample{1e-3,
                            {{0 * us, 100 * us},
                             {110 * us, 200 * us},
                             {150 * us, 400 * us},
                             {300 * us, 350 * us},
                             {430 * us, 1000 * us}},
                            true,
                            {}};
  return std::vector<TracedSample>(3, sample);
}

TEST(CrossCheck, GapsAreWhatNoActivityCovers) {
  const CrossCheck checked = cross_check(overlapping());
  EXPECT_EQ(checked.failure, "");
  EXPECT_NEAR(checked.span_s, 1e-3, 1e-12);
  EXPECT_NEAR(checked.idle_share, 0.04, 1e-9);
  EXPECT_NEAR(*checked.gap_median_s, 5e-6, 1e-12);  // of 0, 0, 10 and 30 µs
  EXPECT_NEAR(*checked.gap_max_s, 30e-6, 1e-12);
  EXPECT_EQ(checked.activities, 5u);
  const std::string line = text(checked, 0.9e-3);
  EXPECT_EQ(
      line,
      "cross-check: events 1.000 ms, records of 5 activities 1.000 ms (0 % apart); gaps "
      "between them: median 5.000 µs, largest 30.00 µs, 4.0 % of the time; untraced 900.0 µs");
}

// Launches as often as it is asked to and answers with what a test wants.
class ScriptedTracer final : public ActivityTracer {
 public:
  std::vector<TracedSample> answer;
  std::function<void()> instead;
  TimerOptions asked;
  int samples_asked = 0;

  std::vector<TracedSample> trace(const Launch& launch, const TimerOptions& options,
                                  int samples) override {
    if (instead) instead();
    asked = options;
    samples_asked = samples;
    launch(Stream{});
    return answer;
  }
};

class CrossCheckCase : public testing::Test {
 protected:
  void SetUp() override {
    CaseOptions options;
    options.warmup_s = 0.0;
    options.measure.max_s = 0.01;
    record_ = run_case(device_, planned_, {}, options);
    ASSERT_EQ(record_.status, CaseStatus::ok) << record_.reason.value_or("");
    ASSERT_TRUE(record_.timing);
  }
  static PlannedCase plan() {
    const Family& family = find_family("vector_add");
    const auto variants = family.variants();
    const auto variant = std::ranges::find_if(variants, [](const VariantFacts& facts) {
      return facts.name == "single_thread" && facts.device == DeviceKind::host;
    });
    ParameterSet set;
    set.set("N", std::int64_t{100});
    return plan_case(family, static_cast<std::size_t>(variant - variants.begin()), set,
                     CacheMode::warm, InputKind::random, 1);
  }
  bool checked() const { return std::ranges::count(record_.notes, "cross_checked") == 1; }

  FakeDevice device_;  // every launch takes a millisecond
  PlannedCase planned_ = plan();
  CaseRecord record_;
  ScriptedTracer tracer_;
};

TEST_F(CrossCheckCase, AgreementIsANoteAndALine) {
  tracer_.answer = samples(1000, std::vector<double>(5, 1e-3));
  record_.timing->launches_per_sample = 3;
  const std::string line = cross_check_case(device_, planned_, tracer_, record_);
  EXPECT_EQ(record_.status, CaseStatus::ok);
  EXPECT_TRUE(checked());
  EXPECT_TRUE(record_.timing);
  EXPECT_EQ(line,
            "cross-check: events 1.000 ms, records of 1 activity 1.000 ms (0 % apart); untraced "
            "3.000 ms");
  EXPECT_EQ(tracer_.asked.launches_per_sample, 3);
  EXPECT_EQ(tracer_.samples_asked, 5);
}

TEST_F(CrossCheckCase, DisagreementFailsTheCaseWithoutFigures) {
  tracer_.answer = samples(1000, std::vector<double>(5, 1.05e-3));
  const std::string line = cross_check_case(device_, planned_, tracer_, record_);
  EXPECT_EQ(record_.status, CaseStatus::failed);
  EXPECT_EQ(record_.reason, line);
  EXPECT_NE(line.find("disagree"), std::string::npos) << line;
  EXPECT_FALSE(checked());
  EXPECT_FALSE(record_.timing || record_.roof || record_.achieved);
}

TEST_F(CrossCheckCase, ATracerThatCannotRecordFailsTheCase) {
  tracer_.instead = [] { throw Error(ExitCode::no_device, "attaching with CUPTI failed"); };
  cross_check_case(device_, planned_, tracer_, record_);
  EXPECT_EQ(record_.status, CaseStatus::failed);
  EXPECT_EQ(record_.reason, "cross-check: attaching with CUPTI failed");
  EXPECT_FALSE(record_.timing);
}

TEST_F(CrossCheckCase, ShortSamplesLeaveTheCaseAsItIs) {
  tracer_.answer = samples(100, std::vector<double>(5, 150e-6));
  EXPECT_NE(cross_check_case(device_, planned_, tracer_, record_), "");
  EXPECT_EQ(record_.status, CaseStatus::ok);
  EXPECT_TRUE(record_.timing);
  EXPECT_FALSE(checked());
}

TEST_F(CrossCheckCase, AnInterruptLeavesTheCaseAsItIs) {
  tracer_.instead = [] { throw Interrupted(); };
  EXPECT_EQ(cross_check_case(device_, planned_, tracer_, record_), "");
  EXPECT_EQ(record_.status, CaseStatus::ok);
  EXPECT_TRUE(record_.timing);
  EXPECT_FALSE(checked());
}

TEST_F(CrossCheckCase, ACaseWithoutFiguresIsNotLaunched) {
  record_.status = CaseStatus::skipped;
  tracer_.instead = [] { FAIL() << "traced"; };
  EXPECT_EQ(cross_check_case(device_, planned_, tracer_, record_), "");
  EXPECT_EQ(record_.status, CaseStatus::skipped);
}

#if defined(GPUBENCH_CUDA)

TEST(ActivityTracer, HostHasNoRecords) {
  FakeDevice device;
  try {
    open_activity_tracer(device);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::no_device);
    EXPECT_NE(std::string(error.what()).find("host keeps no records"), std::string::npos)
        << error.what();
  }
}

TEST(ActivityTracer, IsRefusedUnderAProfiler) {
  FakeDevice device;
  device.facts().kind = DeviceKind::cuda;
  const char* const variable = "NV_COMPUTE_PROFILER_GPUBENCH_TEST";
  setenv(variable, "1", 1);
  std::string reason;
  try {
    open_activity_tracer(device);
  } catch (const Error& error) {
    reason = error.what();
  }
  unsetenv(variable);
  EXPECT_NE(reason.find("profiler"), std::string::npos) << reason;
}

// Loads the library and finds every function in it, which needs no GPU.
TEST(ActivityTracer, OpensWhereCuptiIs) {
  FakeDevice device;
  device.facts().kind = DeviceKind::cuda;
  try {
    EXPECT_NE(open_activity_tracer(device), nullptr);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::no_device);
    const std::string reason = error.what();
    ASSERT_NE(
        reason.find("CUPTI") == std::string::npos ? reason.find("libcupti") : reason.find("CUPTI"),
        std::string::npos)
        << reason;
    ASSERT_EQ(reason.find("has no function"), std::string::npos) << reason;
    GTEST_SKIP() << reason;
  }
}

#endif

}  // namespace
}  // namespace gpubench
