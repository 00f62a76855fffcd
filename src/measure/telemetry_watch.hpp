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
  std::chrono::steady_clock::time_point at;
  TelemetryReading reading;
};

// When the running total of energy was first seen at a value. It stands still between its updates,
// 20 to 100 ms apart: between two steps it grew by what was used between them, which two readings
// at any times do not tell.
struct EnergyStep {
  std::chrono::steady_clock::time_point at;
  double energy_j = 0;
};

struct Watched {
  std::vector<TimedReading> readings;
  std::vector<EnergyStep> energy;
};

// Watts between the first and the last of the steps within a span of time; nothing where they are
// less than 0.2 s apart, or the total did not grow.
std::optional<double> mean_power(std::span<const EnergyStep>,
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
  Watched finish();

 private:
  void poll();

  Device& device_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  Watched watched_;
  std::thread thread_;
};

}  // namespace gpubench
