// NVML, loaded at run time: sensors and facts that the CUDA runtime does not have. Everything is
// optional: without the library, or where a device does not support a query, the answer is empty.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"

namespace gpubench::cuda {

class Nvml {
 public:
  // NVML counts devices in another order than CUDA, so that the device is found by its UUID
  // ("GPU-..." or "MIG-..."). Null when NVML or the device is not there.
  static std::unique_ptr<Nvml> open(const std::string& uuid);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::optional<std::string> driver_version() const;
  std::optional<double> sm_clock_max_hz() const;
  std::optional<double> memory_clock_max_hz() const;
  std::optional<double> power_limit_w() const;  // the one enforced now
  TelemetryReading telemetry() const;           // energy since the driver was loaded

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  std::optional<double> power_w() const;
  std::optional<int> other_processes() const;
  std::unique_ptr<Library> library_;
};

}  // namespace gpubench::cuda
