#include "measure/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "measure/telemetry_watch.hpp"

namespace gpubench {
namespace {

using Clock = std::chrono::steady_clock;

// Fewer values have no order-statistic interval of 95 %: their whole range covers less.
constexpr std::size_t fewest_for_interval = 6;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A graph of more nodes costs more to build than it saves; on the host a launch is a function call.
int most_launches(DeviceKind kind) {
  return kind == DeviceKind::cuda ? 1000 : 1'000'000;
}

// The number of launches that fill a sample: found by timing ever larger samples, since one launch
// of a short kernel is mostly the cost of the events around it.
int launches_for(Device& device, const Launch& launch, const MeasureOptions& options) {
  if (options.submission == Submission::blocking || options.cache == CacheMode::cold) return 1;
  const int most = most_launches(device.facts().kind);
  int launches = 1;
  for (;;) {
    const auto timer = device.timer(launch, {launches, options.submission, options.cache});
    // A launch that was held up (by another process, a page fault) would pass a sample of one short
    // launch for a full one: the least of three counts, and on a host, whose cores others take for
    // milliseconds, of ten where it would end the search. What takes long is not asked that often.
    constexpr double enough_s = 0.25;
    const int most_tries = device.facts().kind == DeviceKind::host ? 10 : 3;
    const auto start = Clock::now();
    double per_launch = timer->run(1).front().seconds_per_launch;
    for (int tries = 1; tries < most_tries && since(start) < enough_s; ++tries) {
      if (tries >= 3 && per_launch * launches < options.sample_s) break;
      per_launch = std::min(per_launch, timer->run(1).front().seconds_per_launch);
    }
    const double total = per_launch * launches;
    if (total >= options.sample_s || launches == most) return launches;
    const double wanted = per_launch > 0 ? options.sample_s / per_launch : most;
    // Steps of 32 at most: an early estimate is too low when the first launches were slow.
    const int next = static_cast<int>(std::min({std::ceil(wanted), launches * 32.0, 1.0 * most}));
    if (next <= launches) return launches;
    const bool near = next < 2 * launches;
    launches = next;
    if (near) return launches;
  }
}

// What ran in the burst window, told by the device's own time since the load began.
class BurstWindow {
 public:
  void add(const Sample& sample, int launches) {
    const double end_s = load_s_ + sample.seconds_per_launch * launches;
    constexpr double from_s = 5e-3;
    constexpr double until_s = 50e-3;
    // A launch longer than the window is the burst itself when it is the first.
    const bool inside = load_s_ >= from_s && end_s <= until_s;
    if (inside || (samples_.empty() && end_s > until_s && sample.seconds_per_launch > 0))
      samples_.push_back(sample);
    load_s_ = end_s;
  }
  bool over() const { return load_s_ > 50e-3; }
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  double load_s_ = 0;
  std::vector<Sample> samples_;
};

std::optional<double> median_clock(const std::vector<Sample>& samples) {
  std::vector<double> clocks;
  for (const Sample& sample : samples)
    if (sample.sm_clock_hz) clocks.push_back(*sample.sm_clock_hz);
  if (clocks.empty()) return std::nullopt;
  return median(clocks);
}

double median_seconds(const std::vector<Sample>& samples) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) seconds.push_back(sample.seconds_per_launch);
  return median(seconds);
}

// Idle, but for noticing Ctrl-C.
void rest(double seconds) {
  const auto start = Clock::now();
  while (since(start) < seconds) {
    check_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool interval_is_narrow(const std::vector<Sample>& samples, double relative) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) seconds.push_back(sample.seconds_per_launch);
  const double center = median(seconds);
  const Interval interval = median_interval(seconds);
  return interval.low >= center * (1 - relative) && interval.high <= center * (1 + relative);
}

// When a measurement was doing what.
struct Spans {
  Clock::time_point load_start, sampling_start, sampling_end, after;
};

// Power under the load, where that lasted a quarter of a second. A sensor's value is up to a tenth
// of a second old, so that the first one of the load comes after that; of a short sampling span
// the load before it counts too, since it is the same. Without a sensor of power, as on a host, it
// is the slope of a counter of energy.
std::optional<double> power_under_load(DeviceKind kind, const TelemetryReading& idle,
                                       std::span<const TimedReading> watched,
                                       const TelemetryReading& after, const Spans& spans) {
  using std::chrono::milliseconds;
  if (after.power_w) {
    if (spans.sampling_end - spans.load_start < milliseconds(250)) return std::nullopt;
    const auto from =
        std::max(spans.load_start + milliseconds(110),
                 std::min(spans.sampling_start, spans.sampling_end - milliseconds(300)));
    return mean_power(watched, from, spans.sampling_end);
  }
  const double seconds = std::chrono::duration<double>(spans.after - spans.load_start).count();
  // A GPU's counter steps ten times a second, a processor's a thousand times.
  const double shortest_span_s = kind == DeviceKind::cuda ? 1.0 : 0.05;
  if (!idle.energy_j || !after.energy_j || seconds < shortest_span_s) return std::nullopt;
  const double energy_j = *after.energy_j - *idle.energy_j;
  if (!(energy_j > 0)) return std::nullopt;
  return energy_j / seconds;
}

// The sensors' part of the telemetry.
Telemetry summarize_sensors(const TelemetryReading& idle, std::span<const TimedReading> watched,
                            const TelemetryReading& after, const Spans& spans) {
  Telemetry telemetry;
  telemetry.sm_clock_before_hz = idle.sm_clock_hz;
  telemetry.sm_clock_after_hz = after.sm_clock_hz;
  telemetry.temperature_c = after.temperature_c;
  telemetry.other_processes = after.other_processes;
  const TelemetryReading* last = nullptr;
  std::set<std::string> reasons;  // of the sampling span, else of the last reading before it
  bool sampling = false;
  for (const TimedReading& timed : watched) {
    if (timed.ended > spans.sampling_end) break;
    if (!sampling) reasons.clear();
    sampling = timed.began >= spans.sampling_start;
    last = &timed.reading;
    reasons.insert(last->throttle_reasons.begin(), last->throttle_reasons.end());
  }
  telemetry.throttle_reasons.assign(reasons.begin(), reasons.end());
  telemetry.memory_clock_hz = (last ? *last : after).memory_clock_hz;
  return telemetry;
}

}  // namespace

Timing summarize(std::vector<double> samples_s) {
  Timing timing;
  timing.median_s = median(samples_s);
  const auto [low, high] = std::minmax_element(samples_s.begin(), samples_s.end());
  timing.min_s = *low;
  timing.max_s = *high;
  timing.mad_s = median_absolute_deviation(samples_s);
  if (samples_s.size() >= fewest_for_interval) timing.median_ci95_s = median_interval(samples_s);
  timing.samples_s = std::move(samples_s);
  return timing;
}

bool below_resolution(const Timing& timing) {
  // Of cudaEventElapsedTime by its documentation; of a steady clock what reading it takes.
  const double resolution_s = timing.clock == "cuda_event" ? 0.5e-6 : 50e-9;
  return timing.median_s * timing.launches_per_sample < 50 * resolution_s;
}

Measurement measure(Device& device, const Launch& launch, const MeasureOptions& options) {
  // One launch by itself first: kernels are loaded on first use, which must not fall into a held or
  // captured stream.
  launch(device.stream());
  device.synchronize();

  const int launches = launches_for(device, launch, options);
  const auto timer = device.timer(launch, {launches, options.submission, options.cache});

  constexpr double idle_before_burst_s = 1.0;
  if (options.burst) rest(idle_before_burst_s);
  BurstWindow burst;
  const TelemetryReading idle = device.telemetry();
  TelemetryWatch watch(device);
  const auto load_start = Clock::now();
  double sample_cost_s = 0;  // wall time of a sample, with what surrounds it
  do {
    const auto start = Clock::now();
    const int count =
        sample_cost_s > 0 ? std::clamp(static_cast<int>(0.02 / sample_cost_s), 1, 20) : 1;
    for (const Sample& sample : timer->run(count)) burst.add(sample, launches);
    sample_cost_s = since(start) / count;
    check_interrupt();
  } while (since(load_start) < options.warmup_s || (options.burst && !burst.over()));

  const double warmup_s = since(load_start);
  const auto sampling_start = Clock::now();
  std::vector<Sample> samples;
  std::string stop_reason;
  constexpr std::size_t fewest_samples = 5;
  const auto enough = static_cast<std::size_t>(std::max(options.min_samples, 1));
  while (stop_reason.empty()) {
    const int count = std::clamp(static_cast<int>(0.05 / sample_cost_s), 1, 50);
    for (const Sample& sample : timer->run(count)) {
      if (!(sample.seconds_per_launch > 0))
        throw BelowResolution("a sample of " + counted(launches, "launch is", "launches is") +
                              " below the resolution of the timer");
      samples.push_back(sample);
    }
    check_interrupt();
    const double sampled_s = since(sampling_start);
    if (options.load_until_s) {
      if (samples.size() >= enough && since(load_start) >= *options.load_until_s)
        stop_reason = "sustained window, " + shortest(options.warmup_s) + " to " +
                      shortest(*options.load_until_s) + " s of load";
    } else if (samples.size() >= std::max(enough, fewest_for_interval) &&
               interval_is_narrow(samples, options.relative_interval)) {
      stop_reason = "interval within " + shortest(options.relative_interval * 100) + " %";
    }
    if (stop_reason.empty() && sampled_s >= options.max_s &&
        (samples.size() >= fewest_samples || sampled_s >= std::max(10 * options.max_s, 30.0)))
      stop_reason = "time budget";
  }
  const auto sampling_end = Clock::now();
  const TelemetryReading after = device.telemetry();
  const Spans spans = {load_start, sampling_start, sampling_end, Clock::now()};
  const std::vector<TimedReading> watched = watch.finish();

  std::vector<double> seconds;
  for (const Sample& sample : samples) seconds.push_back(sample.seconds_per_launch);
  Measurement measurement;
  measurement.timing = summarize(std::move(seconds));
  measurement.timing.clock = timer->clock();
  measurement.timing.launches_per_sample = launches;
  measurement.timing.warmup_s = warmup_s;
  measurement.timing.stop_reason = std::move(stop_reason);
  measurement.telemetry = summarize_sensors(idle, watched, after, spans);
  const auto power_w = power_under_load(device.facts().kind, idle, watched, after, spans);
  measurement.telemetry.power_w = power_w;
  // Cold, most of the load is the sweeping of the cache, whose power is not the launch's.
  if (power_w && options.cache == CacheMode::warm)
    measurement.telemetry.energy_j_per_launch = *power_w * measurement.timing.median_s;
  measurement.telemetry.sm_clock_during_hz = median_clock(samples);
  if (options.burst && !burst.samples().empty()) {
    measurement.timing.burst_s = median_seconds(burst.samples());
    measurement.telemetry.sm_clock_burst_hz = median_clock(burst.samples());
  }
  return measurement;
}

}  // namespace gpubench
