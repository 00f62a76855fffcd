// The kernels around a sample: the gate that holds the stream, the probe that reads the SM clocks,
// and the sweep that empties L2. None of them runs between the events of a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/activity.hpp"
#include "device/device.hpp"

namespace gpubench::cuda {

// What one block of the probe saw on its multiprocessor.
struct ClockStamp {
  std::uint64_t cycles;       // clock64()
  std::uint64_t nanoseconds;  // %globaltimer, just after it ticked
  std::uint32_t tick;  // nanoseconds it advanced by: its granularity, as far as it can be seen
  std::uint32_t multiprocessor;
};

// In mapped host memory.
struct GateState {
  std::uint64_t opened;   // the host's: gates up to this number are open
  std::uint64_t gave_up;  // the device's: number of a gate that waited too long, 0 for none
};

// Whose a kernel is, by its mangled name as a record of what ran has it: one of the three, or else
// of the launches.
ActivityRecord::Of owner(std::string_view mangled_name);

// Loads the three kernels: a kernel that is loaded at its first launch would wait for a held stream
// to end.
void load_timer_kernels();

// Holds the stream until state->opened >= number, at most `limit_ns`; then it says so and lets go.
void launch_gate(GateState* state, std::uint64_t number, std::uint64_t limit_ns, Stream);

// One stamp a block into stamps[0..multiprocessors).
void launch_probe(ClockStamp* stamps, int multiprocessors, Stream);

// Reads `bytes` (a multiple of 16) of clean memory, so that nothing else stays in L2.
void launch_sweep(const void* data, std::size_t bytes, int multiprocessors, Stream);

}  // namespace gpubench::cuda
