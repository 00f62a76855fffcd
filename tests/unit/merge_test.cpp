// Documents of several processes made one, and what each process is started with.
#include "document/merge.hpp"

#include <gtest/gtest.h>

#include "cli/processes.hpp"
#include "compare_documents.hpp"

namespace gpubench {
namespace {

using testing::empty_document;
using testing::noisy;
using testing::timed_case;

Document document_of(std::vector<CaseRecord> cases) {
  Document document = empty_document();
  document.cases = std::move(cases);
  return document;
}

// A process whose samples lie around `seconds`, at a clock.
CaseRecord process_at(double seconds, double clock_hz = 1.5e9) {
  CaseRecord record = timed_case(1, {noisy(seconds, 0.001, 20, 1)});
  record.telemetry.sm_clock_during_hz = clock_hz;
  record.telemetry.energy_j_per_launch = seconds * 500;
  record.achieved = Achieved{.flops_per_s = record.work.flops / record.timing->median_s,
                             .bytes_per_s = 0,
                             .arithmetic_intensity = {},
                             .flops_per_j = {}};
  return record;
}

TEST(MergeProcesses, keeps_samples_and_telemetry_by_process) {
  const Document merged =
      merge_processes({document_of({process_at(1e-3)}), document_of({process_at(1.2e-3)}),
                       document_of({process_at(1.1e-3)})});
  ASSERT_EQ(merged.cases.size(), 1u);
  const CaseRecord& record = merged.cases[0];
  EXPECT_EQ(record.status, CaseStatus::ok);
  EXPECT_EQ(record.timing->samples_s.size(), 60u);
  ASSERT_EQ(record.timing->samples_by_process_s.size(), 3u);
  EXPECT_NEAR(record.timing->samples_by_process_s[1][0], 1.2e-3, 2e-5);
  EXPECT_EQ(record.timing->samples_s[25], record.timing->samples_by_process_s[1][5]);
  EXPECT_EQ(record.telemetry_by_process.size(), 3u);
  EXPECT_NEAR(*record.telemetry.energy_j_per_launch, 0.55, 0.01);
  EXPECT_NEAR(record.timing->median_s, 1.1e-3, 2e-5);
  EXPECT_NEAR(record.achieved->flops_per_s, 1e9 / record.timing->median_s, 1e6);
  EXPECT_NEAR(record.roof->percent_of_roof, 100 * 0.8e-3 / record.timing->median_s, 1e-9);
  // The interval is of the processes: that of 60 samples taken for independent would be narrow.
  EXPECT_LT(record.timing->median_ci95_s->low, 1e-3);
  EXPECT_GT(record.timing->median_ci95_s->high, 1.2e-3);
}

TEST(MergeProcesses, the_largest_error_keeps_the_bound_of_its_output) {
  CaseRecord small = process_at(1e-3);
  small.verification = Verification{};
  small.verification->passed = true;
  CaseRecord large = small;
  small.verification->max_abs_error = 1e-6;
  small.verification->bound = 1e-5;
  large.verification->max_abs_error = 1e-4;
  large.verification->bound = 1e-3;
  for (const bool first : {true, false}) {
    const Document merged = merge_processes(
        {document_of({first ? large : small}), document_of({first ? small : large})});
    EXPECT_EQ(merged.cases[0].verification->max_abs_error, 1e-4);
    EXPECT_EQ(merged.cases[0].verification->bound, 1e-3);
  }
}

TEST(MergeProcesses, two_processes_have_no_interval) {
  const Document merged =
      merge_processes({document_of({process_at(1e-3)}), document_of({process_at(1e-3)})});
  EXPECT_FALSE(merged.cases[0].timing->median_ci95_s);
}

TEST(MergeProcesses, the_roof_at_the_clock_is_that_of_the_merged_clock) {
  std::vector<Document> documents;
  for (const double share : {1.0, 0.9, 0.8}) {
    CaseRecord record = process_at(1e-3 / share, 1.5e9 * share);
    record.roof->percent_of_roof_at_clock = 80;  // each at its own clock
    documents.push_back(document_of({record}));
  }
  const Document merged = merge_processes(std::move(documents));
  EXPECT_DOUBLE_EQ(*merged.cases[0].telemetry.sm_clock_during_hz, 1.35e9);
  EXPECT_NEAR(*merged.cases[0].roof->percent_of_roof_at_clock, 80, 0.2);
}

TEST(MergeProcesses, a_failure_in_one_process_is_the_case_s) {
  CaseRecord failed = process_at(1e-3);
  failed.status = CaseStatus::failed;
  failed.reason = "wrong";
  const Document merged = merge_processes({document_of({process_at(1e-3)}), document_of({failed})});
  EXPECT_EQ(merged.cases[0].status, CaseStatus::failed);
  EXPECT_EQ(merged.cases[0].reason, "process 2 of 2: wrong");
}

TEST(MergeProcesses, what_no_process_can_run_is_skipped_for_the_reason_of_all) {
  CaseRecord skipped = process_at(1e-3);
  skipped.status = CaseStatus::skipped;
  skipped.reason = "needs more memory";
  const Document merged = merge_processes({document_of({skipped}), document_of({skipped})});
  EXPECT_EQ(merged.cases[0].status, CaseStatus::skipped);
  EXPECT_EQ(merged.cases[0].reason, "needs more memory");
}

TEST(MergeProcesses, an_interrupt_leaves_what_the_earlier_processes_measured) {
  CaseRecord abandoned = timed_case(1, {noisy(1e-3, 0.001, 20, 1)});
  abandoned.status = CaseStatus::interrupted;
  Document last = document_of({abandoned});
  last.status = Document::Status::interrupted;
  const Document merged =
      merge_processes({document_of({process_at(1e-3)}), document_of({process_at(1.1e-3)}), last});
  EXPECT_EQ(merged.status, Document::Status::interrupted);
  EXPECT_EQ(merged.cases[0].status, CaseStatus::ok);
  EXPECT_EQ(merged.cases[0].timing->samples_by_process_s.size(), 2u);
}

TEST(MergeProcesses, notes_are_united_and_above_roof_is_judged_again) {
  CaseRecord above = process_at(0.75e-3);
  above.roof->above_roof = true;
  above.notes = {"power_limited", "above_roof"};
  const Document merged = merge_processes(
      {document_of({above}), document_of({process_at(1e-3)}), document_of({process_at(1e-3)})});
  EXPECT_EQ(merged.cases[0].notes, std::vector<std::string>{"power_limited"});
  EXPECT_FALSE(merged.cases[0].roof->above_roof);
}

TEST(ChildArguments, leave_out_what_is_the_parents) {
  const std::vector<std::string> given = {"gpubench", "run",    "--processes", "5",  "--json=x",
                                          "matmul",   "--size", "64",          "-v", "--csv",
                                          "-"};
  EXPECT_EQ(
      child_arguments(given, "", false),
      (std::vector<std::string>{"gpubench", "run", "matmul", "--size", "64", "-v", "--json", "-"}));
  EXPECT_EQ(child_arguments(given, "/c", true),
            (std::vector<std::string>{"gpubench", "run", "matmul", "--size", "64", "--json", "-",
                                      "--ceilings", "/c", "-q"}));
}

}  // namespace
}  // namespace gpubench
