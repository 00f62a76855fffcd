// A build without CUDA: the same questions, answered with the reason.
#if !defined(GPUBENCH_CUDA)

#include "base/error.hpp"
#include "device/activity.hpp"
#include "device/devices.hpp"

namespace gpubench {

CudaStatus cuda_status() {
  CudaStatus status;
  status.reason = "this gpubench was built without CUDA";
  return status;
}

std::string counters_permission(int) {
  return "unknown: this gpubench was built without CUDA";
}

std::optional<std::string> missing_toolkit_library(std::string_view) {
  return "this gpubench was built without CUDA";
}

std::unique_ptr<Device> open_cuda_device(int ordinal) {
  throw Error(ExitCode::no_device, "cannot run on cuda:" + std::to_string(ordinal) +
                                       ": this gpubench was built without CUDA");
}

std::unique_ptr<ActivityTracer> open_activity_tracer(Device& device) {
  throw Error(ExitCode::no_device, device.facts().id +
                                       " keeps no records of what ran: this gpubench was built "
                                       "without CUDA");
}

}  // namespace gpubench

#endif
