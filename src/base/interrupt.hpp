// Ctrl-C, SIGTERM and a closed terminal: the first one asks the program to write what it has, the
// second ends it at once.
#pragma once

#include "base/error.hpp"

namespace gpubench {

void install_interrupt_handler();
bool interrupted();

// Thrown by loops that notice the request; the case under way is abandoned.
class Interrupted : public Error {
 public:
  Interrupted() : Error(ExitCode::interrupted, "interrupted") {}
};

inline void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

}  // namespace gpubench
