// The command line as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/progress.hpp"
#include "compare/rule.hpp"
#include "device/device.hpp"
#include "verify/verification.hpp"

namespace gpubench {

enum class Command { info, list, roofline, run, verify, compare };

// What `compare` takes.
struct CompareArguments {
  std::vector<std::string> base;  // documents
  std::vector<std::string> fresh;
  std::vector<std::string> calibrate;  // documents; then no two sides
  std::string noise_output;            // of calibrate: a path or "-", empty: none
  std::string noise;                   // a path, "none", or empty: the defaults
  std::string filter;                  // a regular expression, empty: all
  bool init_baseline = false;
  CompareOptions options;
  std::string markdown, junit, github_action_benchmark;  // paths or "-"; empty: none
};

struct Arguments {
  Command command = Command::info;
  std::string family;  // of list, run and verify: a name, "all", or empty where none was given
  std::vector<std::pair<std::string, std::string>>
      parameters;  // name (or alias) and text, as given
  std::string device = "auto";
  std::string variant;  // a regular expression, empty: all
  std::vector<DType> dtypes;
  CacheMode cache = CacheMode::warm;
  std::optional<int> samples;
  std::optional<double> max_s;
  std::optional<double> warmup_s;
  std::uint64_t seed = 1;
  VerifyMode verify = VerifyMode::sampled;
  std::string config;
  std::string ceilings;
  std::string json;  // a path or "-", empty: none
  std::string csv;
  std::optional<double> max_bytes;  // of verify: larger shapes are left out
  bool all_ceilings = false;        // of roofline
  std::string ceiling;              // of roofline: a regular expression, empty: the core
  int processes = 1;                // of run: how many, one after the other
  bool dry_run = false;
  bool cross_check = false;  // of run: the events against the records of CUPTI
  Verbosity verbosity = Verbosity::normal;
  CompareArguments compare;
  std::vector<std::string> command_line;
};

struct ParsedCommandLine {
  Arguments arguments;
  std::optional<std::string> print;  // --help or --version: this text, and nothing else to do
};

// Throws Error{usage} with one sentence that names the nearest valid word or the allowed values.
ParsedCommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace gpubench
