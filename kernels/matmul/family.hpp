// The family matmul.
#pragma once

#include "registry/family.hpp"

namespace gpubench::matmul {

const Family& family();

}  // namespace gpubench::matmul
