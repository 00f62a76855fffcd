// What a problem costs: exact FLOPs and the bytes it must move.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpubench {

struct Work {
  double flops = 0;
  double bytes_read = 0;     // each input once
  double bytes_written = 0;  // each output once
  double working_set_bytes = 0;  // what the caches would have to hold
  std::string_view convention = {};   // how the above were counted, for people
  bool host_transfer = false;    // the bytes cross between host and device
  // The ceiling of the unit that does the arithmetic, where it is not the one of the dtype.
  std::string_view compute_ceiling = {};
};

}  // namespace gpubench
