// What every CUDA file needs: checked calls, and the native stream.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <string_view>

#include "device/device.hpp"

namespace gpubench::cuda {

// "<name>: <text>", and what to do about it where there is something: "; <advice>".
std::string describe(cudaError_t);
// Throws Error{no_device}: "<what> failed: <name>: <text>", with advice where there is some.
void check(cudaError_t result, std::string_view what);
// The error of the launch just made, if any; `kernel` names it for the message.
void check_launch(std::string_view kernel);

inline cudaStream_t native(Stream stream) {
  return static_cast<cudaStream_t>(stream.handle);
}

}  // namespace gpubench::cuda
