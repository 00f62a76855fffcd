// What the multiply-add ceilings of the host share.
#pragma once

#include <string_view>

#include "roofline/ceiling.hpp"

namespace gpubench::host {

// Multiply-adds in registers on all cores, in float or double; rates in flop/s, a multiply-add
// being two.
template <class T>
CeilingSpec fma_spec(std::string_view name);
extern template CeilingSpec fma_spec<float>(std::string_view);
extern template CeilingSpec fma_spec<double>(std::string_view);

}  // namespace gpubench::host
