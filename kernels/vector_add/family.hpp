// The family vector_add.
#pragma once

#include "registry/family.hpp"

namespace gpubench::vector_add {

const Family& family();

}  // namespace gpubench::vector_add
