// JSON from files that nobody vouches for: read without hanging, parsed without recursion, and
// walked with errors that name the file and the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace gpubench::strict_json {

using Json = nlohmann::ordered_json;

inline constexpr int max_depth = 64;

// Where the JSON came from, and the exit code of an error in its content.
struct Source {
  std::string name;
  ExitCode code = ExitCode::usage;
};

// The text of a regular file of at most `limit` bytes. Throws Error{io} when it cannot be read (a
// folder, a FIFO and a device among them: none is opened for long enough to wait on),
// Error{source.code} when it is empty or too large.
std::string read_text(const Source&, std::size_t limit);

// Hands over the elements of some arrays of the top object one by one, and keeps none of them, so
// that a document of many cases never stands in memory as JSON.
struct Elements {
  std::span<const std::string_view> arrays;  // keys of the top object
  std::function<void(std::string_view array, std::size_t index, const Json&)> take;
};

// Throws Error{source.code} for what is not JSON (NaN, numbers past a double, text that is not
// UTF-8, a truncated file), for keys given twice, and for nesting beyond max_depth.
Json parse(std::string_view text, const Source&, const Elements& = {});

// A user's text for a message: shortened, without control characters.
std::string quote(std::string_view);

// A value and the way to it. A cursor refers to its parent: keep the parent alive.
class Cursor {
 public:
  Cursor(const Json& value, const Source& source) : value_(value), source_(source) {}
  Cursor(const Json& value, const Cursor& parent, std::string_view key)
      : value_(value), source_(parent.source_), parent_(&parent), key_(key) {}
  Cursor(const Json& value, const Cursor& parent, std::size_t index)
      : value_(value), source_(parent.source_), parent_(&parent), index_(index) {}

  const Json& value() const { return value_; }
  std::string path() const;  // "cases[3].timing.median_s"; empty at the top
  // Throws Error{source.code}: "FILE: at PATH: WHAT".
  [[noreturn]] void fail(const std::string& what) const;

  void expect_object() const;
  void expect_array() const;
  Cursor at(std::string_view key) const;                   // fails when missing
  std::optional<Cursor> find(std::string_view key) const;  // nothing when missing or null
  Cursor element(std::size_t index) const { return {value_[index], *this, index}; }
  std::size_t size() const { return value_.size(); }
  // Fails on a key that is not allowed, naming the nearest.
  void allow_only(std::span<const std::string_view> keys) const;

  const std::string& text() const;
  double number() const;
  bool boolean() const;
  // A whole number, 4.0 among them, within the bounds.
  std::int64_t integer(std::int64_t minimum, std::int64_t maximum) const;
  std::uint64_t natural() const;  // 0 to 2^64 - 1

 private:
  const Json& value_;
  const Source& source_;
  const Cursor* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

}  // namespace gpubench::strict_json
