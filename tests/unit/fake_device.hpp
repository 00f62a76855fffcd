// A device whose times are scripted, for tests of what stands above the devices.
#pragma once

#include <cstdlib>
#include <cstring>
#include <deque>

#include "device/device.hpp"

namespace gpubench {

class FakeDevice : public Device {
 public:
  FakeDevice() {
    facts_.kind = DeviceKind::host;
    facts_.id = "host";
    facts_.name = "fake";
    facts_.memory_bytes = 1 << 30;
  }
  // Seconds a launch takes, for each sample in turn; the last one repeats.
  std::deque<double> seconds = {1e-3};
  TelemetryReading reading;
  int launches = 0;
  std::size_t free = std::size_t{1} << 30;

  const DeviceFacts& facts() const override { return facts_; }
  DeviceFacts& facts() { return facts_; }
  std::size_t free_bytes() override { return free; }
  Memory allocate(std::size_t bytes, MemoryKind) override {
    return Memory(std::malloc(bytes), bytes, [](void* data) { std::free(data); });
  }
  void generate(void* destination, DType type, std::int64_t count, const Generator& g) override {
    for (std::int64_t i = 0; i < count; ++i)
      store(type, destination, static_cast<std::size_t>(i), element(g, i));
  }
  void fill(void* destination, int byte, std::size_t bytes) override {
    std::memset(destination, byte, bytes);
  }
  void copy_to_host(void* destination, const void* source, std::size_t bytes) override {
    std::memcpy(destination, source, bytes);
  }
  void copy_from_host(void* destination, const void* source, std::size_t bytes) override {
    std::memcpy(destination, source, bytes);
  }
  Stream stream() override { return {}; }
  void synchronize() override {}
  TelemetryReading telemetry() override { return reading; }

  std::unique_ptr<LaunchTimer> timer(Launch launch, const TimerOptions& options) override {
    class Timer : public LaunchTimer {
     public:
      Timer(FakeDevice& device, Launch launch, int count)
          : device_(device), launch_(std::move(launch)), count_(count) {}
      std::vector<Sample> run(int samples) override {
        std::vector<Sample> taken;
        for (int s = 0; s < samples; ++s) {
          for (int i = 0; i < count_; ++i) launch_(Stream{});
          device_.launches += count_;
          taken.push_back({device_.seconds.front(), 1e9});
          if (device_.seconds.size() > 1) device_.seconds.pop_front();
        }
        return taken;
      }
      std::string_view clock() const override { return "steady_clock"; }

     private:
      FakeDevice& device_;
      Launch launch_;
      int count_;
    };
    return std::make_unique<Timer>(*this, std::move(launch), options.launches_per_sample);
  }

 private:
  DeviceFacts facts_;
};

}  // namespace gpubench
