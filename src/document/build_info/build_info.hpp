// Facts of this binary: the document's `tool`, and `--version`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpubench {

struct BuildInfo {
  std::string version;
  std::optional<std::string> git_commit;
  std::optional<bool> git_dirty;
  std::string compiler;
  std::optional<std::string> cuda_toolkit;
  std::vector<std::string> cuda_architectures;
  std::string build_type;
  std::optional<std::string> kernel_sources_sha256;
  // Where the toolkit of this build keeps its libraries: a place to look for cuBLAS besides the loader's path.
  std::string cuda_library_directory;
};

const BuildInfo& build_info();

}  // namespace gpubench
