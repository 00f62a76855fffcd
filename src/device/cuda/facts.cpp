#include "device/cuda/facts.hpp"

#include <cuda_runtime.h>

#include <optional>
#include <string_view>

#include "device/cuda/nvml.hpp"
#include "device/cuda/support.hpp"
#include "device/devices.hpp"

namespace gpubench::cuda {
namespace {

cudaDeviceProp properties_of(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal),
        "reading the properties of cuda:" + std::to_string(ordinal));
  return properties;
}

// CUDA names a MIG instance "<board> MIG 1g.18gb".
std::optional<std::string> mig_profile(std::string_view name) {
  constexpr std::string_view mark = " MIG ";
  const std::size_t at = name.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return std::string(name.substr(at + mark.size()));
}

// Empty where this driver does not know the attribute, or knows no value.
std::optional<int> attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, ordinal) != cudaSuccess) {
    cudaGetLastError();
    return std::nullopt;
  }
  return value;
}

std::optional<int> positive(std::optional<int> value) {
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<double> kilohertz(std::optional<int> value) {
  if (!value || *value <= 0) return std::nullopt;
  return *value * 1e3;
}

}  // namespace

std::string device_uuid(int ordinal) {
  const cudaDeviceProp properties = properties_of(ordinal);
  std::string text = mig_profile(properties.name) ? "MIG-" : "GPU-";
  constexpr std::string_view digits = "0123456789abcdef";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(properties.uuid.bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

DeviceFacts read_facts(int ordinal, const Nvml* nvml) {
  const cudaDeviceProp properties = properties_of(ordinal);
  const CudaStatus status = cuda_status();
  DeviceFacts facts;
  facts.kind = DeviceKind::cuda;
  facts.id = "cuda:" + std::to_string(ordinal);
  facts.name = properties.name;
  facts.uuid = device_uuid(ordinal);
  facts.compute_capability = properties.major * 10 + properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.l2_bytes = positive(attribute(cudaDevAttrL2CacheSize, ordinal));
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.cuda_runtime_version = status.runtime_version;
  facts.driver_api_version = status.driver_api_version;
  if (const auto ecc = attribute(cudaDevAttrEccEnabled, ordinal)) facts.ecc_enabled = *ecc != 0;
  facts.mig_profile = mig_profile(properties.name);
  facts.memory_bus_bits = positive(attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal));
  facts.shared_bytes_per_block =
      positive(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
  if (nvml) {
    facts.driver_version = nvml->driver_version();
    facts.power_limit_w = nvml->power_limit_w();
    facts.sm_clock_max_hz = nvml->sm_clock_max_hz();
    facts.memory_clock_max_hz = nvml->memory_clock_max_hz();
  }
  // The clock fields left cudaDeviceProp in CUDA 13; the attributes stayed.
  if (!facts.sm_clock_max_hz)
    facts.sm_clock_max_hz = kilohertz(attribute(cudaDevAttrClockRate, ordinal));
  if (!facts.memory_clock_max_hz)
    facts.memory_clock_max_hz = kilohertz(attribute(cudaDevAttrMemoryClockRate, ordinal));
  return facts;
}

}  // namespace gpubench::cuda
