// Softmax of each row of a matrix.
#pragma once

#include "registry/family.hpp"

namespace gpubench::softmax {

const Family& family();

}  // namespace gpubench::softmax
