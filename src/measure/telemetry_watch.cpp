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
  // A step of the energy is known to 10 ms; the rest is read seldom, to keep out of the way of the
  // launches.
  constexpr std::chrono::milliseconds period{10};
  constexpr int full_reading_every = 6;
  std::optional<double> last_j;
  std::unique_lock lock(mutex_);
  for (int tick = 0; !done_; ++tick) {
    // The first wait lets the load begin.
    wake_.wait_for(lock, tick == 0 ? std::chrono::milliseconds(2) : period);
    if (done_ && !watched_.readings.empty()) break;
    lock.unlock();
    const std::optional<double> energy_j = device_.energy_total_j();
    const auto now = std::chrono::steady_clock::now();
    std::optional<TimedReading> reading;
    if (tick % full_reading_every == 0) reading = TimedReading{now, device_.telemetry()};
    lock.lock();
    // The first value is as old as the last update, which nobody saw.
    if (energy_j && last_j && *energy_j != *last_j) watched_.energy.push_back({now, *energy_j});
    last_j = energy_j;
    if (reading) watched_.readings.push_back(std::move(*reading));
  }
}

Watched TelemetryWatch::finish() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  return std::exchange(watched_, {});
}

std::optional<double> mean_power(std::span<const EnergyStep> steps,
                                 std::chrono::steady_clock::time_point from,
                                 std::chrono::steady_clock::time_point until) {
  const EnergyStep* first = nullptr;
  const EnergyStep* last = nullptr;
  for (const EnergyStep& step : steps) {
    if (step.at < from || step.at > until) continue;
    if (!first) first = &step;
    last = &step;
  }
  if (!first) return std::nullopt;
  constexpr double shortest_span_s = 0.2;
  const double seconds = std::chrono::duration<double>(last->at - first->at).count();
  const double energy_j = last->energy_j - first->energy_j;
  if (seconds < shortest_span_s || !(energy_j > 0)) return std::nullopt;
  return energy_j / seconds;
}

}  // namespace gpubench
