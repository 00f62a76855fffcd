#include "base/strict_json.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <system_error>

#include "base/file_descriptor.hpp"
#include "base/text.hpp"

namespace gpubench::strict_json {
namespace {

[[noreturn]] void unreadable(const Source& source, const std::string& reason) {
  throw Error(ExitCode::io, fmt::format("cannot read '{}': {}", source.name, reason));
}

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

std::string kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "the string " + quote(value.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    default:
      return value.dump();
  }
}

// Builds the tree from the parser's events. nlohmann's own builder keeps the last of two equal
// keys.
class Builder {
 public:
  Builder(const Source& source, const Elements& elements) : source_(source), elements_(elements) {}

  Json take() { return std::move(root_); }

  bool null() { return leaf(nullptr); }
  bool boolean(bool value) { return leaf(value); }
  bool number_integer(std::int64_t value) { return leaf(value); }
  bool number_unsigned(std::uint64_t value) { return leaf(value); }
  bool number_float(double value, const std::string&) { return leaf(value); }
  bool string(std::string& value) { return leaf(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool end_object() {
    check_keys();
    return close();
  }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() { return close(); }
  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ...; last read: '...'":
    // what was last read may be megabytes, or not text at all.
    std::string what = error.what();
    what.erase(0, what.find("] ") + 2);
    what.erase(std::min(what.size(), what.find("; last read:")));
    if (const auto at = what.find("number overflow"); at != std::string::npos)
      what = "a number is too large";
    fail("is not valid JSON: " + what);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(source_.code, fmt::format("{}: {}", source_.name, what));
  }

  Json* add(Json&& value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *stack_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    // Appended unchecked: looking each key up would be quadratic; check_keys() does it when all are
    // there.
    auto& members = *parent.get_ptr<Json::object_t*>();
    members.emplace_back(std::move(key_), std::move(value));
    return &members.back().second;
  }

  bool leaf(Json&& value) {
    add(std::move(value));
    hand_over();
    return true;
  }

  bool open(Json&& value) {
    if (stack_.size() >= max_depth) fail(fmt::format("is nested deeper than {} levels", max_depth));
    if (stack_.size() == 1 && value.is_array() && stack_[0]->is_object()) {
      const auto found = std::find(elements_.arrays.begin(), elements_.arrays.end(), key_);
      array_ = found == elements_.arrays.end() ? std::string_view{} : *found;
      index_ = 0;
    }
    stack_.push_back(add(std::move(value)));
    return true;
  }

  bool close() {
    stack_.pop_back();
    if (stack_.size() == 1) array_ = {};
    hand_over();
    return true;
  }

  void hand_over() {
    if (stack_.size() != 2 || array_.empty()) return;
    elements_.take(array_, index_++, stack_.back()->back());
    stack_.back()->get_ptr<Json::array_t*>()->clear();
  }

  void check_keys() {
    const auto& members = *stack_.back()->get_ptr<const Json::object_t*>();
    keys_.clear();
    for (const auto& member : members) keys_.push_back(member.first);
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    if (twice != keys_.end()) fail(fmt::format("the key {} is given twice", quote(*twice)));
  }

  const Source& source_;
  const Elements& elements_;
  Json root_;
  std::vector<Json*> stack_;  // open containers; only the last one grows, so the pointers hold
  std::string key_;
  std::string_view array_;  // the array of `elements_` that is open
  std::size_t index_ = 0;
  std::vector<std::string_view> keys_;
};

}  // namespace

std::string read_text(const Source& source, std::size_t limit) {
  // Without O_NONBLOCK, opening a FIFO waits for a writer.
  const FileDescriptor file(::open(source.name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.value() < 0) unreadable(source, reason_of(errno));
  struct stat facts {};
  if (::fstat(file.value(), &facts) != 0) unreadable(source, reason_of(errno));
  if (S_ISDIR(facts.st_mode)) unreadable(source, "it is a folder");
  if (!S_ISREG(facts.st_mode)) unreadable(source, "it is not a regular file");

  const auto too_large = [&] {
    throw Error(source.code, fmt::format("{}: is larger than {}", source.name,
                                         bytes_text(static_cast<double>(limit))));
  };
  if (static_cast<std::size_t>(facts.st_size) > limit) too_large();

  // The file may grow, or say 0 bytes as those in /proc do: what counts is what is read.
  std::string text;
  text.reserve(static_cast<std::size_t>(facts.st_size) + 1);
  for (;;) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    const std::size_t before = text.size();
    text.resize(std::min(before + piece, limit + 1));
    const ssize_t count = ::read(file.value(), text.data() + before, text.size() - before);
    if (count < 0 && errno != EINTR) unreadable(source, reason_of(errno));
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
    if (text.size() > limit) too_large();
  }
  if (text.empty()) throw Error(source.code, fmt::format("{}: is empty", source.name));
  return text;
}

Json parse(std::string_view text, const Source& source, const Elements& elements) {
  Builder builder(source, elements);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string quote(std::string_view text) {
  constexpr std::size_t longest = 100;
  std::string out = "'";
  for (const char c : text.substr(0, longest))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  if (text.size() > longest) {
    // Not within a character of several bytes.
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0u) == 0x80u) --cut;
    out.resize(1 + cut);
    out += "...";
  }
  return out + "'";
}

std::string Cursor::path() const {
  if (!parent_) return "";
  const std::string before = parent_->path();
  if (key_.data() == nullptr) return fmt::format("{}[{}]", before, index_);
  // A key of any length or content may come from the file; an ordinary one stands as it is.
  const std::string quoted = quote(key_);
  const std::string key = quoted.substr(1, quoted.size() - 2);
  return before.empty() ? key : fmt::format("{}.{}", before, key);
}

void Cursor::fail(const std::string& what) const {
  const std::string place = path();
  throw Error(source_.code, place.empty()
                                ? fmt::format("{}: {}", source_.name, what)
                                : fmt::format("{}: at {}: {}", source_.name, place, what));
}

void Cursor::expect_object() const {
  if (!value_.is_object()) fail("expected an object, found " + kind_of(value_));
}

void Cursor::expect_array() const {
  if (!value_.is_array()) fail("expected an array, found " + kind_of(value_));
}

Cursor Cursor::at(std::string_view key) const {
  expect_object();
  const auto found = value_.find(key);
  if (found == value_.end()) fail(fmt::format("'{}' is missing", key));
  return {*found, *this, key};
}

std::optional<Cursor> Cursor::find(std::string_view key) const {
  expect_object();
  const auto found = value_.find(key);
  if (found == value_.end() || found->is_null()) return std::nullopt;
  return Cursor(*found, *this, key);
}

void Cursor::allow_only(std::span<const std::string_view> keys) const {
  expect_object();
  const std::vector<std::string> allowed(keys.begin(), keys.end());
  for (const auto& [key, value] : value_.items())
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      fail(fmt::format("unknown key {}{}", quote(key), suggestion(key.substr(0, 100), allowed)));
}

const std::string& Cursor::text() const {
  if (!value_.is_string()) fail("expected a string, found " + kind_of(value_));
  return value_.get_ref<const std::string&>();
}

double Cursor::number() const {
  if (!value_.is_number()) fail("expected a number, found " + kind_of(value_));
  return value_.get<double>();
}

bool Cursor::boolean() const {
  if (!value_.is_boolean()) fail("expected true or false, found " + kind_of(value_));
  return value_.get<bool>();
}

std::int64_t Cursor::integer(std::int64_t minimum, std::int64_t maximum) const {
  if (!value_.is_number()) fail("expected a whole number, found " + kind_of(value_));
  std::optional<std::int64_t> whole;
  if (value_.is_number_unsigned()) {
    const auto unsigned_value = value_.get<std::uint64_t>();
    if (unsigned_value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      whole = static_cast<std::int64_t>(unsigned_value);
  } else if (value_.is_number_integer()) {
    whole = value_.get<std::int64_t>();
  } else if (const double real = value_.get<double>(); real != std::floor(real)) {
    fail("expected a whole number, found " + kind_of(value_));
  } else if (std::fabs(real) <= 0x1p53) {
    whole = static_cast<std::int64_t>(real);
  }
  if (!whole || *whole < minimum || *whole > maximum)
    fail(fmt::format("{} is out of range; allowed: {} to {}", kind_of(value_), minimum, maximum));
  return *whole;
}

std::uint64_t Cursor::natural() const {
  if (value_.is_number_unsigned()) return value_.get<std::uint64_t>();
  return static_cast<std::uint64_t>(integer(0, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace gpubench::strict_json
