// The parts of measure_ceiling: which spec a device gets, which candidate is fastest, what is
// recorded.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/ceiling.hpp"

namespace gpubench {

// The first spec of the name that the device can run; else null, and why.
struct SpecChoice {
  const CeilingSpec* spec = nullptr;
  std::string reason;
};
// Throws Error{usage} for a name that no spec has.
SpecChoice choose_spec(std::span<const CeilingSpec>, std::string_view name, const DeviceFacts&);

// Rate of each candidate (amount per second): the median over the second half of `seconds` of load
// each. Over a few milliseconds it ranks shapes at the clock the device starts with, over a second
// at the one it settles to.
std::vector<double> try_candidates(Device&, std::span<const CeilingCandidate>, double seconds);

// Prepares, tries and measures one spec that the device can run. What the device refuses gives
// status `failed`.
Ceiling measure_spec(Device&, const CeilingSpec&, DataPattern, bool burst = false);

// Writes a measurement into the ceiling: value, percentages, timing, telemetry.
void record(Ceiling&, const CeilingSpec&, const CeilingCandidate&, Measurement, const DeviceFacts&);

}  // namespace gpubench
