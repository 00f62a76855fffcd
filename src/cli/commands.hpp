// The subcommands. Each prints to standard output and returns the exit code, or throws Error.
#pragma once

#include "base/error.hpp"
#include "cli/arguments.hpp"

namespace gpubench {

ExitCode command_info(const Arguments&);
ExitCode command_list(const Arguments&);
ExitCode command_roofline(const Arguments&);
ExitCode command_run(const Arguments&);
ExitCode command_verify(const Arguments&);
ExitCode command_compare(const Arguments&);

}  // namespace gpubench
