#include "measure/telemetry_watch.hpp"

#include <chrono>
#include <utility>

namespace gpubench {

TelemetryWatch::TelemetryWatch(Device& device) : device_(device) {
  if (device.facts().kind == DeviceKind::cuda) thread_ = std::thread([this] { poll(); });
}

TelemetryWatch::~TelemetryWatch() {
  finish();
}

void TelemetryWatch::poll() {
  // The driver has new values ten times a second: no value is missed, and the launches are left
  // alone.
  constexpr std::chrono::milliseconds period{50};
  std::unique_lock lock(mutex_);
  // The first wait lets the load begin.
  wake_.wait_for(lock, std::chrono::milliseconds(2), [this] { return done_; });
  while (!done_) {
    lock.unlock();
    TimedReading timed;
    timed.began = std::chrono::steady_clock::now();
    timed.reading = device_.telemetry();
    timed.ended = std::chrono::steady_clock::now();
    lock.lock();
    readings_.push_back(std::move(timed));
    wake_.wait_for(lock, period, [this] { return done_; });
  }
}

std::vector<TimedReading> TelemetryWatch::finish() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  return std::exchange(readings_, {});
}

std::optional<double> mean_power(std::span<const TimedReading> readings,
                                 std::chrono::steady_clock::time_point from,
                                 std::chrono::steady_clock::time_point until) {
  double sum_w = 0;
  int count = 0;
  for (const TimedReading& timed : readings) {
    if (timed.began < from || timed.ended > until || !timed.reading.power_w) continue;
    sum_w += *timed.reading.power_w;
    ++count;
  }
  if (count < 2) return std::nullopt;
  return sum_w / count;
}

}  // namespace gpubench
