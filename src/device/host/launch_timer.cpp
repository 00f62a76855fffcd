#include "device/host/launch_timer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/interrupt.hpp"
#include "device/host/core_clock.hpp"
#include "device/host/team.hpp"

namespace gpubench::host {
namespace {

// Reading is enough to evict, and leaves no dirty lines whose write-back would fall into the timed
// span.
void sweep_caches(const Memory& memory) {
#pragma omp parallel
  {
    const Range mine = my_part(static_cast<std::int64_t>(memory.bytes()), 4096);
    const auto* bytes = static_cast<const volatile unsigned char*>(memory.data());
    for (std::int64_t line = mine.begin; line < mine.end; line += 64) (void)bytes[line];
  }
}

}  // namespace

HostLaunchTimer::HostLaunchTimer(std::vector<int> cpus, Launch launch, const TimerOptions& options,
                                 Memory sweep)
    : cpus_(std::move(cpus)),
      launch_(std::move(launch)),
      options_(options),
      sweep_(std::move(sweep)) {}

std::vector<Sample> HostLaunchTimer::run(int samples) {
  using Clock = std::chrono::steady_clock;
  const PinnedTeam team(cpus_);
  const int launches = std::max(1, options_.launches_per_sample);
  std::vector<Sample> taken;
  taken.reserve(static_cast<std::size_t>(std::max(0, samples)));
  for (int sample = 0; sample < samples; ++sample) {
    check_interrupt();
    double seconds = 0;
    if (sweep_.data()) {
      for (int i = 0; i < launches; ++i) {
        sweep_caches(sweep_);
        const auto start = Clock::now();
        launch_(Stream{});
        seconds += std::chrono::duration<double>(Clock::now() - start).count();
      }
    } else {
      const auto start = Clock::now();
      for (int i = 0; i < launches; ++i) launch_(Stream{});
      seconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
    // Read just after the load: cores change their clock in milliseconds, the reading takes 50 us.
    taken.push_back({seconds / launches, core_clock_hz()});
  }
  return taken;
}

}  // namespace gpubench::host
