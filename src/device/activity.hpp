// What a device says it did during a sample, recorded beside the events that time it: when each
// kernel, copy and memory fill began and ended. The cross-check of the events stands on this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace gpubench {

// One kernel, copy or fill, on the recorder's clock.
struct Activity {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// An activity and whose it is: the case's launches, or the timer's own kernels around them.
struct ActivityRecord {
  enum class Of { launch, gate, probe, sweep };
  Of of = Of::launch;
  Activity activity;  // both times 0: the recorder could not take them
};

struct TracedSample {
  double events_s = 0;  // of the whole sample, by its events; 0: below their resolution
  std::vector<Activity> activities;  // the launches', by their start
  bool held = false;       // a gate was before it: its events enclose no wait for the host
  std::string incomplete;  // why `activities` lacks some; empty where it has them all
};

// The sample in `records`, in any order: what began between its two probes, the last ones there.
// `lost` records are known to be missing.
TracedSample cut_sample(double events_s, std::vector<ActivityRecord> records, std::size_t lost);

// Records the launches that a timer takes. Recording slows them and cannot be undone in a process,
// so nothing is timed for a result after the first trace.
class ActivityTracer {
 public:
  virtual ~ActivityTracer() = default;
  // Takes samples as a timer with these options does, each by itself. Throws what the launch
  // throws, Error{no_device} when nothing can be recorded, Interrupted on Ctrl-C.
  virtual std::vector<TracedSample> trace(const Launch&, const TimerOptions&, int samples) = 0;
};

// The device outlives its tracer. Attaches nothing yet. Throws Error{no_device} with one sentence
// where the device has no records, CUPTI is missing or too old, or a tool watches this process.
std::unique_ptr<ActivityTracer> open_activity_tracer(Device&);

}  // namespace gpubench
