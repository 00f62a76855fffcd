// The clock of the core that the calling thread runs on.
#pragma once

#include <optional>

namespace gpubench::host {

// Core clock in Hz, measured in about 50 us; empty where the processor is of an unknown kind or the
// answer makes no sense. It works because an integer addition has a latency of exactly one clock on
// every x86-64 and AArch64 core, so that n additions of which each needs the result before it take
// n clocks; the loop around them runs beside them.
std::optional<double> core_clock_hz();

}  // namespace gpubench::host
