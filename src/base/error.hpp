// The one error type of the program: a sentence for the user, and the exit code that main returns.
#pragma once

#include <stdexcept>
#include <string>

namespace gpubench {

enum class ExitCode : int {
  ok = 0,
  failed = 1,          // a regression, or a verification that failed
  usage = 2,           // wrong input on the command line or in a suite
  no_device = 3,       // no usable device or driver, or nothing that could run on it
  not_comparable = 4,  // nothing to compare with, or documents that may not be compared
  io = 5,              // a file that cannot be read or written
  interrupted = 130,
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace gpubench
