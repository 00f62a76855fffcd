// The reports for people: the table and Markdown; and what holds of every report.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "base/table.hpp"
#include "compare/report.hpp"
#include "compare/report_parts.hpp"
#include "comparison_fixture.hpp"

namespace gpubench {
namespace {

using test::around;
using test::judged;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != text.npos; start = end + 1)
    lines.push_back(text.substr(start, end - start));
  EXPECT_EQ(start, text.size()) << "no line feed at the end";
  return lines;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

std::vector<std::pair<const char*, std::string>> all_reports(const Comparison& comparison) {
  return {{"table", comparison_table(comparison, 80, true)},
          {"markdown", comparison_markdown(comparison)},
          {"junit", comparison_junit(comparison)},
          {"json", comparison_json(comparison)},
          {"json of the action", comparison_github_action_benchmark(comparison)}};
}

// Lines that start with a verdict: the rows, in the table and in Markdown.
std::vector<std::string> verdict_rows(const std::string& text) {
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(text))
    for (int i = 0; i <= static_cast<int>(Verdict::same); ++i) {
      const std::string verdict(name(static_cast<Verdict>(i)));
      if (line.starts_with(verdict + "  ") || line.starts_with("| " + verdict + " |"))
        rows.push_back(line);
    }
  return rows;
}

TEST(ComparisonReports, HaveNoControlCharactersAndAreUtf8) {
  for (const auto& [report, text] : all_reports(test::hostile())) {
    for (const char32_t point : code_points(text)) {
      ASSERT_TRUE(point == '\n' || point >= 0x20) << report;
      // JSON may have C1 and DEL as they are, but for a terminal they are as bad.
      const bool json = std::string_view(report).starts_with("json");
      ASSERT_TRUE(json || point < 0x7f || point >= 0xa0) << report;
    }
    std::string again;
    for (const char32_t point : code_points(text)) append_utf8(again, point);
    EXPECT_TRUE(again == text) << report << " is not UTF-8";
  }
}

TEST(ComparisonReports, NeverPrintNumbersThatAreNone) {
  for (const auto& [report, text] : all_reports(test::not_finite())) {
    std::string word;
    for (const char c : text) {
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if (lower >= 'a' && lower <= 'z') {
        word += lower;
        continue;
      }
      for (const char* none : {"nan", "inf", "infinity", "unknown"})
        EXPECT_NE(word, none) << report << ":\n" << text;
      word.clear();
    }
  }
}

TEST(ComparisonReports, OfManyCasesTakeTimeInProportion) {
  const auto seconds = [](std::size_t cases) {
    const Comparison comparison = test::many(cases);
    const auto start = std::chrono::steady_clock::now();
    for (const auto& [report, text] : all_reports(comparison)) EXPECT_FALSE(text.empty()) << report;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // Twenty times the cases: 20 times as long, on a busy machine more; 400 times if quadratic.
  EXPECT_LT(seconds(40000), 100 * seconds(2000));
}

TEST(ComparisonTable, StartsWithTheVerdict) {
  EXPECT_EQ(lines_of(comparison_table(test::every_verdict(), 80, false))[0],
            "FAIL: 2 regressions, 1 missing, 1 not comparable, 1 inconclusive, 1 insufficient, "
            "1 improvement, 1 new, 1 same");
  const Comparison good = around({judged("a?n=1", Verdict::same, 1)});
  EXPECT_EQ(lines_of(comparison_table(good, 80, false))[0], "PASS: 1 same");
  EXPECT_EQ(lines_of(comparison_table({}, 80, false))[0], "NOT COMPARABLE: no cases");
}

TEST(ComparisonTable, ListsWhatFailsFirstAndLargeChangesBeforeSmall) {
  const auto rows = verdict_rows(comparison_table(test::every_verdict(), 160, true));
  const std::vector<std::string> ids = {"worst",        "regression",   "missing",
                                        "incomparable", "inconclusive", "insufficient",
                                        "improvement",  "new",          "same"};
  ASSERT_EQ(rows.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_TRUE(contains(rows[i], "add/" + ids[i] + "?n=1")) << rows[i];
}

TEST(ComparisonTable, ARowHasItsFigures) {
  const auto rows = verdict_rows(comparison_table(test::every_verdict(), 160, true));
  for (const char* part :
       {"1.000 ms", "1.300 ms", "+30.0 % [+29.4, +30.6]", "4.3 % (launch-sized)"})
    EXPECT_TRUE(contains(rows[0], part)) << rows[0];
  EXPECT_TRUE(contains(rows[1], "  2 %")) << rows[1];
  EXPECT_FALSE(contains(rows[2], "%")) << "a missing case has no threshold: " << rows[2];
}

TEST(ComparisonTable, SaysWhyAndWhatElseIsKnown) {
  const std::string text = comparison_table(test::every_verdict(), 80, false);
  for (const char* part :
       {"base: a.json, b.json (NVIDIA H200, commit 0123456789ab, 5 processes,\n",
        "new:  c.json (NVIDIA H200, 5 processes, ", "metric time, 95 % confidence, min effect 2 %",
        "\nwarning: the drivers differ: 570.1 and 580.2\n",
        "\n    power_limited, SM clock -5.2 %\n", "\n    seed 1 in the baseline, seed 2 now\n",
        "\nA side has fewer than 5 processes.\n"})
    EXPECT_TRUE(contains(text, part)) << part << " is not in\n" << text;
}

TEST(ComparisonTable, CountsTheSameAndListsThemWhenVerbose) {
  Comparison comparison =
      around({judged("add/x?n=1", Verdict::same, 1.001), judged("add/x?n=2", Verdict::same, 1)});
  const std::string quiet = comparison_table(comparison, 80, false);
  EXPECT_TRUE(contains(quiet, "2 cases are the same within the threshold; -v lists them")) << quiet;
  EXPECT_FALSE(contains(quiet, "add/x"));
  EXPECT_FALSE(contains(quiet, "verdict ")) << "a table of nothing";
  const std::string verbose = comparison_table(comparison, 80, true);
  EXPECT_TRUE(contains(verbose, "add/x?n=1") && contains(verbose, "add/x?n=2"));
  EXPECT_FALSE(contains(verbose, "-v"));
}

TEST(ComparisonTable, KeepsToTheWidthButForWhatMustStay) {
  Comparison comparison = test::every_verdict();
  comparison.warnings = {std::string(30, 'w') + " " + std::string(30, 'w') + " " +
                         std::string(30, 'w')};
  comparison.cases[3].notes.assign(20, "power_limited");
  for (const std::size_t width : {60, 80, 100, 160}) {
    const std::vector<std::string> lines = lines_of(comparison_table(comparison, width, true));
    for (std::size_t i = 1; i < lines.size(); ++i)
      EXPECT_LE(display_width(lines[i]), width) << lines[i];
    EXPECT_EQ(verdict_rows(comparison_table(comparison, width, true)).size(), 9u);
  }
}

TEST(ComparisonTable, PutsLongIdsBelowTheirFigures) {
  const Comparison comparison = test::many(8);
  const std::vector<std::string> lines = lines_of(comparison_table(comparison, 80, true));
  for (const Compared& found : comparison.cases)
    EXPECT_EQ(std::ranges::count(lines, "    " + found.id), 1) << found.id;
  const auto rows = verdict_rows(comparison_table(comparison, 80, true));
  ASSERT_EQ(rows.size(), 8u);
  for (const std::string& row : rows) EXPECT_TRUE(contains(row, " % [")) << row;
}

// Cells of a row as GitHub splits them: a pipe behind a backslash splits nothing.
std::size_t cells(const std::string& row) {
  std::size_t pipes = 0;
  for (std::size_t i = 0; i < row.size(); ++i)
    pipes += row[i] == '|' && (i == 0 || row[i - 1] != '\\');
  return pipes - 1;
}

// A line without its code spans, which end at as many backticks as they start with.
std::string outside_code(const std::string& line) {
  std::string outside;
  std::string fence;  // of the span that the place is in
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t end = std::min(line.find_first_not_of('`', i), line.size());
    if (end == i) {
      if (fence.empty()) outside += line[i];
      ++i;
      continue;
    }
    const std::string run = line.substr(i, end - i);
    if (fence.empty())
      fence = run;
    else if (run == fence)
      fence.clear();
    i = end;
  }
  return fence.empty() ? outside : outside + fence;
}

std::size_t starting_with(const std::vector<std::string>& lines, std::string_view start) {
  return static_cast<std::size_t>(std::ranges::count_if(
      lines, [&](const std::string& line) { return line.starts_with(start); }));
}

TEST(ComparisonMarkdown, StartsWithTheVerdict) {
  EXPECT_EQ(lines_of(comparison_markdown(test::every_verdict()))[0],
            "**gpubench: FAIL** — 2 regressions, 1 missing, 1 not comparable, 1 inconclusive, 1 "
            "insufficient, 1 improvement, 1 new, 1 same");
  EXPECT_EQ(lines_of(comparison_markdown({}))[0], "**gpubench: NOT COMPARABLE** — no cases");
}

TEST(ComparisonMarkdown, FoldsWhatDidNotChange) {
  Comparison comparison = test::every_verdict();
  const auto folded = [&] {
    const std::string text = comparison_markdown(comparison);
    const std::size_t fold = text.find("<details><summary>");
    EXPECT_NE(fold, text.npos);
    return std::pair{text.substr(0, fold), text.substr(fold)};
  };
  auto [open, rest] = folded();
  for (const char* id :
       {"worst", "regression", "missing", "incomparable", "inconclusive", "improvement"})
    EXPECT_TRUE(contains(open, "| `add/" + std::string(id) + "?n=1` |")) << id;
  EXPECT_TRUE(rest.starts_with("<details><summary>1 insufficient, 1 new, 1 same</summary>\n\n|"));
  for (const char* id : {"insufficient", "new", "same"})
    EXPECT_TRUE(contains(rest, "| `add/" + std::string(id) + "?n=1` |")) << id;
  // What fails is never folded.
  comparison.strict = true;
  std::tie(open, rest) = folded();
  EXPECT_TRUE(contains(open, "`add/insufficient?n=1`"));
}

TEST(ComparisonMarkdown, EndsWithWhatWasCompared) {
  const std::string text = comparison_markdown(test::every_verdict());
  for (const char* part :
       {"- base: `a.json`, `b.json` (NVIDIA H200, commit 0123456789ab, 5 processes, ",
        "- new: `c.json` (NVIDIA H200, 5 processes, ",
        "- metric time, 95 % confidence, min effect 2 %\n", "- a regression: its whole interval ",
        "- warning: the drivers differ: 570.1 and 580.2\n",
        "- A side has fewer than 5 processes.\n"})
    EXPECT_TRUE(contains(text, part)) << part;
}

TEST(ComparisonMarkdown, HostileTextsStayInTheirCells) {
  const std::string text = comparison_markdown(test::hostile());
  const std::vector<std::string> lines = lines_of(text);
  std::size_t rows = 0;
  for (const std::string& line : lines) {
    if (!line.starts_with("|")) continue;
    ++rows;
    EXPECT_EQ(cells(line), 7u) << line;
    EXPECT_EQ(outside_code(line).find_first_of("<>`@*#"), std::string::npos) << line;
  }
  EXPECT_GT(rows, 80u);
  // cmark, and what is made of it, knows no longer fence.
  EXPECT_EQ(text.find(std::string(81, '`')), text.npos);
  EXPECT_EQ(starting_with(lines, "<details><summary>"), 1u);
  EXPECT_EQ(starting_with(lines, "</details>"), 1u);
}

TEST(ComparisonMarkdown, IdsAreShownAsTheyAre) {
  const auto shown = [](const std::string& id) {
    return verdict_rows(comparison_markdown(around({judged(id, Verdict::regression, 2)}))).at(0);
  };
  EXPECT_TRUE(contains(shown("add/x?a=1&b=<2>_*"), "| `add/x?a=1&b=<2>_*` |"));
  EXPECT_TRUE(contains(shown("a|b"), "| `a\\|b` |"));
  EXPECT_TRUE(contains(shown("a`b``c"), "| ``` a`b``c ``` |"));
  EXPECT_TRUE(contains(shown("a\nb"), "| `a\\x0ab` |"));
  EXPECT_TRUE(contains(shown("a\xff"), "| `a\xef\xbf\xbd` |"));
}

TEST(ComparisonMarkdown, FitsIntoACommentAndCountsTheRest) {
  for (const std::size_t number : {std::size_t{1000}, std::size_t{20000}}) {
    const Comparison comparison = test::many(number);
    const std::string text = comparison_markdown(comparison);
    EXPECT_LE(text.size(), 60000u);
    EXPECT_GT(text.size(), 50000u);
    std::map<std::string, std::size_t> seen;
    for (const std::string& row : verdict_rows(text)) ++seen[row.substr(2, row.find(" |", 2) - 2)];
    for (int i = 0; i <= static_cast<int>(Verdict::same); ++i) {
      const std::string verdict(name(static_cast<Verdict>(i)));
      const std::size_t more = text.find(" more " + verdict);
      if (more == text.npos) continue;
      const std::size_t digits = text.find_last_not_of("0123456789", more - 1) + 1;
      seen[verdict] += std::stoul(text.substr(digits, more - digits));
    }
    for (const auto& [verdict, cases] : seen) EXPECT_EQ(cases, number / 8) << verdict;
    EXPECT_EQ(seen.size(), 8u);
    EXPECT_EQ(starting_with(lines_of(text), "</details>"), 1u);
  }
  EXPECT_LE(comparison_markdown(test::hostile()).size(), 60000u);
}

}  // namespace
}  // namespace gpubench
