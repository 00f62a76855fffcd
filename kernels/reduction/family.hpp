// The family reduction.
#pragma once

#include "registry/family.hpp"

namespace gpubench::reduction {

const Family& family();

}  // namespace gpubench::reduction
