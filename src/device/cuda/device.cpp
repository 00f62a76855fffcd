// cuda:N behind the Device interface.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/cuda/facts.hpp"
#include "device/cuda/generate.hpp"
#include "device/cuda/handles.hpp"
#include "device/cuda/nvml.hpp"
#include "device/cuda/support.hpp"
#include "device/cuda/timer.hpp"
#include "device/cuda/timer_kernels.hpp"
#include "device/devices.hpp"

namespace gpubench {
namespace cuda {
namespace {

constexpr std::size_t page = 4096;

std::string bytes_and_text(std::size_t bytes) {
  return bytes_text(static_cast<double>(bytes)) + " (" + std::to_string(bytes) + " bytes)";
}

[[noreturn]] void refuse(std::size_t needed, std::size_t free, std::string_view where) {
  throw Error(ExitCode::no_device, bytes_and_text(needed) + " are needed and " +
                                       bytes_and_text(free) + " are free on " + std::string(where));
}

// What the kernel can give without swapping. Linux lends more than it has and ends the process
// later.
std::size_t available_host_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return static_cast<std::size_t>(-1);
}

bool is_pageable(const void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "asking where a buffer lives");
  return attributes.type == cudaMemoryTypeUnregistered;
}

bool is_device(const void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "asking where a buffer lives");
  return attributes.type == cudaMemoryTypeDevice;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int ordinal) : ordinal_(ordinal), id_("cuda:" + std::to_string(ordinal)) {
    activate();
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "opening " + id_);
    stream_.reset(stream);
    load_timer_kernels();  // here it shows when this binary holds no code for the device
    nvml_ = Nvml::open(device_uuid(ordinal));
    facts_ = read_facts(ordinal, nvml_.get());
  }

  const DeviceFacts& facts() const override { return facts_; }

  std::size_t free_bytes() override {
    activate();
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "asking " + id_ + " for its free memory");
    return free;
  }

  Memory allocate(std::size_t bytes, MemoryKind kind) override {
    activate();
    if (bytes == 0) return {};
    switch (kind) {
      case MemoryKind::device:
        return allocate_on_device(bytes);
      case MemoryKind::host_pinned:
        return allocate_pinned(bytes);
      case MemoryKind::host_pageable:
        break;
    }
    return allocate_pageable(bytes);
  }

  void generate(void* destination, DType type, std::int64_t count,
                const Generator& generator) override {
    activate();
    if (count <= 0) return;
    if (!is_pageable(destination)) {
      launch_generate(destination, type, 0, count, generator, stream());
      return;
    }
    // Made on the device in pieces and copied.
    const auto size = static_cast<std::int64_t>(size_of(type));
    const std::int64_t piece = std::min<std::int64_t>(count, (std::int64_t{64} << 20) / size);
    const Memory staging = allocate_on_device(static_cast<std::size_t>(piece * size));
    for (std::int64_t first = 0; first < count; first += piece) {
      const std::int64_t elements = std::min(piece, count - first);
      launch_generate(staging.data(), type, first, elements, generator, stream());
      copy(static_cast<char*>(destination) + first * size, staging.data(),
           static_cast<std::size_t>(elements * size));
    }
  }

  void fill(void* destination, int byte, std::size_t bytes) override {
    activate();
    if (bytes == 0) return;
    if (is_device(destination)) {
      check(cudaMemsetAsync(destination, byte, bytes, native(stream())),
            "filling memory of " + id_);
      return;
    }
    synchronize();  // in the order of the stream
    std::memset(destination, byte, bytes);
  }

  void copy_to_host(void* destination, const void* source, std::size_t bytes) override {
    activate();
    copy(destination, source, bytes);
  }
  void copy_from_host(void* destination, const void* source, std::size_t bytes) override {
    activate();
    copy(destination, source, bytes);
  }

  Stream stream() override { return Stream{stream_.get()}; }

  void synchronize() override {
    activate();
    check(cudaStreamSynchronize(native(stream())), "the work queued on " + id_);
  }

  std::unique_ptr<LaunchTimer> timer(Launch launch, const TimerOptions& options) override {
    activate();
    TimerDevice device;
    device.id = id_;
    device.stream = stream();
    device.multiprocessors = facts_.multiprocessors.value_or(1);
    if (options.cache == CacheMode::cold) {
      prepare_sweep();
      device.sweep_data = sweep_.data();
      device.sweep_bytes = sweep_.bytes();
    }
    return make_timer(device, std::move(launch), options);
  }

  TelemetryReading telemetry() override { return nvml_ ? nvml_->telemetry() : TelemetryReading{}; }

 private:
  void activate() { check(cudaSetDevice(ordinal_), "opening " + id_); }

  Memory allocate_on_device(std::size_t bytes) {
    const std::size_t free = free_bytes();
    if (bytes > free) refuse(bytes, free, id_);
    void* data = nullptr;
    const cudaError_t result = cudaMalloc(&data, bytes);
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      refuse(bytes, free, id_ + ", but not in one piece");
    }
    check(result, "allocating " + bytes_and_text(bytes) + " on " + id_);
    return {data, bytes, [](void* pointer) { cudaFree(pointer); }};
  }

  Memory allocate_pinned(std::size_t bytes) {
    const std::size_t free = available_host_bytes();
    if (bytes > free) refuse(bytes, free, "the host");
    void* data = nullptr;
    const cudaError_t result = cudaHostAlloc(&data, bytes, cudaHostAllocDefault);
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      refuse(bytes, free, "the host, but cannot be pinned");
    }
    check(result, "pinning " + bytes_and_text(bytes) + " of the host's memory");
    return {data, bytes, [](void* pointer) { cudaFreeHost(pointer); }};
  }

  Memory allocate_pageable(std::size_t bytes) {
    const std::size_t free = available_host_bytes();
    if (bytes > free) refuse(bytes, free, "the host");
    void* data = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!data) refuse(bytes, free, "the host, but not in one piece");
    return {data, bytes, [](void* pointer) { std::free(pointer); }};
  }

  // Between any two kinds of memory; ends when the bytes are there.
  void copy(void* destination, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, native(stream())),
          "copying " + bytes_and_text(bytes) + " with " + id_);
    synchronize();
  }

  // Four times L2, as what was swept out may be dirty, and replacement is not strictly by age.
  void prepare_sweep() {
    if (sweep_.data()) return;
    constexpr std::int64_t unknown_l2 = std::int64_t{64} << 20;
    const auto bytes = static_cast<std::size_t>(4 * facts_.l2_bytes.value_or(unknown_l2));
    sweep_ = allocate_on_device(bytes);
    fill(sweep_.data(), 0, bytes);
  }

  int ordinal_;
  std::string id_;
  StreamHandle stream_;
  std::unique_ptr<Nvml> nvml_;
  DeviceFacts facts_;
  Memory sweep_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Device> open_cuda_device(int ordinal) {
  return std::make_unique<cuda::CudaDevice>(ordinal);
}

}  // namespace gpubench
