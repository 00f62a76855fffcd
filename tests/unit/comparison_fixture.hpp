// Comparisons made by hand, for the tests of the reports.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "compare/comparison.hpp"

namespace gpubench::test {

inline Compared judged(std::string id, Verdict verdict, double ratio) {
  Compared found;
  found.id = std::move(id);
  found.verdict = verdict;
  found.unit = "s";
  found.base = Figure{1e-3, 5, 100};
  found.fresh = Figure{1e-3 * ratio, 5, 100};
  found.ratio = ratio;
  found.interval = Interval{ratio * 0.995, ratio * 1.005};
  found.method = Method::welch;
  found.threshold = 0.02;
  return found;
}

inline Comparison around(std::vector<Compared> cases) {
  Comparison comparison;
  comparison.base = {
      {"a.json", "b.json"}, "NVIDIA H200", "0123456789abcdef0123", "2026-01-02T03:04:05Z", 5};
  comparison.fresh = {{"c.json"}, "NVIDIA H200", std::nullopt, "2026-01-03T03:04:05Z", 5};
  comparison.cases = std::move(cases);
  return comparison;
}

// A case of every verdict; ids are family/<verdict>?n=1.
inline Comparison every_verdict() {
  std::vector<Compared> cases = {judged("add/same?n=1", Verdict::same, 1.001),
                                 judged("add/improvement?n=1", Verdict::improvement, 0.5),
                                 judged("add/inconclusive?n=1", Verdict::inconclusive, 1.019),
                                 judged("add/regression?n=1", Verdict::regression, 1.1),
                                 judged("add/worst?n=1", Verdict::regression, 1.3)};
  cases[2].reason = "the interval straddles the edge of the band";
  cases[3].notes = {"power_limited", "SM clock -5.2 %"};
  cases[4].method = Method::bootstrap;
  cases[4].floor = cases[4].threshold = 0.043;
  cases[4].floor_source = "launch-sized";
  const auto bare = [&](std::string id, Verdict verdict, std::string reason) -> Compared& {
    Compared found;
    found.id = std::move(id);
    found.verdict = verdict;
    found.unit = "s";
    found.reason = std::move(reason);
    cases.push_back(std::move(found));
    return cases.back();
  };
  bare("add/missing?n=1", Verdict::missing, "not in the new documents").base = Figure{2e-3, 5, 50};
  bare("add/incomparable?n=1", Verdict::not_comparable, "seed 1 in the baseline, seed 2 now");
  bare("add/insufficient?n=1", Verdict::insufficient, "5 samples on one side; it takes 9");
  bare("add/new?n=1", Verdict::added, "").fresh = Figure{3e-3, 5, 50};
  Comparison comparison = around(std::move(cases));
  comparison.warnings = {"the drivers differ: 570.1 and 580.2"};
  comparison.remarks = {"A side has fewer than 5 processes."};
  return comparison;
}

// Ids, and every other text, that mean something to a terminal or a format.
inline const std::vector<std::string> hostile_texts = {
    "quotes \"double\" 'single'",
    "</testcase><details>&amp;&lt;",
    "]]><![CDATA[ <!-- -->",
    "pipe | and \\| and \\\\| end\\",
    "`one` ``two`` |`| `",
    "line\nfeed\r\n\tand tab",
    "\x1b[31mred\x1b[0m \xc2\x9b"
    "31m\x07\x7f",
    "invalid \xff\xc3 \xed\xa0\x80 \xf8",
    "not a character \xef\xbf\xbf \xef\xbf\xbe",
    "**bold** _it_ ~~x~~ [link](https://example.org) @someone #1 $x$ https://example.org",
    "",
    " ",
    std::string("nul\0nul", 7),
    std::string(10000, 'x'),
    std::string(10000, '`'),
    std::string(10000, '|')};

// Every hostile text as an id of every verdict, as reason, note, unit, file, device, ….
inline Comparison hostile() {
  Comparison comparison = every_verdict();
  const std::vector<Compared> cases = comparison.cases;
  comparison.cases.clear();
  for (const std::string& text : hostile_texts)
    for (Compared found : cases) {
      found.id = text + std::string(name(found.verdict)) + std::to_string(comparison.cases.size());
      found.reason = found.unit = found.floor_source = text;
      found.notes = {text, text};
      comparison.cases.push_back(std::move(found));
    }
  for (SideFacts* side : {&comparison.base, &comparison.fresh})
    *side = {hostile_texts, hostile_texts[0], hostile_texts[6], hostile_texts[4], 1};
  comparison.warnings = comparison.remarks = hostile_texts;
  return comparison;
}

// Numbers that no rule should give.
inline Comparison not_finite() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Compared> cases;
  for (const double value : {nan, infinity, -infinity}) {
    Compared found = judged("add/x?n=" + std::to_string(cases.size()), Verdict::regression, value);
    found.base->value = found.threshold = value;
    found.floor = value;
    found.floor_source = "calibrated";
    cases.push_back(found);
    found = judged("add/y?n=" + std::to_string(cases.size()), Verdict::same, 1);
    found.interval = Interval{1, value};
    cases.push_back(found);
    found = judged("add/z?n=" + std::to_string(cases.size()), Verdict::same, 1);
    found.interval = Interval{value, 1};
    cases.push_back(found);
  }
  return around(std::move(cases));
}

inline Comparison many(std::size_t number) {
  std::vector<Compared> cases;
  constexpr std::size_t verdicts = 8;
  for (std::size_t i = 0; i < number; ++i) {
    cases.push_back(judged("attention/fused_row?dtype=f32&B=1&H=1&H_kv=1&N_q=" + std::to_string(i) +
                               "&N_k=4096&D=128&causal=false&cache=warm",
                           static_cast<Verdict>(i % verdicts),
                           1 + static_cast<double>(i % 1000) / 1000));
    cases.back().notes = {"power_limited"};
  }
  return around(std::move(cases));
}

}  // namespace gpubench::test
