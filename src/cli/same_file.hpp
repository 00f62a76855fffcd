// No output may destroy an input or another output.
#pragma once

#include <span>
#include <string>

namespace gpubench {

struct NamedPath {
  std::string option;  // as messages name it
  std::string path;    // "" and "-" are no file
};

// Throws Error{usage} where two outputs want standard output or one file, or where one would
// replace an input.
void refuse_shared_files(std::span<const NamedPath> outputs, std::span<const NamedPath> inputs);

}  // namespace gpubench
