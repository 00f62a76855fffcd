#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "base/address_space.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace {

gpubench::ExitCode dispatch(const gpubench::Arguments& arguments) {
  using gpubench::Command;
  switch (arguments.command) {
    case Command::info:
      return command_info(arguments);
    case Command::list:
      return command_list(arguments);
    case Command::roofline:
      return command_roofline(arguments);
    case Command::run:
      return command_run(arguments);
    case Command::verify:
      return command_verify(arguments);
    case Command::compare:
      return command_compare(arguments);
  }
  return gpubench::ExitCode::usage;
}

int fail(const std::string& sentence, gpubench::ExitCode code) {
  // What a user gave stands in the sentence: no control character of it reaches the terminal.
  std::fprintf(stderr, "gpubench: %s\n", gpubench::printable(sentence).c_str());
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    gpubench::install_interrupt_handler();
    // A closed pipe and a limit on the size of files are errors of the write, not the end of the
    // program.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    const gpubench::ParsedCommandLine parsed = gpubench::parse_command_line(argc, argv);
    const gpubench::ExitCode code =
        parsed.print ? gpubench::print_output(*parsed.print) : dispatch(parsed.arguments);
    return static_cast<int>(code);
  } catch (const gpubench::Error& error) {
    return fail(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return fail("not enough memory: " + gpubench::out_of_memory(), gpubench::ExitCode::no_device);
  } catch (const std::exception& error) {
    return fail(std::string("internal error: ") + error.what(), gpubench::ExitCode::failed);
  }
}
