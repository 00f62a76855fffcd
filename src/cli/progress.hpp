// What goes to standard error while a run is under way.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace gpubench {

enum class Verbosity { quiet, normal, verbose };

// On a terminal one line that is rewritten: what runs, k of n, time left. Elsewhere nothing, but
// for notes, and a line per finished case when verbose.
class Progress {
 public:
  Progress(std::size_t total, Verbosity verbosity);
  ~Progress() { clear(); }
  void start(std::string_view what);
  void finish(std::string_view result);  // of what was started
  void note(std::string_view sentence);  // a warning or a remark; silent when quiet

 private:
  void clear();

  std::size_t total_;
  std::size_t done_ = 0;
  Verbosity verbosity_;
  bool terminal_;
  bool line_shown_ = false;
  std::string what_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace gpubench
