// From the stamps of two probes to the SM clock between them.
#pragma once

#include <optional>
#include <span>

#include "device/cuda/timer_kernels.hpp"

namespace gpubench::cuda {

// Median, over the multiprocessors that both probes saw, of cycles / time, in Hz. Empty where the
// span is too short for the timer's granularity (50 ticks, and 50 us), or no multiprocessor gives a
// plausible clock.
std::optional<double> clock_between(std::span<const ClockStamp> start,
                                    std::span<const ClockStamp> end);

}  // namespace gpubench::cuda
