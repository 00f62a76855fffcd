// What a comparison of two sets of documents found, as plain data: rule.cpp decides it, the report
// files print it. docs/ci.md explains the rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "measure/statistics.hpp"

namespace gpubench {

// What is compared. Of time and energy less is better, of the percentages (and of ceilings that are
// rates) more.
enum class Metric { time, percent_of_roof, percent_of_roof_at_clock, energy };
std::string_view name(Metric);  // "time", "percent-of-roof", ...

enum class Verdict {
  regression,      // worse by more than the threshold, beyond doubt
  missing,         // ok in the baseline; not there or not ok in the new documents
  not_comparable,  // one id, and yet not the same case
  inconclusive,    // the interval straddles an edge of the band
  insufficient,    // too few samples to tell
  improvement,     // better by more than the threshold, beyond doubt
  added,           // "new": ok in the new documents only
  same,            // the whole interval lies within the band
};
std::string_view name(Verdict);  // "regression", ..., "not comparable", ..., "new", "same"

// A case, or a ceiling, on one side.
struct Figure {
  double value = 0;  // in Compared::unit
  int processes = 0;
  int samples = 0;  // of all processes
};

enum class Method { welch, bootstrap };

// How the two figures of a case relate. What the verdict leaves undefined is empty.
struct Compared {
  std::string id;
  Verdict verdict = Verdict::same;
  std::string reason;  // of a verdict that needs one: half a sentence, no full stop
  std::string unit;    // "s", "%", "J"; of ceilings "flop/s", "op/s", "byte/s", "s"
  bool less_is_better = true;
  std::optional<Figure> base;
  std::optional<Figure> fresh;       // of the new documents
  std::optional<double> ratio;       // fresh.value / base.value as the method estimates it
  std::optional<Interval> interval;  // of the ratio
  std::optional<Method> method;      // Welch's t on process medians, or a bootstrap of samples
  double threshold = 0;            // 0.02: what counts as a difference, above 1 and below 1 / 1.02
  std::optional<double> floor;     // the noise between processes that the threshold respects
  std::string floor_source;        // "launch-sized", "calibrated", ...; empty without a floor
  std::vector<std::string> notes;  // "power_limited", "SM clock -5.2 %"
};

// One side, for the reports' heading.
struct SideFacts {
  std::vector<std::string> files;
  std::string device;  // its name
  std::optional<std::string>
      git_commit;          // of the program; empty where files differ or none is known
  std::string started_at;  // of the first document
  int processes = 0;       // most that any case has
};

struct Comparison {
  Metric metric = Metric::time;
  double confidence = 0.95;
  double min_effect = 0.02;
  bool strict = false;         // inconclusive and insufficient cases fail
  bool allow_missing = false;  // missing cases do not
  SideFacts base, fresh;
  std::vector<std::string> warnings;  // sentences: drivers, clocks, power limits that differ
  std::vector<std::string> remarks;   // sentences: that noise between processes is not seen, advice
  std::vector<Compared> cases;        // in the baseline's order, then the new ones
};

int count(const Comparison&, Verdict);
// Whether this verdict makes the comparison fail, under its options.
bool fails(const Comparison&, Verdict);
// 1 with a case that fails, else 4 where a case is not comparable or all that both sides have are
// insufficient, else 0; whatever their number.
ExitCode exit_code(const Comparison&);
// "2 regressions, 1 improvement, 12 same", worst first; what there is none of is left out.
std::string headline(const Comparison&);
// The change of the figure, "+3.2 %", from a ratio.
std::string change_text(double ratio);
// 0.02 -> "2 %".
std::string percent_text(double fraction);
// "1.683 ms", "78.7 %", "1.32 J", "830 TFLOP/s", "4.61 TB/s".
std::string figure_text(double value, std::string_view unit);

}  // namespace gpubench
