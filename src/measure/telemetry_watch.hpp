// Reads a device's sensors while it works.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "device/device.hpp"

namespace gpubench {

struct TimedReading {
  std::chrono::steady_clock::time_point began, ended;
  TelemetryReading reading;
};

// Mean watts of the readings that began and ended between `from` and `until`; nothing where fewer
// than two of them have a power: it swings by a fifth when a load begins.
std::optional<double> mean_power(std::span<const TimedReading>,
                                 std::chrono::steady_clock::time_point from,
                                 std::chrono::steady_clock::time_point until);

// Polls from a thread of its own between construction and finish(): clocks and throttle reasons
// fall back within milliseconds of the end of the load, so a reading after it says nothing of it.
// On the host, where the poll would take a core from what is measured, and the sensors are few, it
// does nothing.
class TelemetryWatch {
 public:
  explicit TelemetryWatch(Device& device);
  ~TelemetryWatch();
  std::vector<TimedReading> finish();

 private:
  void poll();

  Device& device_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::vector<TimedReading> readings_;
  std::thread thread_;
};

}  // namespace gpubench
