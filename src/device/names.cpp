#include "device/device.hpp"

namespace gpubench {

std::string_view name(DeviceKind kind) {
  return kind == DeviceKind::cuda ? "cuda" : "host";
}

std::string_view name(CacheMode mode) {
  return mode == CacheMode::warm ? "warm" : "cold";
}

}  // namespace gpubench
