#include "registry/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"

namespace gpubench {
namespace {

using strict_json::Cursor;
using strict_json::Json;
using strict_json::quote;

constexpr std::size_t largest_suite = std::size_t{16} << 20;

constexpr std::array<std::string_view, 3> keys = {"schema", "description", "cases"};
constexpr std::array<std::string_view, 6> case_keys = {"family", "parameters", "variants",
                                                       "dtypes", "cache",      "device"};

std::string value_text(const Cursor& at) {
  const Json& value = at.value();
  if (value.is_boolean()) return at.boolean() ? "true" : "false";
  if (value.is_number())
    return std::to_string(at.integer(std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max()));
  if (!value.is_string() || at.text().empty())
    at.fail("expected a number, true, false, a value, or a sweep such as '1024:4096:*2'");
  return at.text();
}

std::string values_text(const Cursor& at) {
  if (!at.value().is_array()) return value_text(at);
  if (at.size() == 0) at.fail("expected at least one value");
  std::vector<std::string> values;
  for (std::size_t i = 0; i < at.size(); ++i) values.push_back(value_text(at.element(i)));
  return join(values, ",");
}

DType dtype_of(const Cursor& at) {
  if (const auto type = parse_dtype(at.text())) return *type;
  std::vector<std::string> allowed;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::f64})
    allowed.emplace_back(name(type));
  at.fail(fmt::format("{} is not allowed; allowed: {}", quote(at.text()), join(allowed, ", ")));
}

CacheMode cache_of(const Cursor& at) {
  for (const CacheMode mode : {CacheMode::warm, CacheMode::cold})
    if (at.text() == name(mode)) return mode;
  at.fail(fmt::format("{} is not allowed; allowed: warm, cold", quote(at.text())));
}

DeviceKind device_of(const Cursor& at) {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::host})
    if (at.text() == name(kind)) return kind;
  at.fail(fmt::format("{} is not allowed; allowed: cuda, host", quote(at.text())));
}

// Unlike in a document, null is no way of leaving a key out.
template <class Read>
void if_given(const Cursor& object, std::string_view key, Read read) {
  if (object.value().contains(key)) read(object.at(key));
}

SuiteCase read_case(const Cursor& at) {
  at.allow_only(case_keys);
  SuiteCase entry;
  entry.family = at.at("family").text();
  if_given(at, "parameters", [&](const Cursor& parameters) {
    parameters.expect_object();
    for (const auto& [key, value] : parameters.value().items())
      entry.parameters.emplace_back(key, values_text(Cursor(value, parameters, key)));
  });
  if_given(at, "variants", [&](const Cursor& variants) { entry.variants = variants.text(); });
  if_given(at, "dtypes", [&](const Cursor& dtypes) {
    dtypes.expect_array();
    if (dtypes.size() == 0) dtypes.fail("expected at least one dtype");
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
      const Cursor element = dtypes.element(i);
      const DType type = dtype_of(element);
      if (std::find(entry.dtypes.begin(), entry.dtypes.end(), type) != entry.dtypes.end())
        element.fail(fmt::format("'{}' is given twice", name(type)));
      entry.dtypes.push_back(type);
    }
  });
  if_given(at, "cache", [&](const Cursor& cache) { entry.cache = cache_of(cache); });
  if_given(at, "device", [&](const Cursor& device) { entry.device = device_of(device); });
  return entry;
}

}  // namespace

Suite read_suite(const std::string& path) {
  const strict_json::Source source{path, ExitCode::usage};
  const Json json = strict_json::parse(strict_json::read_text(source, largest_suite), source);
  const Cursor top(json, source);
  // The schema first: the keys of a newer one are no mistakes.
  const Cursor schema = top.at("schema");
  if (schema.text() != suite_schema)
    top.fail(fmt::format("is {}; this gpubench reads {}", quote(schema.text()), suite_schema));
  top.allow_only(keys);
  Suite suite;
  if_given(top, "description", [&](const Cursor& at) { suite.description = at.text(); });
  const Cursor cases = top.at("cases");
  cases.expect_array();
  if (cases.size() == 0) cases.fail("expected at least one case");
  for (std::size_t i = 0; i < cases.size(); ++i) suite.cases.push_back(read_case(cases.element(i)));
  return suite;
}

std::span<const std::string_view> suite_keys() {
  return keys;
}
std::span<const std::string_view> suite_case_keys() {
  return case_keys;
}

}  // namespace gpubench
