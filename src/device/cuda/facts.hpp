// What a CUDA device is.
#pragma once

#include <string>

#include "device/device.hpp"

namespace gpubench::cuda {

class Nvml;

// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", or "MIG-..." for a MIG instance.
std::string device_uuid(int ordinal);

// `nvml` may be null: what only NVML knows stays empty, the clocks come from CUDA.
DeviceFacts read_facts(int ordinal, const Nvml* nvml);

}  // namespace gpubench::cuda
