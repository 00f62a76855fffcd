#include "device/host/last_level.hpp"

#include "device/host/system.hpp"
#include "device/host/team.hpp"

namespace gpubench::host {

std::int64_t last_level_bytes() {
  static const std::int64_t bytes =
      System().caches(allowed_cpus()).last_level_bytes.value_or(std::int64_t{32} << 20);
  return bytes;
}

}  // namespace gpubench::host
