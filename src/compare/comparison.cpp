#include "compare/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "compare/report_parts.hpp"

namespace gpubench {
namespace {

// A share of a change, in percent, with its sign: fine enough to set a change of 0.1 % apart, and
// no finer than a change of 100 % is worth.
std::string signed_percent(double ratio) {
  const double percent = (ratio - 1) * 100;
  const double size = std::fabs(percent);
  std::string text = size >= 100 ? significant(size, 3) : fixed(size, size < 0.995 ? 2 : 1);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return (zero ? "" : percent < 0 ? "-" : "+") + text;
}

// 1.66e14 "FLOP/s" -> "166 TFLOP/s".
std::string scaled(double value, std::string_view unit) {
  constexpr std::array<std::pair<double, std::string_view>, 9> prefixes = {{{1e15, "P"},
                                                                            {1e12, "T"},
                                                                            {1e9, "G"},
                                                                            {1e6, "M"},
                                                                            {1e3, "k"},
                                                                            {1, ""},
                                                                            {1e-3, "m"},
                                                                            {1e-6, "µ"},
                                                                            {1e-9, "n"}}};
  if (value == 0) return "0 " + std::string(unit);
  const auto fits = [&](const auto& prefix) { return std::fabs(value) >= prefix.first; };
  auto prefix = std::ranges::find_if(prefixes, fits);
  if (prefix == prefixes.end()) --prefix;
  return significant(value / prefix->first, 3) + " " + std::string(prefix->second) +
         std::string(unit);
}

// The cases of which both sides have a figure, or ought to.
bool on_both_sides(const Compared& found) {
  return found.verdict != Verdict::missing && found.verdict != Verdict::added;
}

}  // namespace

std::string_view name(Metric metric) {
  switch (metric) {
    case Metric::time:
      return "time";
    case Metric::percent_of_roof:
      return "percent-of-roof";
    case Metric::percent_of_roof_at_clock:
      return "percent-of-roof-at-clock";
    case Metric::energy:
      return "energy";
  }
  return "";
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
      return "regression";
    case Verdict::missing:
      return "missing";
    case Verdict::not_comparable:
      return "not comparable";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::insufficient:
      return "insufficient";
    case Verdict::improvement:
      return "improvement";
    case Verdict::added:
      return "new";
    case Verdict::same:
      return "same";
  }
  return "";
}

int count(const Comparison& comparison, Verdict verdict) {
  return static_cast<int>(std::ranges::count(comparison.cases, verdict, &Compared::verdict));
}

bool fails(const Comparison& comparison, Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
      return true;
    case Verdict::missing:
      return !comparison.allow_missing;
    case Verdict::inconclusive:
    case Verdict::insufficient:
      return comparison.strict;
    default:
      return false;
  }
}

ExitCode exit_code(const Comparison& comparison) {
  const auto failing = [&](const Compared& found) { return fails(comparison, found.verdict); };
  if (std::ranges::any_of(comparison.cases, failing)) return ExitCode::failed;
  if (count(comparison, Verdict::not_comparable) > 0) return ExitCode::not_comparable;
  const auto told = [](const Compared& found) {
    return on_both_sides(found) && found.verdict != Verdict::insufficient;
  };
  return std::ranges::any_of(comparison.cases, told) ? ExitCode::ok : ExitCode::not_comparable;
}

std::string headline(const Comparison& comparison) {
  if (comparison.cases.empty()) return "no cases";
  std::vector<std::string> parts;
  for (const Verdict verdict : worst_first(comparison))
    if (const int number = count(comparison, verdict); number > 0)
      parts.push_back(counted(number, verdict));
  const std::string text = join(parts, ", ");
  return std::ranges::any_of(comparison.cases, on_both_sides) ? text : text + "; no case in common";
}

std::string change_text(double ratio) {
  return std::isfinite(ratio) ? signed_percent(ratio) + " %" : "unknown";
}

std::string percent_text(double fraction) {
  std::string text = significant(fraction * 100, 3);
  if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + " %";
}

std::string figure_text(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "unknown";
  if (unit == "s") return seconds_text(value);
  if (unit == "flop/s") return scaled(value, "FLOP/s");
  if (unit == "op/s") return scaled(value, "OP/s");
  if (unit == "byte/s") return scaled(value, "B/s");
  if (unit == "J") return scaled(value, "J");
  return significant(value, 3) + " " + std::string(unit);
}

}  // namespace gpubench
