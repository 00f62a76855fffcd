// The events of a sample against the records of what ran between them: two clocks that must agree,
// and the gaps between the kernels, which explain a case that is bound by its launches.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "device/activity.hpp"

namespace gpubench {

struct CrossCheck {
  // Of whole samples, medians over the complete ones.
  double events_s = 0;
  double span_s = 0;                 // first start to last end
  double idle_share = 0;             // of the span, with nothing running
  std::optional<double> difference;  // median of (events - span) / events; empty where 0
  // Between consecutive activities, 0 where they overlap; empty where a sample has only one.
  std::optional<double> gap_median_s, gap_max_s;
  std::size_t activities = 0;  // of the sample with most

  // Why the case fails, empty where it does not: the two disagree by more than 2 % on samples of
  // more than 500 µs, or fewer than three samples are complete.
  std::string failure;
  std::string not_judged;  // why they may disagree by more; empty where they were held to it
};

// Samples that were not held are not judged: their events also enclose waits for the host, which
// have no record.
CrossCheck cross_check(std::span<const TracedSample>);

// One line for the user; `untraced_s` is the time of a sample as it was timed without records.
std::string text(const CrossCheck&, double untraced_s);

}  // namespace gpubench
