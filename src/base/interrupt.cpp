#include "base/interrupt.hpp"

#include <unistd.h>

#include <csignal>

namespace gpubench {
namespace {

// A signal handler can reach nothing but static storage.
volatile std::sig_atomic_t requested = 0;
constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};

extern "C" void on_interrupt(int) {
  requested = 1;
  for (const int other : signals) std::signal(other, SIG_DFL);  // the next one ends the program
  constexpr char text[] = "gpubench: interrupted; what is measured is kept (again: end at once)\n";
  // Where even this cannot be written there is nobody to tell.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  for (const int signal : signals) {
    struct sigaction present {};
    sigaction(signal, nullptr, &present);
    if (present.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup stays in force
  }
}

bool interrupted() {
  return requested != 0;
}

}  // namespace gpubench
