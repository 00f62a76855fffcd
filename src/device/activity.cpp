#include "device/activity.hpp"

#include <algorithm>
#include <functional>

namespace gpubench {
namespace {

using Of = ActivityRecord::Of;

bool has_times(const ActivityRecord& record) {
  return record.activity.start_ns > 0 && record.activity.end_ns >= record.activity.start_ns;
}

}  // namespace

TracedSample cut_sample(double events_s, std::vector<ActivityRecord> records, std::size_t lost) {
  TracedSample sample;
  sample.events_s = events_s;
  if (lost > 0) {
    sample.incomplete = std::to_string(lost) + " records were lost";
    return sample;
  }
  if (const auto untimed = std::ranges::count_if(records, std::not_fn(has_times)); untimed > 0) {
    sample.incomplete =
        std::to_string(untimed) + " of " + std::to_string(records.size()) + " records have no time";
    return sample;
  }
  // The stream runs the probes before and after what lies between the events, whatever other
  // streams that work goes through, so the order of the starts says what belongs to the sample.
  std::ranges::stable_sort(records, {},
                           [](const ActivityRecord& record) { return record.activity.start_ns; });
  std::vector<std::size_t> probes;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].of == Of::probe) probes.push_back(i);
  // A sample whose gate gave up was thrown away by the timer; its probes come first.
  if (probes.empty() || probes.size() % 2 != 0) {
    sample.incomplete = "of the timer's two probes around a sample " +
                        std::to_string(probes.size()) + " were found in " +
                        std::to_string(records.size()) + " records";
    return sample;
  }
  const std::size_t first = probes[probes.size() - 2];
  for (std::size_t i = first; i < probes.back(); ++i)
    if (records[i].of == Of::launch) sample.activities.push_back(records[i].activity);
  for (std::size_t i = first; i > 0 && records[i - 1].of != Of::probe; --i)
    if (records[i - 1].of == Of::gate) sample.held = true;
  if (sample.activities.empty()) sample.incomplete = "nothing that was launched was recorded";
  return sample;
}

}  // namespace gpubench
