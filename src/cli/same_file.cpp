#include "cli/same_file.hpp"

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "document/output_file.hpp"

namespace gpubench {
namespace {

// Whether two paths lead to one regular file, there or not. Devices and pipes take what comes from
// both.
bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  if (a == "-" || b == "-") return false;
  std::error_code error;
  const bool both = fs::exists(a, error) && fs::exists(b, error);
  if (both) return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  const fs::path first = fs::weakly_canonical(fs::absolute(a, error), error);
  return !error && first == fs::weakly_canonical(fs::absolute(b, error), error) && !error;
}

void refuse(const NamedPath& output, const NamedPath& other) {
  if (output.path.empty() || other.path.empty()) return;
  if (leads_to_standard_output(output.path) && leads_to_standard_output(other.path))
    throw Error(ExitCode::usage, output.option + " " + output.path + " and " + other.option + " " +
                                     other.path + " exclude each other: both want standard output");
  if (same_file(output.path, other.path))
    throw Error(ExitCode::usage, output.option + " and " + other.option + " name the same file, '" +
                                     output.path + "'");
}

}  // namespace

void refuse_shared_files(std::span<const NamedPath> outputs, std::span<const NamedPath> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = i + 1; j < outputs.size(); ++j) refuse(outputs[i], outputs[j]);
    for (const NamedPath& input : inputs)
      if (input.path != "-") refuse(outputs[i], input);
  }
}

}  // namespace gpubench
