#pragma once

#include "registry/family.hpp"

namespace gpubench::scale {

const Family& family();

}  // namespace gpubench::scale
