#include "measure/cross_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/text.hpp"
#include "measure/statistics.hpp"

namespace gpubench {
namespace {

constexpr double allowed_difference = 0.02;
// Events enclose some microseconds around the first and the last kernel, which is more than the
// allowed part of a shorter sample.
constexpr double shortest_judged_s = 500e-6;
constexpr std::size_t fewest_complete = 3;

struct Outline {
  double span_s = 0;
  double busy_s = 0;  // the union of all activities
  std::vector<double> gaps_s;
};

// At least one activity, by their start.
Outline outline(const std::vector<Activity>& activities) {
  const std::int64_t first = activities.front().start_ns;
  std::int64_t end = first;  // of all so far
  std::int64_t idle = 0;
  Outline result;
  for (const Activity& activity : activities) {
    const std::int64_t gap = std::max<std::int64_t>(activity.start_ns - end, 0);
    if (&activity != &activities.front()) result.gaps_s.push_back(static_cast<double>(gap) * 1e-9);
    idle += gap;
    end = std::max(end, activity.end_ns);
  }
  result.span_s = static_cast<double>(end - first) * 1e-9;
  result.busy_s = static_cast<double>(end - first - idle) * 1e-9;
  return result;
}

std::string percent(double part) {
  return significant(100 * part, 2) + " %";
}

std::string both_times(const CrossCheck& check) {
  std::string line = "events " + seconds_text(check.events_s) + ", records of " +
                     counted(check.activities, "activity ", "activities ") +
                     seconds_text(check.span_s);
  if (check.difference) line += " (" + percent(std::abs(*check.difference)) + " apart)";
  return line;
}

}  // namespace

CrossCheck cross_check(std::span<const TracedSample> samples) {
  CrossCheck check;
  std::string incomplete;
  bool held = true;
  std::vector<double> events, spans, differences, idle_shares, gaps;
  for (const TracedSample& sample : samples) {
    if (!sample.incomplete.empty() || sample.activities.empty()) {
      incomplete = sample.incomplete;
      continue;
    }
    const Outline seen = outline(sample.activities);
    held = held && sample.held;
    events.push_back(sample.events_s);
    spans.push_back(seen.span_s);
    if (sample.events_s > 0)
      differences.push_back((sample.events_s - seen.span_s) / sample.events_s);
    idle_shares.push_back(seen.span_s > 0 ? 1 - seen.busy_s / seen.span_s : 0);
    gaps.insert(gaps.end(), seen.gaps_s.begin(), seen.gaps_s.end());
    check.activities = std::max(check.activities, sample.activities.size());
  }
  if (events.size() < fewest_complete) {
    check.failure = "cross-check: " + std::to_string(events.size()) + " of " +
                    std::to_string(samples.size()) + " samples were recorded in full";
    if (!incomplete.empty()) check.failure += " (" + incomplete + ")";
    return check;
  }
  check.events_s = median(events);
  check.span_s = median(spans);
  check.idle_share = median(idle_shares);
  if (differences.size() == events.size()) check.difference = median(differences);
  if (!gaps.empty()) {
    check.gap_median_s = median(gaps);
    check.gap_max_s = *std::ranges::max_element(gaps);
  }
  if (!held)
    check.not_judged = "not judged: the events enclose waits for the host, which have no record";
  else if (!(check.events_s > shortest_judged_s || check.span_s > shortest_judged_s))
    check.not_judged = "not judged: shorter than " + seconds_text(shortest_judged_s);
  else if (!check.difference || !(std::abs(*check.difference) <= allowed_difference))
    check.failure = "cross-check: the two clocks disagree: " + both_times(check) + ", and " +
                    percent(allowed_difference) + " are allowed";
  return check;
}

std::string text(const CrossCheck& check, double untraced_s) {
  if (!check.failure.empty()) return check.failure;
  std::string line = "cross-check: " + both_times(check);
  if (!check.not_judged.empty()) line += ", " + check.not_judged;
  if (check.gap_median_s)
    line += "; gaps between them: median " + seconds_text(*check.gap_median_s) + ", largest " +
            seconds_text(*check.gap_max_s) + ", " + percent(check.idle_share) + " of the time";
  return line + "; untraced " + seconds_text(untraced_s);
}

}  // namespace gpubench
