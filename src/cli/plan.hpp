// From arguments or a suite to the list of cases.
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "registry/family.hpp"

namespace gpubench {

struct PlannedCase {
  const Family* family = nullptr;
  std::size_t variant = 0;  // in family->variants()
  VariantFacts facts;
  ParameterSet parameters;  // complete
  CacheMode cache = CacheMode::warm;
  InputKind input = InputKind::random;
  std::uint64_t seed = 1;
  std::string id;
};

PlannedCase plan_case(const Family&, std::size_t variant, const ParameterSet& complete_parameters,
                      CacheMode, InputKind, std::uint64_t seed);

// What `run FAMILY`, `run all` or `run --config` measures on a kind of device, in order: parameters
// outermost, variants in ladder order. Throws Error{usage} for unknown names, values out of range,
// and a selection that is empty.
std::vector<PlannedCase> plan_run(const Arguments&, DeviceKind);

// Throws Error{usage} for an expression that does not compile, or one of more than 1000 characters.
std::regex compile_regex(std::string_view);

// Variants of a family on a kind of device whose name the regular expression finds and whose type
// is asked for (none: all). Throws Error{usage} for an expression that does not compile.
std::vector<std::size_t> select_variants(const Family&, std::string_view regex,
                                         const std::vector<DType>&, DeviceKind);

// Throws Error{usage} where nothing was selected, naming what there is.
[[noreturn]] void nothing_selected(const std::vector<const Family*>&, std::string_view regex,
                                   const std::vector<DType>&, DeviceKind);

// Throws Error{usage} where --max-bytes left nothing: `smallest` is the least that a shape takes.
[[noreturn]] void nothing_small_enough(double max_bytes, double smallest);

}  // namespace gpubench
