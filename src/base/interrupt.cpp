#include "base/interrupt.hpp"

#include <csignal>

namespace gpubench {
namespace {

// A signal handler can reach nothing but static storage.
volatile std::sig_atomic_t requested = 0;

extern "C" void on_interrupt(int signal) {
  requested = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return requested != 0;
}

}  // namespace gpubench
