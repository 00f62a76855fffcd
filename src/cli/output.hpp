// Standard output: data only, and every byte of it written or an error.
#pragma once

#include <string_view>

#include "base/error.hpp"

namespace gpubench {

// Writes and flushes; returns ok. Throws Error{io} when standard output takes it not (a full
// device). A reader that went away (`| head`) ends the program quietly, as SIGPIPE does for other
// tools.
ExitCode print_output(std::string_view text);

}  // namespace gpubench
