// A device: where work runs. `cuda:N` and `host` behind one interface; device/cuda and device/host
// implement it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dtype.hpp"
#include "base/generator.hpp"

namespace gpubench {

enum class DeviceKind { cuda, host };
std::string_view name(DeviceKind);

// What a launch is queued on: a cudaStream_t on cuda:N, nothing on the host (work runs at once).
struct Stream {
  void* handle = nullptr;
};

using Launch = std::function<void(Stream)>;

// Facts in the document's units; unknown is empty. The first block is the document's `device`.
struct DeviceFacts {
  DeviceKind kind = DeviceKind::host;
  std::string id;  // "cuda:0", "host"
  std::string name;
  std::optional<std::string> uuid;
  std::optional<int> compute_capability;  // 90 for 9.0
  std::optional<int> multiprocessors;     // SMs; physical cores that may be used on the host
  std::optional<std::int64_t> l2_bytes;   // L2; the last-level cache on the host
  std::int64_t memory_bytes = 0;
  std::optional<double> sm_clock_max_hz;
  std::optional<double> memory_clock_max_hz;
  std::optional<std::string> driver_version;
  std::optional<std::string> cuda_runtime_version;
  std::optional<bool> ecc_enabled;
  std::optional<std::string> mig_profile;
  std::optional<double> power_limit_w;

  std::optional<int> memory_bus_bits;  // theoretical DRAM rate = clock * 2 * bits / 8
  std::optional<std::int64_t> shared_bytes_per_block;  // opt-in maximum
  std::optional<std::int64_t> inner_cache_bytes;  // host: below the last level, of all cores used
  std::optional<std::int64_t> core_l1_bytes;      // host: L1 for data, of all cores used
  std::optional<std::string> vector_unit;         // host: "avx512", "avx2", "generic"
  std::optional<std::string> driver_api_version;  // the newest CUDA the driver serves, "13.0"
};

enum class MemoryKind { device, host_pageable, host_pinned };

// Owns one allocation of a device.
class Memory {
 public:
  using Release = std::function<void(void*)>;
  Memory() = default;
  Memory(void* data, std::size_t bytes, Release release)
      : data_(data), bytes_(bytes), release_(std::move(release)) {}
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    Memory taken(std::move(other));
    swap(taken);
    return *this;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (data_ && release_) release_(data_);
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(Memory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(release_, other.release_);
  }
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Release release_;
};

// How a launch can be queued many times between two events.
enum class Submission {
  graph,     // captured in a CUDA graph and replayed
  held,      // cannot be captured: queued behind a spin kernel
  blocking,  // synchronises on its own (a pageable copy): launched plainly
};

enum class CacheMode { warm, cold };
std::string_view name(CacheMode);

struct TimerOptions {
  int launches_per_sample = 1;
  Submission submission = Submission::graph;
  CacheMode cache = CacheMode::warm;  // cold: L2 swept before each launch, outside the timed span;
                                      // one launch a sample
};

struct Sample {
  double seconds_per_launch = 0;
  std::optional<double> sm_clock_hz;  // mean over the sample, from inside the device
};

// Takes samples of one launch. Samples of one call are queued ahead of each other, so that the load
// is unbroken. Construction prepares (captures) and launches nothing.
class LaunchTimer {
 public:
  virtual ~LaunchTimer() = default;
  virtual std::vector<Sample> run(int samples) = 0;
  virtual std::string_view clock() const = 0;  // "cuda_event", "steady_clock"
};

// One reading of sensors; unknown is empty.
struct TelemetryReading {
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_w;   // of this moment or up to a tenth of a second ago, no mean
  std::optional<double> energy_j;  // a running total: only differences mean anything
  std::optional<double> temperature_c;
  std::vector<std::string> throttle_reasons;
  std::optional<int> other_processes;  // computing on this device, beside this one
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;
  virtual std::size_t free_bytes() = 0;

  // Contents undefined. Throws Error{no_device} with bytes needed and free when it does not fit.
  virtual Memory allocate(std::size_t bytes, MemoryKind kind = MemoryKind::device) = 0;
  // Elements 0..count of the generator, rounded to the type. The memory may be of any kind.
  virtual void generate(void* destination, DType type, std::int64_t count, const Generator&) = 0;
  virtual void fill(void* destination, int byte, std::size_t bytes) = 0;
  virtual void copy_to_host(void* destination, const void* source, std::size_t bytes) = 0;
  virtual void copy_from_host(void* destination, const void* source, std::size_t bytes) = 0;

  virtual Stream stream() = 0;
  // Waits for everything queued; throws Error{no_device} with the reason when any of it failed.
  virtual void synchronize() = 0;

  virtual std::unique_ptr<LaunchTimer> timer(Launch launch, const TimerOptions&) = 0;
  virtual TelemetryReading telemetry() = 0;
};

}  // namespace gpubench
