// Text for people and files: numbers without a locale, and the nearest valid name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpubench {

// `value` with `digits` significant digits, never in exponent form between 1e-4 and 1e15; "inf",
// "-inf" and "nan" for what has none.
std::string significant(double value, int digits);
// `value` with `decimals` digits after the point.
std::string fixed(double value, int decimals);
// The shortest text that reads back as `value`.
std::string shortest(double value);

// A whole decimal number with nothing around it; nothing for "", "1e3", "0x10", " 1", or what does
// not fit.
std::optional<std::int64_t> parse_integer(std::string_view);
std::optional<double> parse_number(std::string_view);

// 1536 -> "1.5 KiB"; 2^20 is a MiB.
std::string bytes_text(double bytes);
// 0.00123 -> "1.23 ms".
std::string seconds_text(double seconds);

// The candidate that is fewest edits away, or "" when none is near (more than half of its letters
// differ).
std::string nearest(std::string_view word, std::span<const std::string> candidates);
// "; did you mean 'x'?" or "; allowed: a, b, c" for an error message.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

// A text for a terminal: control characters as \x1b.
std::string printable(std::string_view);

// counted(1, "case", "cases") -> "1 case", and of 2 "2 cases".
std::string counted(std::int64_t count, std::string_view one, std::string_view many);

std::string join(std::span<const std::string> parts, std::string_view separator);

}  // namespace gpubench
