#include "cli/processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "base/file_descriptor.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "document/merge.hpp"
#include "document/read.hpp"

namespace gpubench {
namespace {

[[noreturn]] void system_error(const std::string& what) {
  throw Error(ExitCode::io, what + ": " + std::generic_category().message(errno));
}

// A file without a name that children can open under path(): a document for them leaves nothing
// behind, however this program ends.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : file_(memfd_create("gpubench-ceilings", 0)) {
    if (file_.value() < 0) system_error("cannot make a file in memory for the ceilings");
    while (!text.empty()) {
      const ssize_t written = ::write(file_.value(), text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) system_error("cannot write the ceilings to a file in memory");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.value()); }

 private:
  FileDescriptor file_;
};

// A child, and its standard output on a pipe.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) system_error("cannot make a pipe");
    output_ = FileDescriptor(ends[0]);
    FileDescriptor input(ends[1]);
    std::vector<char*> argv;
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ < 0) system_error("cannot start a process");
    if (process_ > 0) return;
    // In the child; until exec nothing that allocates or locks.
    // A terminal's Ctrl-C reaches the parent alone, which hands it on once: a second one would end
    // the child at once. Should the parent be killed, so is the child.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // it was killed before that took effect
    dup2(input.value(), STDOUT_FILENO);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    wait();
  }

  // All that it writes until it closes its output; hands an interrupt on.
  std::string read() {
    std::string text;
    bool told = false;
    for (;;) {
      if (interrupted() && !told) told = kill(process_, SIGINT) == 0;
      pollfd waiting{output_.value(), POLLIN, 0};
      constexpr int milliseconds = 100;  // an interrupt may come just before poll does
      if (poll(&waiting, 1, milliseconds) <= 0) continue;
      std::array<char, 1 << 16> piece;
      const ssize_t count = ::read(output_.value(), piece.data(), piece.size());
      if (count < 0 && errno != EINTR) system_error("cannot read what a process measured");
      if (count == 0) return text;
      if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
    }
  }

  // Its exit status as waitpid() tells it.
  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  FileDescriptor output_;
  pid_t process_ = -1;
};

// "--json" and its value, or "--json=value".
bool takes_value(std::string_view word, std::string_view option, bool& separate) {
  separate = word == option;
  return separate || (word.starts_with(option) && word.substr(option.size()).starts_with('='));
}

}  // namespace

std::vector<std::string> child_arguments(const std::vector<std::string>& command_line,
                                         const std::string& ceilings, bool quiet) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < command_line.size(); ++i) {
    bool dropped = false;
    for (const std::string_view option : {"--processes", "--json", "--csv"}) {
      bool separate = false;
      if (!takes_value(command_line[i], option, separate)) continue;
      dropped = true;
      if (separate) ++i;
      break;
    }
    const bool loud = command_line[i] == "-v" || command_line[i] == "--verbose" ||
                      command_line[i] == "-q" || command_line[i] == "--quiet";
    if (!dropped && !(quiet && loud)) arguments.push_back(command_line[i]);
  }
  arguments.insert(arguments.end(), {"--json", "-"});
  if (!ceilings.empty()) arguments.insert(arguments.end(), {"--ceilings", ceilings});
  if (quiet) arguments.emplace_back("-q");
  return arguments;
}

ProcessesResult run_processes(const Arguments& arguments, Progress& progress) {
  std::vector<Document> documents;
  std::unique_ptr<MemoryFile> ceilings;
  for (int i = 1; i <= arguments.processes && !interrupted(); ++i) {
    const std::string which =
        "process " + std::to_string(i) + " of " + std::to_string(arguments.processes);
    progress.start(which);
    Child child(child_arguments(arguments.command_line, ceilings ? ceilings->path() : "", i > 1));
    const std::string text = child.read();
    const int status = child.wait();
    // It was told before it had come so far as to listen.
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT && interrupted()) break;
    if (WIFSIGNALED(status))
      throw Error(ExitCode::failed, which + " was ended by signal " +
                                        std::to_string(WTERMSIG(status)) + " (" +
                                        strsignal(WTERMSIG(status)) + "): nothing is written");
    const auto code = static_cast<ExitCode>(WEXITSTATUS(status));
    if (text.empty()) {
      if (code == ExitCode::interrupted) break;
      if (i == 1 && code != ExitCode::ok) return {std::nullopt, code};
      throw Error(
          code == ExitCode::ok ? ExitCode::failed : code,
          which + " measured nothing (exit status " + std::to_string(WEXITSTATUS(status)) + ")");
    }
    documents.push_back(parse_document(text, "the document of " + which));
    if (i == 1 && arguments.ceilings.empty() &&
        documents.front().status == Document::Status::complete)
      ceilings = std::make_unique<MemoryFile>(text);
    if (documents.back().status == Document::Status::interrupted) break;  // be it that one alone
    progress.finish(std::to_string(documents.back().cases.size()) + " cases");
  }
  if (documents.empty()) throw Interrupted();
  return {merge_processes(std::move(documents)), ExitCode::ok};
}

}  // namespace gpubench
