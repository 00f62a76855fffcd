// What is wrong with a command line, in our words: CLI11 says only that an argument was not
// expected, or how many it counted.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gpubench {

[[noreturn]] void usage_error(const std::string& sentence);

// Of a parser that stopped at what no option or command takes: says where the word belongs, or what
// was probably meant.
[[noreturn]] void unexpected(const CLI::App& root);

// Of any other error of the parser.
[[noreturn]] void parsing_failed(const CLI::ParseError&);

// Throws Error{usage} where an option was given an empty value, or the option behind it for one.
void check_values(const CLI::App& root);

}  // namespace gpubench
