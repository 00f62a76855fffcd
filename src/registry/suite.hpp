// A suite: the cases of `gpubench run --config FILE`. docs/suite.schema.json is its contract.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dtype.hpp"
#include "device/device.hpp"

namespace gpubench {

inline constexpr std::string_view suite_schema = "gpubench.suite/1";

// One entry: what `gpubench run FAMILY` takes on the command line. Nothing here is held against the
// registry.
struct SuiteCase {
  std::string family;
  // Parameter or alias, and its values as parse_values() takes them ("4096", "1,2",
  // "1024:4096:*2").
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string variants;       // a regular expression, not looked at; "" for all
  std::vector<DType> dtypes;  // empty for all
  CacheMode cache = CacheMode::warm;
  std::optional<DeviceKind> device;  // left out on devices of the other kind; empty: for any
};

struct Suite {
  std::string description;
  std::vector<SuiteCase> cases;  // at least one
};

// Throws Error{io} for a file that cannot be read, Error{usage} for content that is not a suite,
// with the place: "FILE: at cases[0]: unknown key 'famly'; did you mean 'family'?".
Suite read_suite(const std::string& path);

// The keys that the reader knows, for the test that holds it and the schema together.
std::span<const std::string_view> suite_keys();
std::span<const std::string_view> suite_case_keys();

}  // namespace gpubench
