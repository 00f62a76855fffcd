// The CPU of this machine as a device.
#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"
#include "device/host/system.hpp"

namespace gpubench::host {

class HostDevice final : public Device {
 public:
  HostDevice();
  const DeviceFacts& facts() const override { return facts_; }
  std::size_t free_bytes() override;

  // All kinds are the same memory here: page-aligned, already backed, each page touched first by
  // the thread whose static part (team.hpp) it lies in.
  Memory allocate(std::size_t bytes, MemoryKind kind = MemoryKind::device) override;
  void generate(void* destination, DType type, std::int64_t count, const Generator&) override;
  void fill(void* destination, int byte, std::size_t bytes) override;
  void copy_to_host(void* destination, const void* source, std::size_t bytes) override;
  void copy_from_host(void* destination, const void* source, std::size_t bytes) override;

  Stream stream() override { return {}; }
  void synchronize() override {}

  std::unique_ptr<LaunchTimer> timer(Launch launch, const TimerOptions&) override;
  TelemetryReading telemetry() override;

  const Caches& caches() const { return caches_; }

 private:
  double energy_j();

  System system_;
  std::vector<int> cpus_;  // one of each physical core; the threads are pinned to them
  Caches caches_;
  DeviceFacts facts_;
  std::vector<System::EnergyCounter> energy_before_;
  double energy_j_ = 0;
};

}  // namespace gpubench::host
