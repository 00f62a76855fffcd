#include "document/build_info/build_info.hpp"

#include <string_view>

#include "build_info_values.hpp"

namespace gpubench {
namespace {

std::optional<std::string> unless_empty(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return parts;
}

}  // namespace

const BuildInfo& build_info() {
  static const BuildInfo info = {
      .version = GPUBENCH_VERSION,
      .git_commit = unless_empty(GPUBENCH_GIT_COMMIT),
      .git_dirty = std::string_view(GPUBENCH_GIT_DIRTY).empty()
                       ? std::nullopt
                       : std::optional(std::string_view(GPUBENCH_GIT_DIRTY) == "true"),
      .compiler = GPUBENCH_COMPILER,
      .cuda_toolkit = unless_empty(GPUBENCH_CUDA_TOOLKIT),
      .cuda_architectures = split(GPUBENCH_CUDA_ARCHITECTURES),
      .build_type = GPUBENCH_BUILD_TYPE,
      .kernel_sources_sha256 = unless_empty(GPUBENCH_KERNEL_SHA256),
      .cuda_library_directory = GPUBENCH_CUDA_LIBRARY_DIR,
  };
  return info;
}

}  // namespace gpubench
