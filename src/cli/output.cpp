#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace gpubench {

ExitCode print_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) return ExitCode::ok;
    throw Error(ExitCode::io,
                std::string("cannot write to standard output: ") + std::strerror(errno));
  }
  return ExitCode::ok;
}

}  // namespace gpubench
