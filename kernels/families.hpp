// The list of all families.
#pragma once

#include <span>
#include <string_view>

#include "registry/family.hpp"

namespace gpubench {

std::span<const Family* const> families();
// Throws Error{usage} naming the nearest family.
const Family& find_family(std::string_view name);

}  // namespace gpubench
