// The limit on the address space of this process (ulimit -v): why an allocation can fail while
// memory is free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpubench {

// In bytes; nothing where there is none.
std::optional<std::uint64_t> address_space_limit();

// Why memory could not be had, where nothing else is known: names the limit where one is set.
std::string out_of_memory();

}  // namespace gpubench
