// Parameters of a family: their specification, their values, and text to values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "device/device.hpp"

namespace gpubench {

using ParameterValue = std::variant<std::int64_t, bool, std::string>;

struct Parameter {
  enum class Kind { integer, boolean, choice };
  std::string_view name;
  std::string_view help;
  Kind kind = Kind::integer;
  std::int64_t minimum = 1;
  std::int64_t maximum = std::int64_t{1} << 40;
  std::int64_t cuda_default = 0;  // booleans: 0 or 1
  std::int64_t host_default = 0;
  std::string_view default_same_as = {};           // takes another, earlier parameter's value unless given
  std::span<const std::string_view> choices = {};  // the first one is the default
};

// One option that sets several parameters: attention's --N sets N_q and N_k.
struct ParameterAlias {
  std::string_view name;
  std::string_view help;
  std::span<const std::string_view> targets;
};

// Name and value in the family's order.
class ParameterSet {
 public:
  void set(std::string_view name, ParameterValue value);
  bool has(std::string_view name) const;
  const ParameterValue& get(std::string_view name) const;  // throws std::out_of_range
  std::int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& choice(std::string_view name) const;
  const std::vector<std::pair<std::string, ParameterValue>>& values() const { return values_; }
  bool operator==(const ParameterSet&) const = default;

 private:
  std::vector<std::pair<std::string, ParameterValue>> values_;
};

std::string text(const ParameterValue&);  // 4096, true, sum

// `given` completed with defaults for the device, in the specification's order. Throws Error{usage} on a
// name that is not a parameter (naming the nearest), a value of another kind, or one out of range.
ParameterSet complete(std::span<const Parameter>, const ParameterSet& given, DeviceKind);

// One value, a comma list, or a sweep: "4096", "1,2,3", "start:stop:step", "start:stop:*2" (stop included
// where it is hit). Throws Error{usage} with one sentence.
std::vector<ParameterValue> parse_values(const Parameter&, std::string_view text);

}  // namespace gpubench
