#include "device/host/system.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/text.hpp"

namespace gpubench::host {
namespace fs = std::filesystem;
namespace {

// The first line, or nothing where the file is missing, empty or may not be read.
std::optional<std::string> line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
  if (line.empty()) return std::nullopt;
  return line;
}

std::optional<std::int64_t> integer_of(const fs::path& path) {
  const auto line = line_of(path);
  return line ? parse_integer(*line) : std::nullopt;
}

std::optional<double> scaled(std::optional<std::int64_t> value, double factor) {
  if (!value || *value <= 0) return std::nullopt;
  return static_cast<double>(*value) * factor;
}

// "32768K" or "1M" -> bytes.
std::optional<std::int64_t> size_of_cache(const fs::path& path) {
  auto line = line_of(path);
  if (!line) return std::nullopt;
  std::int64_t unit = 1;
  if (line->back() == 'K') unit = 1024;
  if (line->back() == 'M') unit = 1024 * 1024;
  if (unit > 1) line->pop_back();
  const auto value = parse_integer(*line);
  if (!value || *value <= 0) return std::nullopt;
  return *value * unit;
}

// The number after "key " or "key:" at the start of a line, in the file's own unit.
std::optional<std::int64_t> field_of(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key) || line.size() <= key.size()) continue;
    const char next = line[key.size()];
    if (next != ' ' && next != ':') continue;
    std::istringstream rest(line.substr(key.size() + 1));
    std::string word;
    if (rest >> word) return parse_integer(word);
  }
  return std::nullopt;
}

std::string text_after_colon(const std::string& line) {
  const auto colon = line.find(':');
  if (colon == std::string::npos) return "";
  const auto start = line.find_first_not_of(" \t", colon + 1);
  return start == std::string::npos ? "" : line.substr(start);
}

std::vector<fs::path> folders_in(const fs::path& path) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end;
       entry.increment(failed))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

fs::path System::cpu_folder(int cpu) const {
  return root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu));
}

std::string System::cpu_name() const {
  std::ifstream file(root_ / "proc/cpuinfo");
  std::string implementer, part;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const auto name = text_after_colon(line);
      if (!name.empty()) return name;
    }
    // AArch64 names no model.
    if (line.starts_with("CPU implementer")) implementer = text_after_colon(line);
    if (line.starts_with("CPU part")) part = text_after_colon(line);
  }
  if (!implementer.empty())
    return "Arm processor (implementer " + implementer + ", part " + part + ")";
  return "unknown processor";
}

std::vector<int> System::one_per_core(const std::vector<int>& cpus) const {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  std::vector<int> chosen;
  for (int cpu : cpus) {
    const fs::path topology = cpu_folder(cpu) / "topology";
    const auto package = integer_of(topology / "physical_package_id");
    const auto core = integer_of(topology / "core_id");
    if (!package || !core || seen.insert({*package, *core}).second) chosen.push_back(cpu);
  }
  return chosen;
}

Caches System::caches(const std::vector<int>& cpus) const {
  // Level -> the instances, each named by the processors that share it.
  struct Level {
    std::set<std::string> instances;
    std::int64_t bytes = 0;
  };
  std::vector<Level> levels(8);
  for (int cpu : cpus) {
    for (const fs::path& index : folders_in(cpu_folder(cpu) / "cache")) {
      const auto level = integer_of(index / "level");
      const auto type = line_of(index / "type");
      const auto bytes = size_of_cache(index / "size");
      if (!level || *level < 1 || *level > 7 || !type || *type == "Instruction" || !bytes) continue;
      Level& entry = levels[static_cast<std::size_t>(*level)];
      const auto sharers = line_of(index / "shared_cpu_list");
      if (entry.instances.insert(sharers.value_or(std::to_string(cpu))).second)
        entry.bytes += *bytes;
    }
  }
  Caches found;
  if (levels[1].bytes > 0) found.l1_bytes = levels[1].bytes;
  for (std::size_t level = 7; level >= 1; --level) {
    if (levels[level].bytes == 0) continue;
    if (!found.last_level_bytes) {
      found.last_level_bytes = levels[level].bytes;
    } else {
      found.inner_bytes = levels[level].bytes;
      break;
    }
  }
  return found;
}

std::optional<double> System::max_clock_hz(int cpu) const {
  return scaled(integer_of(cpu_folder(cpu) / "cpufreq/cpuinfo_max_freq"), 1e3);
}

std::optional<double> System::current_clock_hz(int cpu) const {
  return scaled(integer_of(cpu_folder(cpu) / "cpufreq/scaling_cur_freq"), 1e3);
}

std::optional<double> System::package_temperature_c() const {
  for (const fs::path& zone : folders_in(root_ / "sys/class/thermal")) {
    const auto type = line_of(zone / "type");
    if (type && *type == "x86_pkg_temp") return scaled(integer_of(zone / "temp"), 1e-3);
  }
  return std::nullopt;
}

std::vector<System::EnergyCounter> System::energy_counters() const {
  std::vector<EnergyCounter> counters;
  for (const fs::path& zone : folders_in(root_ / "sys/class/powercap")) {
    // Packages only: "intel-rapl:0", not the "intel-rapl:0:1" inside it. AMD's counters bear this
    // name too.
    const std::string name = zone.filename().string();
    if (!name.starts_with("intel-rapl:") || std::count(name.begin(), name.end(), ':') != 1)
      continue;
    const auto energy = integer_of(zone / "energy_uj");
    const auto wrap = integer_of(zone / "max_energy_range_uj");
    if (energy && wrap && *energy >= 0 && *wrap > 0)
      counters.push_back({static_cast<double>(*energy) * 1e-6, static_cast<double>(*wrap) * 1e-6});
  }
  return counters;
}

std::vector<fs::path> System::group_folders(const std::string& controller) const {
  std::vector<fs::path> folders;
  const fs::path mount =
      controller.empty() ? root_ / "sys/fs/cgroup" : root_ / "sys/fs/cgroup" / controller;
  std::ifstream file(root_ / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    // "hierarchy:controllers:/path"; version 2 has no controllers.
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    bool mine = controller.empty() && first + 1 == second;
    for (std::string name; std::getline(names, name, ',');) mine = mine || name == controller;
    if (!mine) continue;
    // In a container without its own view of control groups the path may not exist under the mount:
    // the existing parents, at least the mount itself, are then what limits us.
    fs::path path = fs::path(line.substr(second + 1)).relative_path();
    for (;; path = path.parent_path()) {
      folders.push_back(path.empty() ? mount : mount / path);
      if (path.empty()) break;
    }
  }
  if (folders.empty()) folders.push_back(mount);
  return folders;
}

std::optional<double> System::cpu_quota() const {
  std::optional<double> tightest;
  const auto consider = [&](std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
    if (!quota || !period || *quota <= 0 || *period <= 0) return;
    const double cpus = static_cast<double>(*quota) / static_cast<double>(*period);
    tightest = tightest ? std::min(*tightest, cpus) : cpus;
  };
  for (const fs::path& folder : group_folders("")) {
    if (const auto line = line_of(folder / "cpu.max")) {
      const auto space = line->find(' ');
      if (space != std::string::npos)  // "max 100000" is no limit: "max" is no number
        consider(parse_integer(line->substr(0, space)), parse_integer(line->substr(space + 1)));
    }
  }
  for (const fs::path& folder : group_folders("cpu"))
    consider(integer_of(folder / "cpu.cfs_quota_us"), integer_of(folder / "cpu.cfs_period_us"));
  return tightest;
}

std::vector<System::Limit> System::memory_limits() const {
  std::vector<Limit> limits;
  const auto consider = [&](const fs::path& folder, const char* limit_file, const char* used_file,
                            const char* droppable) {
    const auto limit = integer_of(folder / limit_file);
    if (!limit || *limit <= 0) return;  // "max", or not there
    const std::int64_t used = integer_of(folder / used_file).value_or(0);
    const std::int64_t cache = field_of(folder / "memory.stat", droppable).value_or(0);
    limits.push_back({*limit, std::max<std::int64_t>(0, used - cache)});
  };
  for (const fs::path& folder : group_folders(""))
    consider(folder, "memory.max", "memory.current", "inactive_file");
  for (const fs::path& folder : group_folders("memory"))
    consider(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
  return limits;
}

std::int64_t System::memory_bytes() const {
  std::int64_t bytes = field_of(root_ / "proc/meminfo", "MemTotal").value_or(0) * 1024;
  for (const Limit& limit : memory_limits()) bytes = std::min(bytes, limit.limit);
  return bytes;
}

std::int64_t System::free_bytes() const {
  std::int64_t bytes = field_of(root_ / "proc/meminfo", "MemAvailable").value_or(0) * 1024;
  for (const Limit& limit : memory_limits())
    bytes = std::min(bytes, std::max<std::int64_t>(0, limit.limit - limit.used));
  return bytes;
}

}  // namespace gpubench::host
