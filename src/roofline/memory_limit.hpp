// Which memory ceiling holds a case, and how much of its traffic is held to it. The rules:
// docs/measurement.md, "Percent of roof".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "registry/work.hpp"
#include "roofline/ceiling.hpp"

namespace gpubench {

struct MemoryLimit {
  std::string name;  // of the ceiling, or of the nearest of those that the figure comes from
  double bytes_per_s = 0;
};

struct MemoryTerm {
  double bytes = 0;                  // charged to the limit
  bool needed = false;               // without a limit there is no roof
  bool inner = false;                // a good part stays in a host's caches below the last level
  bool in_transition = false;        // from L2 to DRAM
  std::optional<MemoryLimit> limit;  // empty: not needed, or not measured
};

MemoryTerm memory_term(const Work&, CacheMode, std::span<const Ceiling>, const DeviceFacts&);

// The ceiling of that name, if it was measured; else null.
const Ceiling* find_measured(std::span<const Ceiling>, std::string_view name);

}  // namespace gpubench
