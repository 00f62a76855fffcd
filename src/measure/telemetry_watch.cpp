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
  std::unique_lock lock(mutex_);
  while (!done_) {
    // The first wait lets the load begin; later ones keep the polling out of the way of the
    // launches.
    wake_.wait_for(lock, std::chrono::milliseconds(readings_.empty() ? 2 : 60));
    if (done_ && !readings_.empty()) break;
    lock.unlock();
    TimedReading reading{std::chrono::steady_clock::now(), device_.telemetry()};
    lock.lock();
    readings_.push_back(std::move(reading));
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

}  // namespace gpubench
