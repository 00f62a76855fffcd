// Samples of one launch between CUDA events.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "device/device.hpp"

namespace gpubench::cuda {

// What a timer needs of its device, which outlives it.
struct TimerDevice {
  std::string id;
  Stream stream;
  int multiprocessors = 1;
  const void* sweep_data = nullptr;  // zeros; for cold samples only
  std::size_t sweep_bytes = 0;
};

std::unique_ptr<LaunchTimer> make_timer(const TimerDevice&, Launch, const TimerOptions&);

// Whether a stream may be held until a sample is queued: not where launches wait for their end
// (CUDA_LAUNCH_BLOCKING=1), nor under a profiler, sanitizer or debugger, which may serialise them.
bool holding_is_safe();

// Whether a profiler, sanitizer or debugger of CUDA's watches this process.
bool tool_attached();

}  // namespace gpubench::cuda
