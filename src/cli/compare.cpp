#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>

#include "base/strict_json.hpp"
#include "base/table.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/plan.hpp"
#include "cli/same_file.hpp"
#include "compare/report.hpp"
#include "compare/rule.hpp"
#include "document/output_file.hpp"
#include "document/read.hpp"

namespace gpubench {
namespace {

// A report, and the file that it goes to, opened before anything is read.
struct Output {
  std::string_view option;
  std::string path;
  std::function<std::string(const Comparison&)> text;
};

std::vector<Output> wanted_outputs(const Arguments& arguments) {
  const CompareArguments& compare = arguments.compare;
  std::vector<Output> outputs = {{"--json", arguments.json, comparison_json},
                                 {"--markdown", compare.markdown, comparison_markdown},
                                 {"--junit", compare.junit, comparison_junit},
                                 {"--github-action-benchmark", compare.github_action_benchmark,
                                  comparison_github_action_benchmark}};
  std::erase_if(outputs, [](const Output& output) { return output.path.empty(); });
  return outputs;
}

std::vector<NamedPath> inputs_of(const CompareArguments& compare) {
  std::vector<NamedPath> inputs;
  for (const std::string& path : compare.base) inputs.push_back({"the baseline", path});
  for (const std::string& path : compare.fresh) inputs.push_back({"the new document", path});
  for (const std::string& path : compare.calibrate) inputs.push_back({"--calibrate", path});
  if (!compare.noise.empty() && compare.noise != "none")
    inputs.push_back({"--noise", compare.noise});
  return inputs;
}

std::optional<std::regex> filter_of(const CompareArguments& compare) {
  if (compare.filter.empty()) return std::nullopt;
  return compile_regex(compare.filter);
}

void refuse_empty(const Side& side, const CompareArguments& compare) {
  if (side.entries.empty())
    throw Error(ExitCode::usage,
                "--filter '" + compare.filter + "' finds no case of " + side.facts.files.front());
}

// The two sides are read at once: a document of many cases takes seconds.
std::pair<Side, Side> read_sides(const CompareArguments& compare) {
  const std::optional<std::regex> filter = filter_of(compare);
  const bool any_device = compare.options.ignore_device;
  auto base =
      std::async(std::launch::async, [&] { return read_side(compare.base, filter, any_device); });
  Side fresh = read_side(compare.fresh, filter, any_device);
  std::pair<Side, Side> sides = {base.get(), std::move(fresh)};
  if (sides.first.entries.empty() && sides.second.entries.empty())
    refuse_empty(sides.first, compare);
  return sides;
}

ExitCode calibrate_command(const Arguments& arguments) {
  const CompareArguments& compare = arguments.compare;
  std::optional<OutputFile> output;
  if (!compare.noise_output.empty()) output.emplace(compare.noise_output);
  const Side side = read_side(compare.calibrate, filter_of(compare), compare.options.ignore_device);
  refuse_empty(side, compare);
  const Noise noise = calibrate(side);
  if (output) {
    output->write(noise_json(noise));
    output->commit();
  }
  if (output && output->is_standard_output()) return ExitCode::ok;
  return print_output(noise_table(noise, output_width()));
}

// Whether there is no such file. What cannot be looked up (a path too long, a loop of links) may be
// there: reading it says what is wrong.
bool does_not_exist(const std::string& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error) && !error;
}

// Makes NEW the baseline, byte for byte, where there is none.
ExitCode init_baseline(const CompareArguments& compare, bool print) {
  const std::string& base = compare.base.front();
  const std::string& fresh = compare.fresh.front();
  const Side side = read_side(std::span(&fresh, 1), filter_of(compare), false);
  refuse_empty(side, compare);
  if (side.interrupted)
    throw Error(ExitCode::not_comparable,
                fresh + " is of an interrupted run: this makes no baseline");
  if (std::ranges::none_of(side.entries, has_enough_samples))
    throw Error(ExitCode::not_comparable, fresh + ": none of its cases has " +
                                              std::to_string(fewest_samples) +
                                              " samples: this makes no baseline");
  OutputFile output(base);
  output.write(strict_json::read_text({fresh, ExitCode::not_comparable}, largest_document));
  output.commit();
  if (!print) return ExitCode::ok;
  return print_output("PASS: " + base + " did not exist; " + fresh +
                      " is the baseline from now on\n");
}

}  // namespace

ExitCode command_compare(const Arguments& arguments) {
  const CompareArguments& compare = arguments.compare;
  std::vector<NamedPath> files = inputs_of(compare);
  const std::vector<Output> wanted = wanted_outputs(arguments);
  std::vector<NamedPath> targets;
  for (const Output& output : wanted) targets.push_back({std::string(output.option), output.path});
  if (!compare.noise_output.empty()) targets.push_back({"-o", compare.noise_output});
  refuse_shared_files(targets, files);
  if (!compare.calibrate.empty()) return calibrate_command(arguments);
  std::deque<OutputFile> outputs;
  for (const Output& output : wanted) outputs.emplace_back(output.path);
  if (compare.init_baseline && does_not_exist(compare.base.front())) {
    const bool print = std::ranges::none_of(outputs, &OutputFile::is_standard_output);
    return init_baseline(compare, print);
  }
  CompareOptions options = compare.options;
  if (!compare.noise.empty() && !options.no_floor) options.noise = read_noise(compare.noise);
  const auto [base, fresh] = read_sides(compare);
  const Comparison comparison = gpubench::compare(base, fresh, options);
  bool table = true;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    outputs[i].write(wanted[i].text(comparison));
    outputs[i].commit();
    if (outputs[i].is_standard_output()) table = false;
  }
  if (table)
    print_output(
        comparison_table(comparison, output_width(), arguments.verbosity == Verbosity::verbose));
  return exit_code(comparison);
}

}  // namespace gpubench
