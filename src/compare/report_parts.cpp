#include "compare/report_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/text.hpp"

namespace gpubench {
namespace {

constexpr char32_t replacement = 0xfffd;

// The length of a UTF-8 sequence and the bits that its first byte holds; 0 for a byte that starts
// none.
std::pair<std::size_t, char32_t> sequence_start(unsigned char byte) {
  if (byte < 0x80) return {1, byte};
  if (byte >= 0xc2 && byte < 0xe0) return {2, byte & 0x1fu};
  if (byte >= 0xe0 && byte < 0xf0) return {3, byte & 0x0fu};
  if (byte >= 0xf0 && byte < 0xf5) return {4, byte & 0x07u};
  return {0, 0};
}

bool encodable(char32_t code_point, std::size_t length) {
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
  return code_point >= least[length] && code_point <= 0x10ffff && !surrogate;
}

}  // namespace

std::array<Verdict, 8> worst_first(const Comparison& comparison) {
  std::array verdicts = {Verdict::regression,   Verdict::missing,      Verdict::not_comparable,
                         Verdict::inconclusive, Verdict::insufficient, Verdict::improvement,
                         Verdict::added,        Verdict::same};
  const auto rank = [&](Verdict verdict) {
    if (fails(comparison, verdict)) return 0;
    return verdict == Verdict::not_comparable ? 1 : 2;
  };
  std::ranges::stable_sort(verdicts, {}, rank);
  return verdicts;
}

std::vector<const Compared*> cases_worst_first(const Comparison& comparison) {
  std::array<int, 8> rank{};
  const auto order = worst_first(comparison);
  for (std::size_t i = 0; i < order.size(); ++i)
    rank[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  // Halved and doubled are changes of one size.
  using Place = std::tuple<int, double, std::size_t>;
  std::vector<Place> places;
  for (std::size_t i = 0; i < comparison.cases.size(); ++i) {
    const Compared& found = comparison.cases[i];
    const std::optional<double> ratio = finite(found.ratio);
    const double size = ratio && *ratio > 0 ? std::fabs(std::log(*ratio)) : -1;
    places.emplace_back(rank[static_cast<std::size_t>(found.verdict)], -size, i);
  }
  std::ranges::sort(places);
  std::vector<const Compared*> cases;
  for (const Place& place : places) cases.push_back(&comparison.cases[std::get<2>(place)]);
  return cases;
}

std::string_view outcome(const Comparison& comparison) {
  switch (exit_code(comparison)) {
    case ExitCode::ok:
      return "PASS";
    case ExitCode::failed:
      return "FAIL";
    default:
      return "NOT COMPARABLE";
  }
}

std::string counted(int number, Verdict verdict) {
  const bool noun = verdict == Verdict::regression || verdict == Verdict::improvement;
  return std::to_string(number) + " " + std::string(name(verdict)) +
         (noun && number != 1 ? "s" : "");
}

std::optional<double> finite(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> value_of(const std::optional<Figure>& figure) {
  return figure ? finite(figure->value) : std::nullopt;
}

std::optional<Interval> interval_of(const Compared& found) {
  if (!found.interval || !std::isfinite(found.interval->low) ||
      !std::isfinite(found.interval->high))
    return std::nullopt;
  return found.interval;
}

std::optional<double> threshold_of(const Compared& found) {
  return finite(found.ratio) ? finite(found.threshold) : std::nullopt;
}

std::string figure_of(const Compared& found, const std::optional<Figure>& figure) {
  const std::optional<double> value = value_of(figure);
  return value ? figure_text(*value, found.unit) : "";
}

std::string change_of(const Compared& found) {
  const std::optional<double> ratio = finite(found.ratio);
  if (!ratio) return "";
  std::string text = change_text(*ratio);
  if (const std::optional<Interval> interval = interval_of(found)) {
    const auto bare = [](double end) {
      const std::string change = change_text(end);
      return change.substr(0, change.size() - std::string_view(" %").size());
    };
    text += " [" + bare(interval->low) + ", " + bare(interval->high) + "]";
  }
  return text;
}

std::string threshold_text(const Compared& found) {
  const std::optional<double> threshold = threshold_of(found);
  if (!threshold) return "";
  const bool by_floor = found.floor && *found.floor >= *threshold && !found.floor_source.empty();
  return percent_text(*threshold) + (by_floor ? " (" + found.floor_source + ")" : "");
}

std::vector<std::string> remarks_of(const Compared& found) {
  std::vector<std::string> remarks;
  if (!found.reason.empty()) remarks.push_back(found.reason);
  remarks.insert(remarks.end(), found.notes.begin(), found.notes.end());
  return remarks;
}

std::string sentence(const Compared& found) {
  const std::string base = figure_of(found, found.base);
  const std::string fresh = figure_of(found, found.fresh);
  std::vector<std::string> parts;
  if (const std::string change = change_of(found); !change.empty()) parts.push_back(change);
  if (!base.empty() && !fresh.empty())
    parts.push_back("from " + base + " to " + fresh);
  else if (!base.empty())
    parts.push_back(base + " in the baseline");
  else if (!fresh.empty())
    parts.push_back(fresh + " in the new documents");
  if (const std::string text = threshold_text(found); !text.empty())
    parts.push_back("threshold " + text);
  std::string text = join(parts, ", ");
  const std::string remarks = join(remarks_of(found), "; ");
  if (!remarks.empty()) text += (text.empty() ? "" : "; ") + remarks;
  return text.empty() ? std::string(name(found.verdict)) : text;
}

std::string options_text(const Comparison& comparison) {
  std::string text = "metric " + std::string(name(comparison.metric)) + ", " +
                     shortest(std::round(comparison.confidence * 1e6) / 1e4) +
                     " % confidence, min effect " + percent_text(comparison.min_effect);
  if (comparison.strict) text += ", strict: inconclusive and insufficient cases fail";
  if (comparison.allow_missing) text += ", missing cases are allowed";
  return text;
}

std::vector<std::string> facts_of(const SideFacts& side) {
  std::vector<std::string> facts;
  if (!side.device.empty()) facts.push_back(side.device);
  if (side.git_commit) facts.push_back("commit " + side.git_commit->substr(0, 12));
  if (side.processes > 0) facts.push_back(counted(side.processes, "process", "processes"));
  if (!side.started_at.empty()) facts.push_back(side.started_at);
  return facts;
}

std::vector<std::string> first_of(const std::vector<std::string>& texts, std::size_t most) {
  if (texts.size() <= most) return texts;
  std::vector<std::string> first(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(most));
  first.push_back("… and " + std::to_string(texts.size() - most) + " more");
  return first;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    auto [length, point] = sequence_start(static_cast<unsigned char>(text[at]));
    bool valid = length > 0 && at + length <= text.size();
    for (std::size_t i = 1; valid && i < length; ++i) {
      const auto byte = static_cast<unsigned char>(text[at + i]);
      valid = (byte & 0xc0) == 0x80;
      point = (point << 6) | (byte & 0x3fu);
    }
    valid = valid && encodable(point, length);
    points += valid ? point : replacement;
    at += valid ? length : 1;
  }
  return points;
}

void append_utf8(std::string& text, char32_t point) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += {static_cast<char>(0xc0 | (point >> 6)), tail(0)};
  } else if (point < 0x10000) {
    text += {static_cast<char>(0xe0 | (point >> 12)), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xf0 | (point >> 18)), tail(12), tail(6), tail(0)};
  }
}

std::string clean(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (const char32_t point : code_points(text)) append_utf8(valid, point);
  return printable(valid);
}

}  // namespace gpubench
