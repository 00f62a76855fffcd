#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/table.hpp"
#include "base/text.hpp"

namespace gpubench {
namespace {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// TERM=dumb has no way to clear a line.
bool can_rewrite_lines() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && !(term && std::string_view(term) == "dumb");
}

}  // namespace

Progress::Progress(std::size_t total, Verbosity verbosity)
    : total_(total), verbosity_(verbosity), terminal_(can_rewrite_lines()) {}

void Progress::clear() {
  if (line_shown_) print("\r\x1b[K");
  line_shown_ = false;
}

void Progress::start(std::string_view what) {
  what_ = what;
  if (!terminal_ || verbosity_ == Verbosity::quiet) return;
  clear();
  std::string line = "[" + std::to_string(done_ + 1) + "/" + std::to_string(total_) + "] " + what_;
  if (done_ > 0) {
    const double elapsed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double left = elapsed / static_cast<double>(done_) * static_cast<double>(total_ - done_);
    line += ", about " + fixed(left, 0) + " s left";
  }
  // A line that wraps could not be taken back. What is cut off is ASCII: ids and numbers.
  if (const auto width = terminal_width(STDERR_FILENO); width && line.size() >= *width)
    line.resize(*width - 1);
  print(line);
  line_shown_ = true;
}

void Progress::finish(std::string_view result) {
  ++done_;
  clear();
  if (verbosity_ == Verbosity::verbose)
    print("[" + std::to_string(done_) + "/" + std::to_string(total_) + "] " + what_ + ": " +
          std::string(result) + "\n");
}

void Progress::note(std::string_view sentence) {
  if (verbosity_ == Verbosity::quiet) return;
  clear();
  print("gpubench: " + std::string(sentence) + "\n");
}

}  // namespace gpubench
