#include "compare/comparison.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace gpubench {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Comparison with(std::initializer_list<Verdict> verdicts) {
  Comparison comparison;
  for (const Verdict verdict : verdicts) {
    Compared found;
    found.id = "family/variant?n=" + std::to_string(comparison.cases.size());
    found.verdict = verdict;
    comparison.cases.push_back(found);
  }
  return comparison;
}

TEST(Comparison, CountsCasesOfAVerdict) {
  const Comparison comparison = with({Verdict::same, Verdict::regression, Verdict::same});
  EXPECT_EQ(count(comparison, Verdict::same), 2);
  EXPECT_EQ(count(comparison, Verdict::regression), 1);
  EXPECT_EQ(count(comparison, Verdict::missing), 0);
}

TEST(Comparison, RegressionsAndMissingCasesFail) {
  const Comparison comparison;
  EXPECT_TRUE(fails(comparison, Verdict::regression));
  EXPECT_TRUE(fails(comparison, Verdict::missing));
  for (const Verdict verdict :
       {Verdict::not_comparable, Verdict::inconclusive, Verdict::insufficient, Verdict::improvement,
        Verdict::added, Verdict::same})
    EXPECT_FALSE(fails(comparison, verdict)) << name(verdict);
}

TEST(Comparison, OptionsSayWhatFails) {
  Comparison comparison;
  comparison.strict = true;
  comparison.allow_missing = true;
  EXPECT_TRUE(fails(comparison, Verdict::regression));
  EXPECT_TRUE(fails(comparison, Verdict::inconclusive));
  EXPECT_TRUE(fails(comparison, Verdict::insufficient));
  EXPECT_FALSE(fails(comparison, Verdict::missing));
  EXPECT_FALSE(fails(comparison, Verdict::improvement));
}

TEST(Comparison, TheExitCodeDoesNotCount) {
  Comparison comparison;
  comparison.cases.resize(256);
  for (Compared& found : comparison.cases) found.verdict = Verdict::regression;
  EXPECT_EQ(static_cast<int>(exit_code(comparison)), 1);
  for (Compared& found : comparison.cases) found.verdict = Verdict::improvement;
  EXPECT_EQ(static_cast<int>(exit_code(comparison)), 0);
}

TEST(Comparison, NothingComparedIsFour) {
  EXPECT_EQ(exit_code(Comparison{}), ExitCode::not_comparable);
  EXPECT_EQ(exit_code(with({Verdict::added})), ExitCode::not_comparable);
  EXPECT_EQ(exit_code(with({Verdict::insufficient, Verdict::added})), ExitCode::not_comparable);
  Comparison comparison = with({Verdict::missing, Verdict::added});
  comparison.allow_missing = true;
  EXPECT_EQ(exit_code(comparison), ExitCode::not_comparable);
}

TEST(Comparison, OneCaseNotComparableIsFourUnlessOneFails) {
  EXPECT_EQ(exit_code(with({Verdict::same, Verdict::not_comparable})), ExitCode::not_comparable);
  EXPECT_EQ(exit_code(with({Verdict::not_comparable, Verdict::regression})), ExitCode::failed);
}

TEST(Comparison, InsufficientCasesAmongOthersPassUnlessStrict) {
  Comparison comparison = with({Verdict::insufficient, Verdict::inconclusive});
  EXPECT_EQ(exit_code(comparison), ExitCode::ok);
  comparison.strict = true;
  EXPECT_EQ(exit_code(comparison), ExitCode::failed);
  comparison = with({Verdict::insufficient});
  comparison.strict = true;
  EXPECT_EQ(exit_code(comparison), ExitCode::failed);
}

TEST(Comparison, TheHeadlineHasTheWorstFirst) {
  EXPECT_EQ(headline(with({Verdict::same, Verdict::improvement, Verdict::regression, Verdict::same,
                           Verdict::regression, Verdict::added})),
            "2 regressions, 1 improvement, 1 new, 2 same");
  EXPECT_EQ(headline(with({Verdict::improvement, Verdict::improvement, Verdict::missing,
                           Verdict::insufficient, Verdict::not_comparable, Verdict::inconclusive,
                           Verdict::regression})),
            "1 regression, 1 missing, 1 not comparable, 1 inconclusive, 1 insufficient, "
            "2 improvements");
}

TEST(Comparison, WhatFailsComesFirstInTheHeadline) {
  Comparison comparison = with({Verdict::missing, Verdict::not_comparable, Verdict::inconclusive});
  comparison.strict = true;
  comparison.allow_missing = true;
  EXPECT_EQ(headline(comparison), "1 inconclusive, 1 not comparable, 1 missing");
}

TEST(Comparison, TheHeadlineSaysThatNothingWasCompared) {
  EXPECT_EQ(headline(Comparison{}), "no cases");
  EXPECT_EQ(headline(with({Verdict::missing, Verdict::added})),
            "1 missing, 1 new; no case in common");
}

TEST(Comparison, ChangesAreSignedPercentages) {
  EXPECT_EQ(change_text(1.032), "+3.2 %");
  EXPECT_EQ(change_text(0.948), "-5.2 %");
  EXPECT_EQ(change_text(1.0015), "+0.15 %");
  EXPECT_EQ(change_text(1.00996), "+1.0 %");
  EXPECT_EQ(change_text(2), "+100 %");
  EXPECT_EQ(change_text(0.5), "-50.0 %");
  EXPECT_EQ(change_text(31), "+3000 %");
}

TEST(Comparison, NoChangeHasNoSign) {
  EXPECT_EQ(change_text(1), "0.00 %");
  EXPECT_EQ(change_text(1.00001), "0.00 %");
  EXPECT_EQ(change_text(0.99999), "0.00 %");
}

TEST(Comparison, FiguresHaveTheUnitsThatPeopleRead) {
  EXPECT_EQ(figure_text(1.683e-3, "s"), "1.683 ms");
  EXPECT_EQ(figure_text(78.7, "%"), "78.7 %");
  EXPECT_EQ(figure_text(1.32, "J"), "1.32 J");
  EXPECT_EQ(figure_text(0.00132, "J"), "1.32 mJ");
  EXPECT_EQ(figure_text(2.5e-12, "J"), "0.00250 nJ");
  EXPECT_EQ(figure_text(830e12, "flop/s"), "830 TFLOP/s");
  EXPECT_EQ(figure_text(1.61e15, "op/s"), "1.61 POP/s");
  EXPECT_EQ(figure_text(4.61e12, "byte/s"), "4.61 TB/s");
  EXPECT_EQ(figure_text(25.6e9, "byte/s"), "25.6 GB/s");
  EXPECT_EQ(figure_text(0, "flop/s"), "0 FLOP/s");
}

TEST(Comparison, WhatIsNoNumberIsUnknown) {
  for (const double value : {nan, infinity, -infinity}) {
    EXPECT_EQ(change_text(value), "unknown");
    for (const char* unit : {"s", "%", "J", "flop/s", "byte/s"})
      EXPECT_EQ(figure_text(value, unit), "unknown");
  }
}

TEST(Comparison, VerdictsAndMetricsHaveTheirNames) {
  EXPECT_EQ(name(Verdict::not_comparable), "not comparable");
  EXPECT_EQ(name(Verdict::added), "new");
  EXPECT_EQ(name(Metric::percent_of_roof_at_clock), "percent-of-roof-at-clock");
}

}  // namespace
}  // namespace gpubench
