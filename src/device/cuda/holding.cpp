// Whether something watches this process that serialises launches.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "device/cuda/timer.hpp"

extern char** environ;

namespace gpubench::cuda {
namespace {

bool has_line(const char* path, const auto& accepted) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (accepted(line)) return true;
  return false;
}

bool debugger_attached() {
  constexpr std::string_view key = "TracerPid:";
  return has_line("/proc/self/status", [&](const std::string& line) {
    return line.starts_with(key) && std::strtol(line.c_str() + key.size(), nullptr, 10) != 0;
  });
}

// What Nsight Systems, Nsight Compute, compute-sanitizer, cuda-gdb and CUPTI tools set for the
// process that they watch, and what they load into it.
bool tool_in_environment() {
  constexpr std::array<std::string_view, 8> names{"CUDA_INJECTION64_PATH=",
                                                  "CUDA_INJECTION32_PATH=",
                                                  "NVTX_INJECTION64_PATH=",
                                                  "NV_COMPUTE_PROFILER",
                                                  "NV_NSIGHT_",
                                                  "NV_SANITIZER",
                                                  "NSYS_PROFILING",
                                                  "QUADD_"};
  for (char** variable = environ; variable && *variable; ++variable)
    for (const std::string_view name : names)
      if (std::string_view(*variable).starts_with(name)) return true;
  return false;
}

bool tool_in_memory() {
  constexpr std::array<std::string_view, 5> libraries{"libsanitizer-collection",
                                                      "libcuda-injection", "libToolsInjection",
                                                      "libTreeLauncher", "libcudadebugger"};
  return has_line("/proc/self/maps", [&](const std::string& line) {
    return std::any_of(libraries.begin(), libraries.end(), [&](std::string_view library) {
      return line.find(library) != std::string::npos;
    });
  });
}

}  // namespace

bool tool_attached() {
  return tool_in_environment() || tool_in_memory();
}

bool holding_is_safe() {
  const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (blocking && *blocking != '\0' && std::string_view(blocking) != "0") return false;
  return !tool_attached() && !debugger_attached();
}

}  // namespace gpubench::cuda
