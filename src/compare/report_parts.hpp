// What the reports have in common: order, wording, and numbers that may be unknown. Texts are not
// escaped yet.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/comparison.hpp"

namespace gpubench {

// Every verdict: those that fail, then "not comparable", then the others in their own order.
std::array<Verdict, 8> worst_first(const Comparison&);
// The cases in that order; inside a verdict the largest changes first, then those without one.
std::vector<const Compared*> cases_worst_first(const Comparison&);

// "PASS", "FAIL" or "NOT COMPARABLE", as the exit code has it.
std::string_view outcome(const Comparison&);
// "1 regression", "2 regressions", "3 not comparable".
std::string counted(int number, Verdict);

// A number that can be printed, or nothing.
std::optional<double> finite(const std::optional<double>&);
std::optional<double> value_of(const std::optional<Figure>&);
// Both ends, or nothing.
std::optional<Interval> interval_of(const Compared&);
// What the interval was held against; nothing where the verdict came about without a ratio.
std::optional<double> threshold_of(const Compared&);

// "1.683 ms"; "" where there is none.
std::string figure_of(const Compared&, const std::optional<Figure>&);
// "+3.2 % [+2.7, +3.6]"; "" where there is none.
std::string change_of(const Compared&);
// "4.3 % (launch-sized)", the source of the floor where it decides; "" where there is none.
std::string threshold_text(const Compared&);
// The reason, then the notes.
std::vector<std::string> remarks_of(const Compared&);
// One sentence with the figures, without a full stop: "+10.2 % [+9.8, +10.6], from 1.683 ms to
// 1.855 ms, threshold 2 %; power_limited".
std::string sentence(const Compared&);

// "metric time, 95 % confidence, min effect 2 %", and the options that are set.
std::string options_text(const Comparison&);
// The device, commit, processes and time of one side, as far as known.
std::vector<std::string> facts_of(const SideFacts&);
// At most `most` texts, and "… and 3 more".
std::vector<std::string> first_of(const std::vector<std::string>& texts, std::size_t most);

// Code points of a UTF-8 text; U+FFFD for each byte that is none.
std::u32string code_points(std::string_view);
void append_utf8(std::string& text, char32_t code_point);
// printable() of a text that may not be UTF-8.
std::string clean(std::string_view);

}  // namespace gpubench
