// The options of `gpubench compare`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace gpubench {

// As CLI11 collects them; read and checked after parsing, so that every message is ours.
struct CompareTexts {
  std::vector<std::string> documents;
  std::string metric = "time", min_effect = "2", confidence = "95";
  bool verbose = false;
};

CLI::App* add_compare(CLI::App& parent, Arguments&, CompareTexts&);
// Throws Error{usage} for values out of range and options that do not go together.
void read_compare_texts(const CLI::App& compare, const CompareTexts&, Arguments&);

}  // namespace gpubench
