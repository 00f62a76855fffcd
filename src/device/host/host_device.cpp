#include "device/host/host_device.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/address_space.hpp"
#include "base/error.hpp"
#include "base/simd.hpp"
#include "base/text.hpp"
#include "device/devices.hpp"
#include "device/host/launch_timer.hpp"
#include "device/host/team.hpp"

namespace gpubench {

std::unique_ptr<Device> open_host_device() {
  return std::make_unique<host::HostDevice>();
}

namespace host {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::string vector_unit() {
  switch (simd::level()) {
    case simd::Level::avx512:
      return "avx512";
    case simd::Level::avx2:
      return "avx2";
    case simd::Level::generic:
      break;
  }
  return "generic";
}

// One processor of each physical core that this process may use, no more than the control group's
// quota pays for, and no more than OMP_NUM_THREADS asks for.
std::vector<int> usable_cores(const System& system) {
  std::vector<int> cpus = system.one_per_core(allowed_cpus());
  std::size_t most = static_cast<std::size_t>(
      std::max(1, std::min(omp_get_max_threads(), omp_get_thread_limit())));
  if (const auto quota = system.cpu_quota())
    most = std::min(most, static_cast<std::size_t>(std::max(1.0, std::floor(*quota))));
  if (cpus.size() > most) cpus.resize(most);
  return cpus;
}

GPUBENCH_SIMD_CLONES void generate_f32(float* out, std::int64_t begin, std::int64_t end,
                                       const Generator& generator) {
  const Generator g = generator;
  for (std::int64_t i = begin; i < end; ++i) out[i] = element(g, i);
}

}  // namespace

HostDevice::HostDevice() : cpus_(usable_cores(system_)), caches_(system_.caches(cpus_)) {
  const PinnedTeam team(cpus_);
  facts_.kind = DeviceKind::host;
  facts_.id = "host";
  facts_.name = system_.cpu_name();
  facts_.multiprocessors = static_cast<int>(cpus_.size());
  facts_.l2_bytes = caches_.last_level_bytes;
  facts_.inner_cache_bytes = caches_.inner_bytes;
  facts_.core_l1_bytes = caches_.l1_bytes;
  facts_.memory_bytes = system_.memory_bytes();
  facts_.sm_clock_max_hz = system_.max_clock_hz(cpus_.front());
  facts_.vector_unit = vector_unit();
  energy_before_ = system_.energy_counters();
}

std::size_t HostDevice::free_bytes() {
  return static_cast<std::size_t>(system_.free_bytes());
}

Memory HostDevice::allocate(std::size_t bytes, MemoryKind) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ExitCode::no_device, "cannot allocate " + bytes_text(static_cast<double>(bytes)) +
                                         " on host: " + reason);
  };
  if (const std::size_t available = free_bytes(); bytes > available)
    refuse(bytes_text(static_cast<double>(available)) + " of memory are free");
  // Huge pages spare the TLB misses that would be measured otherwise; they need aligned blocks.
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : page;
  const std::size_t rounded = std::max(bytes, std::size_t{1}) + alignment - 1;
  void* data = std::aligned_alloc(alignment, rounded / alignment * alignment);
  if (!data)
    refuse(address_space_limit() ? out_of_memory()
                                 : "the system refuses it, although the memory is free");
  if (alignment == huge_page) (void)madvise(data, bytes, MADV_HUGEPAGE);
  Memory memory(data, bytes, [](void* block) { std::free(block); });
  const PinnedTeam team(cpus_);
#pragma omp parallel
  {
    const Range mine = my_part(static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(page));
    auto* first = static_cast<volatile unsigned char*>(data);
    for (std::int64_t at = mine.begin; at < mine.end; at += static_cast<std::int64_t>(page))
      first[at] = 0;
  }
  return memory;
}

void HostDevice::generate(void* destination, DType type, std::int64_t count, const Generator& g) {
  const PinnedTeam team(cpus_);
#pragma omp parallel
  {
    const Range mine = my_part(count, static_cast<std::int64_t>(page / size_of(type)));
    if (type == DType::f32) {
      generate_f32(static_cast<float*>(destination), mine.begin, mine.end, g);
    } else {
      for (std::int64_t i = mine.begin; i < mine.end; ++i)
        store(type, destination, static_cast<std::size_t>(i), static_cast<double>(element(g, i)));
    }
  }
}

void HostDevice::fill(void* destination, int byte, std::size_t bytes) {
  const PinnedTeam team(cpus_);
#pragma omp parallel
  {
    const Range mine = my_part(static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(page));
    if (mine.size() > 0)
      std::memset(static_cast<unsigned char*>(destination) + mine.begin, byte,
                  static_cast<std::size_t>(mine.size()));
  }
}

void HostDevice::copy_to_host(void* destination, const void* source, std::size_t bytes) {
  const PinnedTeam team(cpus_);
#pragma omp parallel
  {
    const Range mine = my_part(static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(page));
    if (mine.size() > 0)
      std::memcpy(static_cast<unsigned char*>(destination) + mine.begin,
                  static_cast<const unsigned char*>(source) + mine.begin,
                  static_cast<std::size_t>(mine.size()));
  }
}

void HostDevice::copy_from_host(void* destination, const void* source, std::size_t bytes) {
  copy_to_host(destination, source, bytes);
}

std::unique_ptr<LaunchTimer> HostDevice::timer(Launch launch, const TimerOptions& options) {
  Memory sweep;
  if (options.cache == CacheMode::cold)
    sweep =
        allocate(static_cast<std::size_t>(2 * facts_.l2_bytes.value_or(std::int64_t{64} << 20)));
  return std::make_unique<HostLaunchTimer>(cpus_, std::move(launch), options, std::move(sweep));
}

// The counters run for the whole package: whatever else runs there is in them.
double HostDevice::energy_j() {
  const auto now = system_.energy_counters();
  for (std::size_t i = 0; i < now.size() && i < energy_before_.size(); ++i) {
    double difference = now[i].joules - energy_before_[i].joules;
    if (difference < 0) difference += now[i].wrap_joules;
    energy_j_ += difference;
  }
  energy_before_ = now;
  return energy_j_;
}

TelemetryReading HostDevice::telemetry() {
  TelemetryReading reading;
  reading.sm_clock_hz = system_.current_clock_hz(cpus_.front());
  reading.temperature_c = system_.package_temperature_c();
  if (!energy_before_.empty()) reading.energy_j = energy_j();
  return reading;
}

}  // namespace host
}  // namespace gpubench
