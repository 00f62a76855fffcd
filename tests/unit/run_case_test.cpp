#include "cli/run_case.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>

#include "fake_device.hpp"

namespace gpubench {
namespace {

// y = 2 x, with whatever launch a test wants.
struct Problem {
  std::int64_t n = 0;
};

std::function<void(const Problem&, const Buffers&)>& behaviour() {
  static std::function<void(const Problem&, const Buffers&)> function;
  return function;
}

void right(const Problem& p, const Buffers& buffers) {
  for (std::int64_t i = 0; i < p.n; ++i) buffers.out<float>()[i] = 2 * buffers.input<float>(0)[i];
}

void launch(const Problem& p, const Buffers& buffers, Stream) {
  behaviour()(p, buffers);
}

std::optional<std::string> refuse_large(const Problem& p) {
  if (p.n > 1'000'000) return "takes at most a million";
  return std::nullopt;
}

double work_flops = 1;
std::size_t workspace = 0;

constexpr std::array parameters = {
    Parameter{.name = "N", .help = "elements", .cuda_default = 100, .host_default = 100}};
constexpr std::array variants = {
    Variant<Problem>{.name = "doubling",
                     .technique = "one loop",
                     .device = DeviceKind::host,
                     .unsupported = refuse_large,
                     .workspace_bytes = [](const Problem&) { return workspace; },
                     .launch = launch}};

const Family& family() {
  static constexpr Manifest<Problem> manifest = {
      .name = "double",
      .summary = "y = 2 x",
      .parameters = parameters,
      .problem = [](const ParameterSet& set) { return Problem{set.integer("N")}; },
      .inputs =
          [](const Problem& p, DType type) {
            return std::vector<BufferSpec>{{"x", type, p.n}};
          },
      .output =
          [](const Problem& p, DType type) {
            return BufferSpec{"y", type, p.n};
          },
      .generator = [](const Problem&, DType, std::size_t, InputKind,
                      std::uint64_t seed) { return Generator{.seed = seed}; },
      .work =
          [](const Problem& p, DType) {
            Work work;
            work.flops = work_flops * static_cast<double>(p.n);
            work.bytes_read = work.bytes_written = 4.0 * static_cast<double>(p.n);
            work.working_set_bytes = 8.0 * static_cast<double>(p.n);
            return work;
          },
      .output_shape = [](const Problem& p) { return OutputShape{.columns = p.n}; },
      .oracle =
          [](const Problem&, DType, const Inputs& inputs, std::span<const std::int64_t> indices,
             std::span<Expected> out) {
            for (std::size_t i = 0; i < indices.size(); ++i)
              out[i] = {2 * inputs.at(0, indices[i]), 0};
          },
      .verify_shapes = [] { return std::vector<VerifyShape>{}; },
      .variants = variants};
  static const FamilyOf<Problem> instance(manifest);
  return instance;
}

PlannedCase planned(std::int64_t n) {
  ParameterSet set;
  set.set("N", n);
  return plan_case(family(), 0, set, CacheMode::warm, InputKind::random, 1);
}

CaseOptions quick() {
  CaseOptions options;
  options.warmup_s = 0.0;
  options.measure.max_s = 0.01;
  return options;
}

Ceiling ceiling(std::string name, double value) {
  Ceiling made;
  made.name = std::move(name);
  made.value = value;
  return made;
}

CaseRecord run(std::int64_t n, const CaseOptions& options = quick()) {
  FakeDevice device;  // every launch takes a millisecond
  const std::array ceilings = {ceiling("fp32_fma", 1e6), ceiling("dram_read", 1e6)};
  return run_case(device, planned(n), ceilings, options);
}

class RunCase : public testing::Test {
 protected:
  void SetUp() override {
    behaviour() = right;
    work_flops = 1;
    workspace = 0;
  }
};

TEST_F(RunCase, ProvesTimesAndPlaces) {
  const CaseRecord record = run(100);
  EXPECT_EQ(record.status, CaseStatus::ok) << record.reason.value_or("");
  ASSERT_TRUE(record.verification && record.timing && record.roof);
  EXPECT_TRUE(record.verification->passed);
  EXPECT_EQ(record.verification->checked, 100);
  EXPECT_DOUBLE_EQ(record.timing->median_s, 1e-3);
  EXPECT_EQ(record.roof->limited_by, "dram_read");
  EXPECT_NEAR(record.roof->percent_of_roof, 80, 1e-9);  // 800 bytes at 1 MB/s in 1 ms
}

TEST_F(RunCase, AWrongAnswerHasNoPerformanceFigures) {
  behaviour() = [](const Problem& p, const Buffers& buffers) {
    right(p, buffers);
    buffers.out<float>()[p.n - 1] += 1;
  };
  const CaseRecord record = run(100);
  EXPECT_EQ(record.status, CaseStatus::failed);
  EXPECT_FALSE(record.timing || record.roof || record.achieved);
  EXPECT_NE(record.reason->find("before timing"), std::string::npos) << *record.reason;
}

TEST_F(RunCase, AnAnswerThatIsRightOnlyTheFirstTimeFails) {
  behaviour() = [first = true](const Problem& p, const Buffers& buffers) mutable {
    if (first) right(p, buffers);
    first = false;
  };
  const CaseRecord record = run(100);
  EXPECT_EQ(record.status, CaseStatus::failed);
  EXPECT_NE(record.reason->find("after timing"), std::string::npos) << *record.reason;
  EXPECT_FALSE(record.timing);
}

TEST_F(RunCase, AnAnswerThatLivesOnWhatTheWorkspaceHeldBeforeFails) {
  workspace = sizeof(float);
  behaviour() = [](const Problem& p, const Buffers& buffers) {
    right(p, buffers);
    buffers.out<float>()[0] += *buffers.work<float>();  // as if it had to be zero
    *buffers.work<float>() = 0;
  };
  FakeDevice device;
  const CaseRecord record = verify_case(device, planned(100), VerifyMode::sampled);
  EXPECT_EQ(record.status, CaseStatus::failed);
  EXPECT_EQ(run(100).status, CaseStatus::failed);
}

TEST_F(RunCase, ALaunchThatFailsIsAFailedCase) {
  behaviour() = [](const Problem&, const Buffers&) {
    throw Error(ExitCode::no_device, "launching went wrong");
  };
  const CaseRecord record = run(100);
  EXPECT_EQ(record.status, CaseStatus::failed);
  EXPECT_EQ(*record.reason, "launching went wrong");
}

TEST_F(RunCase, AShapeThatIsRefusedIsSkippedWithTheReason) {
  const CaseRecord record = run(1'000'001);
  EXPECT_EQ(record.status, CaseStatus::skipped);
  EXPECT_EQ(*record.reason, "takes at most a million");
}

TEST_F(RunCase, AProblemThatDoesNotFitSaysWhatItNeedsAndWhatIsFree) {
  FakeDevice device;
  device.free = 600 << 20;
  const CaseRecord record = run_case(device, planned(1'000'000), {}, quick());
  EXPECT_EQ(record.status, CaseStatus::ok);
  device.free = 260 << 20;
  const CaseRecord skipped = run_case(device, planned(1'000'000), {}, quick());
  EXPECT_EQ(skipped.status, CaseStatus::skipped);
  EXPECT_NE(skipped.reason->find("needs 8000000 bytes"), std::string::npos) << *skipped.reason;
  EXPECT_NE(skipped.reason->find("272629760 bytes"), std::string::npos) << *skipped.reason;
}

TEST_F(RunCase, WhatTheClockCannotTellFromNothingIsSkippedAndNamed) {
  FakeDevice device;
  device.seconds = {0};
  const CaseRecord none = run_case(device, planned(100), {}, quick());
  EXPECT_EQ(none.status, CaseStatus::skipped);
  EXPECT_EQ(none.notes, std::vector<std::string>{"below_resolution"});
  EXPECT_FALSE(none.timing);
  // A single launch of a microsecond, as a cold sample has: timed, and named.
  device.seconds = {1e-6};
  PlannedCase cold = planned(100);
  cold.cache = CacheMode::cold;
  const CaseRecord brief = run_case(device, cold, {}, quick());
  EXPECT_EQ(brief.status, CaseStatus::ok) << brief.reason.value_or("");
  EXPECT_EQ(brief.notes, (std::vector<std::string>{"no_ceiling", "below_resolution"}));
  EXPECT_TRUE(run(100).notes.empty());
}

TEST_F(RunCase, AWrongWorkModelShowsAsAFault) {
  work_flops = 100;  // 10,000 FLOPs at 1 MFLOP/s would take 10 ms, and the launch takes one
  const CaseRecord record = run(100);
  ASSERT_TRUE(record.roof);
  EXPECT_TRUE(record.roof->above_roof);
  EXPECT_NEAR(record.roof->percent_of_roof, 1000, 1e-9);
}

TEST_F(RunCase, WithoutVerificationTheCaseSaysSo) {
  behaviour() = [](const Problem&, const Buffers&) {};
  CaseOptions options = quick();
  options.verify = VerifyMode::off;
  const CaseRecord record = run(100, options);
  EXPECT_EQ(record.status, CaseStatus::ok);
  EXPECT_FALSE(record.verification);
  EXPECT_EQ(record.notes, std::vector<std::string>{"not_verified"});
}

TEST_F(RunCase, VerifyLaunchesOnceAndTimesNothing) {
  int launches = 0;
  behaviour() = [&](const Problem& p, const Buffers& buffers) {
    ++launches;
    right(p, buffers);
  };
  FakeDevice device;
  const CaseRecord record = verify_case(device, planned(100), VerifyMode::sampled);
  EXPECT_EQ(record.status, CaseStatus::ok);
  EXPECT_EQ(launches, 1);
  EXPECT_FALSE(record.timing);
}

}  // namespace
}  // namespace gpubench
