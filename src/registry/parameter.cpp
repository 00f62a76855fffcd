#include "registry/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gpubench {
namespace {

constexpr std::size_t most_values = 10'000;

[[noreturn]] void refuse(const Parameter& parameter, const std::string& what) {
  throw Error(ExitCode::usage, fmt::format("{}: {}", parameter.name, what));
}

std::vector<std::string> strings(std::span<const std::string_view> texts) {
  return {texts.begin(), texts.end()};
}

std::string range(const Parameter& parameter) {
  return fmt::format("whole numbers from {} to {}", parameter.minimum, parameter.maximum);
}

bool in_range(const Parameter& parameter, std::int64_t value) {
  return value >= parameter.minimum && value <= parameter.maximum;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// Whether the text is a whole number, whatever its size.
bool is_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t integer_in(const Parameter& parameter, std::string_view text) {
  const auto value = parse_integer(text);
  if (value && in_range(parameter, *value)) return *value;
  if (text.empty()) refuse(parameter, "a value is missing; allowed: " + range(parameter));
  if (is_whole(text))
    refuse(parameter, fmt::format("{} is out of range; allowed: {}", text, range(parameter)));
  refuse(parameter,
         fmt::format("'{}' is not a whole number; allowed: {}, a list (1,2,3) or a sweep "
                     "(start:stop:step, start:stop:*factor)",
                     text, range(parameter)));
}

// start:stop:step or start:stop:*factor; `take` is called with each value.
template <class Take>
void sweep(const Parameter& parameter, std::string_view text, Take take) {
  const auto parts = split(text, ':');
  if (parts.size() != 3)
    refuse(
        parameter,
        fmt::format("'{}' is not a sweep; allowed: start:stop:step or start:stop:*factor", text));
  const std::int64_t start = integer_in(parameter, parts[0]);
  const std::int64_t stop = integer_in(parameter, parts[1]);
  const bool multiplies = parts[2].starts_with('*');
  const auto step = parse_integer(parts[2].substr(multiplies ? 1 : 0));
  if (!step || *step < (multiplies ? 2 : 1))
    refuse(parameter,
           fmt::format(
               "'{}' has the step '{}'; allowed: a whole number from 1, or * and a factor from 2",
               text, parts[2]));
  if (start > stop) refuse(parameter, fmt::format("'{}' ends before it starts", text));
  if (multiplies && start < 1)
    refuse(parameter, fmt::format("'{}' multiplies {}; allowed: a start from 1", text, start));
  // stop >= value, so that the unsigned difference is exact however far apart they are.
  const auto fits = [&](std::int64_t value) {
    return multiplies ? value <= stop / *step
                      : static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(value) >=
                            static_cast<std::uint64_t>(*step);
  };
  std::int64_t value = start;
  take(value);
  while (fits(value)) take(value = multiplies ? value * *step : value + *step);
}

ParameterValue single(const Parameter& parameter, std::string_view text) {
  if (parameter.kind == Parameter::Kind::boolean) {
    if (text == "true") return true;
    if (text == "false") return false;
    refuse(parameter, fmt::format("'{}' is neither true nor false", text));
  }
  if (std::find(parameter.choices.begin(), parameter.choices.end(), text) !=
      parameter.choices.end())
    return std::string(text);
  refuse(parameter, fmt::format("'{}' is not one of its values{}", text,
                                suggestion(text, strings(parameter.choices))));
}

ParameterValue default_of(const Parameter& parameter, DeviceKind device) {
  const std::int64_t number =
      device == DeviceKind::cuda ? parameter.cuda_default : parameter.host_default;
  switch (parameter.kind) {
    case Parameter::Kind::integer:
      return number;
    case Parameter::Kind::boolean:
      return number != 0;
    case Parameter::Kind::choice:
      return std::string(parameter.choices.front());
  }
  return number;
}

// The kind and the range of a value that came in typed.
void check(const Parameter& parameter, const ParameterValue& value) {
  switch (parameter.kind) {
    case Parameter::Kind::integer:
      if (const auto* number = std::get_if<std::int64_t>(&value)) {
        if (!in_range(parameter, *number)) integer_in(parameter, text(value));
      } else {
        refuse(parameter, fmt::format("'{}' is not a whole number; allowed: {}", text(value),
                                      range(parameter)));
      }
      return;
    case Parameter::Kind::boolean:
      if (!std::holds_alternative<bool>(value))
        refuse(parameter, fmt::format("'{}' is neither true nor false", text(value)));
      return;
    case Parameter::Kind::choice:
      single(parameter, text(value));
      return;
  }
}

}  // namespace

void ParameterSet::set(std::string_view name, ParameterValue value) {
  for (auto& [key, known] : values_)
    if (key == name) {
      known = std::move(value);
      return;
    }
  values_.emplace_back(name, std::move(value));
}

bool ParameterSet::has(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(),
                     [&](const auto& entry) { return entry.first == name; });
}

const ParameterValue& ParameterSet::get(std::string_view name) const {
  for (const auto& [key, value] : values_)
    if (key == name) return value;
  throw std::out_of_range(fmt::format("no parameter '{}' in this set", name));
}

std::int64_t ParameterSet::integer(std::string_view name) const {
  return std::get<std::int64_t>(get(name));
}
bool ParameterSet::boolean(std::string_view name) const {
  return std::get<bool>(get(name));
}
const std::string& ParameterSet::choice(std::string_view name) const {
  return std::get<std::string>(get(name));
}

std::string text(const ParameterValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

ParameterSet complete(std::span<const Parameter> parameters, const ParameterSet& given,
                      DeviceKind device) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.emplace_back(parameter.name);
  for (const auto& [name, value] : given.values())
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(ExitCode::usage,
                  fmt::format("there is no parameter '{}'{}", name, suggestion(name, names)));
  ParameterSet completed;
  for (const Parameter& parameter : parameters) {
    ParameterValue value;
    if (given.has(parameter.name))
      value = given.get(parameter.name);
    else if (!parameter.default_same_as.empty())
      value = completed.get(parameter.default_same_as);
    else
      value = default_of(parameter, device);
    check(parameter, value);
    completed.set(parameter.name, std::move(value));
  }
  return completed;
}

std::vector<ParameterValue> parse_values(const Parameter& parameter, std::string_view text) {
  std::vector<ParameterValue> values;
  // A value that comes again is measured once.
  std::set<ParameterValue> known;
  const auto take = [&](ParameterValue value) {
    if (!known.insert(value).second) return;
    if (values.size() == most_values)
      refuse(parameter,
             fmt::format("more than {} values; allowed: at most {}", most_values, most_values));
    values.push_back(std::move(value));
  };
  for (const std::string_view part : split(text, ',')) {
    if (parameter.kind != Parameter::Kind::integer)
      take(single(parameter, part));
    else if (part.find(':') != std::string_view::npos)
      sweep(parameter, part, take);
    else
      take(integer_in(parameter, part));
  }
  return values;
}

}  // namespace gpubench
