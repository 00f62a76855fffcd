// Which devices there are, and opening one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace gpubench {

// What CUDA on this machine offers. `reason` is a sentence for people when `device_count` is 0.
struct CudaStatus {
  int device_count = 0;
  std::string reason;
  std::optional<std::string> driver_api_version;  // newest CUDA the driver serves, "13.0"
  std::optional<std::string> runtime_version;     // of the runtime built in; empty without CUDA
};
CudaStatus cuda_status();

// Whether hardware counters may be read, as a sentence: "permitted", "refused: ...", "unknown:
// ...".
std::string counters_permission(int ordinal);

// Why a library of the CUDA Toolkit ("cublas") cannot be loaded, or nothing when it can.
std::optional<std::string> missing_toolkit_library(std::string_view name);

// `text` is auto, cuda, cuda:N or host. auto takes the first usable GPU, else the host; `note` then
// holds the one line to print. Throws Error{usage} for other text, Error{no_device} when it is not
// there.
std::unique_ptr<Device> open_device(std::string_view text, std::string& note);

std::unique_ptr<Device> open_cuda_device(int ordinal);
std::unique_ptr<Device> open_host_device();

}  // namespace gpubench
