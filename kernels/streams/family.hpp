// The family streams.
#pragma once

#include "registry/family.hpp"

namespace gpubench::streams {

const Family& family();

}  // namespace gpubench::streams
