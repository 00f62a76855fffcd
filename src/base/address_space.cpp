#include "base/address_space.hpp"

#include <sys/resource.h>

#include "base/text.hpp"

namespace gpubench {

std::optional<std::uint64_t> address_space_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

std::string out_of_memory() {
  if (const auto limit = address_space_limit())
    return "the address space of this process is limited to " +
           bytes_text(static_cast<double>(*limit)) + " (ulimit -v)";
  return "this machine has not enough free memory";
}

}  // namespace gpubench
