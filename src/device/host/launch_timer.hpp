// Times launches on the host.
#pragma once

#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace gpubench::host {

class HostLaunchTimer final : public LaunchTimer {
 public:
  // `sweep` is what a cold sample reads before its launch: larger than the last-level cache, or
  // empty when warm.
  HostLaunchTimer(std::vector<int> cpus, Launch launch, const TimerOptions&, Memory sweep);
  std::vector<Sample> run(int samples) override;
  std::string_view clock() const override { return "steady_clock"; }

 private:
  std::vector<int> cpus_;
  Launch launch_;
  TimerOptions options_;
  Memory sweep_;
};

}  // namespace gpubench::host
