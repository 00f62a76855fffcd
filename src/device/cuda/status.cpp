// Whether CUDA can be used here, and if not, the one sentence that says why.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/text.hpp"
#include "device/cuda/support.hpp"
#include "device/devices.hpp"

namespace gpubench {
namespace {

std::string version_text(int version) {  // 13000 -> "13.0"
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The runtime says "insufficient driver" of a missing library too.
std::string missing_driver() {
  if (void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    dlclose(library);
    return "the NVIDIA driver library (libcuda.so.1) loads but does not answer: reinstall the "
           "driver";
  }
  const char* message = dlerror();
  const std::string reason = message ? message : "libcuda.so.1 cannot be loaded";
  if (reason.find("No such file") != std::string::npos)
    return "no NVIDIA driver is installed (the loader finds no libcuda.so.1)";
  return "the NVIDIA driver library cannot be loaded: " + reason;
}

std::string old_driver(int driver, int runtime) {
  if (driver == 0) return missing_driver();
  return "the NVIDIA driver is too old: it serves CUDA " + version_text(driver) +
         ", and this gpubench was built with CUDA " + version_text(runtime) +
         "; update the driver or build with an older toolkit";
}

std::string no_device() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!visible) return "the NVIDIA driver finds no GPU in this machine";
  if (*visible == '\0')
    return "no GPU is visible: CUDA_VISIBLE_DEVICES is set to nothing, which hides every GPU; "
           "unset it";
  return "no GPU is visible: CUDA_VISIBLE_DEVICES='" + std::string(visible) +
         "' names none that is there; nvidia-smi -L lists them";
}

std::string reason_for(cudaError_t error, int driver, int runtime) {
  switch (error) {
    case cudaErrorInsufficientDriver:
      return old_driver(driver, runtime);
    case cudaErrorStubLibrary:
      return "the libcuda.so.1 that the loader finds is the toolkit's stub, not a driver: take the "
             "stubs folder out of LD_LIBRARY_PATH";
    case cudaErrorNoDevice:
      return no_device();
    case cudaErrorInvalidDevice:
      if (std::getenv("CUDA_VISIBLE_DEVICES")) return no_device();
      break;
    case cudaErrorSystemDriverMismatch:
      return "the NVIDIA kernel module and libcuda.so.1 are of different versions: reboot, or "
             "reload the module";
    case cudaErrorCompatNotSupportedOnDevice:
      return "the CUDA compatibility package's libcuda.so.1 does not serve this GPU: take it out "
             "of LD_LIBRARY_PATH";
    default:
      break;
  }
  return "the NVIDIA driver cannot be initialised: " + cuda::describe(error) +
         " (nvidia-smi and dmesg may say more)";
}

// The value of "<key>: <value>" or "<key>:<tab><value>" in a file of such lines.
std::optional<std::string> value_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':') continue;
    const std::size_t start = line.find_first_not_of(" \t", key.size() + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return std::nullopt;
}

bool administrator() {
  constexpr int cap_sys_admin = 21;
  if (const auto capabilities = value_in("/proc/self/status", "CapEff"))
    return std::strtoull(capabilities->c_str(), nullptr, 16) >> cap_sys_admin & 1;
  return geteuid() == 0;
}

}  // namespace

CudaStatus cuda_status() {
  CudaStatus status;
  int runtime = 0;
  int driver = 0;
  int count = 0;
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess && runtime > 0)
    status.runtime_version = version_text(runtime);
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0)
    status.driver_api_version = version_text(driver);
  const cudaError_t result = cudaGetDeviceCount(&count);
  cudaGetLastError();  // a machine without a GPU is no error of the next call
  if (result != cudaSuccess)
    status.reason = reason_for(result, driver, runtime);
  else if (count == 0)
    status.reason = no_device();
  else
    status.device_count = count;
  return status;
}

std::string counters_permission(int ordinal) {
  cudaDeviceProp properties{};
  const bool known = cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess;
  cudaGetLastError();
  const std::string_view device_name = properties.name;
  if (known && device_name.find(" MIG ") != std::string_view::npos)
    return "unknown: cuda:" + std::to_string(ordinal) +
           " is a MIG instance, and whether it lends its counters shows only when they are read";
  const auto restricted = value_in("/proc/driver/nvidia/params", "RmProfilingAdminOnly");
  if (!restricted)
    return "unknown: the driver does not say (no RmProfilingAdminOnly in "
           "/proc/driver/nvidia/params)";
  if (*restricted == "0") return "permitted: the driver lends hardware counters to every user";
  if (administrator())
    return "permitted: the driver lends hardware counters to administrators only, and this process "
           "is one";
  return "refused: the driver lends hardware counters to administrators only; run as root or with "
         "CAP_SYS_ADMIN, or load the module with NVreg_RestrictProfilingToAdminUsers=0";
}

}  // namespace gpubench
