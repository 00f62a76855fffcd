// Warm up by time, sample, watch the clocks: how one launch becomes a timing with its telemetry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/device.hpp"
#include "measure/statistics.hpp"

namespace gpubench {

// The document's `timing`.
struct Timing {
  std::string clock;
  int launches_per_sample = 1;
  double warmup_s = 0;
  std::vector<double> samples_s;  // per launch, in the order taken
  // The same samples, one list a process; empty where one process took them all.
  std::vector<std::vector<double>> samples_by_process_s;
  double median_s = 0;
  double min_s = 0;
  double max_s = 0;
  double mad_s = 0;
  std::optional<Interval> median_ci95_s;  // empty with fewer than 6 samples
  std::optional<double> burst_s;
  std::string stop_reason;
};

// The document's `telemetry`.
struct Telemetry {
  std::optional<double> sm_clock_before_hz;
  std::optional<double> sm_clock_during_hz;  // device side, median over the samples
  std::optional<double> sm_clock_after_hz;
  std::optional<double> sm_clock_burst_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_w;
  std::optional<double> energy_j_per_launch;
  std::optional<double> temperature_c;
  std::vector<std::string> throttle_reasons;
  std::optional<int> other_processes;
};

struct Measurement {
  Timing timing;
  Telemetry telemetry;
};

struct MeasureOptions {
  double warmup_s = 0.4;
  double max_s = 3.0;    // time budget for the samples
  int min_samples = 20;  // at least this many, unless the budget ends a slow case after 5
  double relative_interval = 0.005;  // stop when the 95 % interval of the median is within this
  double sample_s = 1e-3;            // a sample holds as many launches as fill this
  // Sustained window: samples are those taken between warmup_s and this many seconds of unbroken
  // load.
  std::optional<double> load_until_s;
  // Also take the burst: a second of idle before the load, then the median of what runs 5 to 50 ms
  // after it begins.
  bool burst = false;
  Submission submission = Submission::graph;
  CacheMode cache = CacheMode::warm;
};

// A sample that the clock cannot tell from nothing.
class BelowResolution : public Error {
 public:
  explicit BelowResolution(const std::string& message) : Error(ExitCode::failed, message) {}
};

// Whether a sample of this timing is shorter than 50 times what its clock can tell apart: its
// figure is then more the clock's than the device's.
bool below_resolution(const Timing&);

// Launches `launch` many times on the device and returns what it saw. Throws what the launch
// throws, Error when the device fails, BelowResolution, Interrupted on Ctrl-C.
Measurement measure(Device&, const Launch&, const MeasureOptions&);

// Summarises samples (seconds per launch, at least one, all positive and finite).
Timing summarize(std::vector<double> samples_s);

}  // namespace gpubench
