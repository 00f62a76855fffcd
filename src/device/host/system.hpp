// What /proc and /sys say of this machine. Every function takes the root of the file system, so
// that tests can show it another machine; what is missing there is empty in the answer, never an
// error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpubench::host {

struct Caches {
  std::optional<std::int64_t> last_level_bytes;  // of all instances that the given processors share
  std::optional<std::int64_t> inner_bytes;       // the level below it, summed likewise
  std::optional<std::int64_t> l1_bytes;          // level 1, of data, summed likewise
};

class System {
 public:
  explicit System(std::filesystem::path root = "/") : root_(std::move(root)) {}

  std::string cpu_name() const;
  // One processor of each physical core among `cpus`, ascending; all of them where the topology is
  // unknown.
  std::vector<int> one_per_core(const std::vector<int>& cpus) const;
  Caches caches(const std::vector<int>& cpus) const;
  std::optional<double> max_clock_hz(int cpu) const;
  std::optional<double> current_clock_hz(int cpu) const;
  std::optional<double> package_temperature_c() const;
  // Energy counters of all packages, in joules, each running up to its own wrap-around.
  struct EnergyCounter {
    double joules = 0;
    double wrap_joules = 0;
  };
  std::vector<EnergyCounter> energy_counters() const;

  // Processors' worth of time that control groups allow this process; empty without a limit.
  std::optional<double> cpu_quota() const;
  // Limited by control groups where they are tighter than the machine.
  std::int64_t memory_bytes() const;
  std::int64_t free_bytes() const;

 private:
  struct Limit {
    std::int64_t limit = 0;
    std::int64_t used = 0;  // without file cache that the kernel can drop
  };
  std::vector<Limit> memory_limits() const;
  // The control-group folders of this process, from its own up to the root: version 2 (`controller`
  // empty) or 1.
  std::vector<std::filesystem::path> group_folders(const std::string& controller) const;
  std::filesystem::path cpu_folder(int cpu) const;

  std::filesystem::path root_;
};

}  // namespace gpubench::host
