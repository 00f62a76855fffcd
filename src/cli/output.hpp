// Standard output: data only, and every byte of it written or an error.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gpubench {

// Writes and flushes; returns ok. Throws Error{io} when standard output takes it not (a full
// device). A reader that went away (`| head`) ends the program quietly, as SIGPIPE does for other
// tools.
ExitCode print_output(std::string_view text);

// "-" for the names under which Linux keeps standard output: opened again, they would be a second
// writer with an offset of its own, and the table would be written over the document.
std::string output_path(std::string path);

}  // namespace gpubench
