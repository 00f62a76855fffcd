// One side of a comparison: what its documents say of each case, process by process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "device/device.hpp"
#include "document/document.hpp"

namespace gpubench {

// A case in one process.
struct ProcessFigures {
  std::vector<double> samples_s;                // per launch, above 0
  double rate_scale = 0;                        // of a ceiling that is a rate: samples_s * value
  std::optional<double> attainable_s;           // under the roof
  std::optional<double> attainable_at_clock_s;  // under the roof at the clock of this process
  std::optional<double> energy_j;               // a launch
  std::optional<double> sm_clock_hz;            // during the samples
};

// A case of one side, or a ceiling ("ceiling/fp32_fma").
struct Entry {
  std::string id;
  std::string unit = "s";  // of the time metric: that of a ceiling, else "s"
  bool ok = false;
  std::string why_not;       // of one that is not ok: "failed in new.json: ..."
  std::string identity;      // what has to agree under one id: dtype, cache mode, input, seed
  std::string disagreement;  // two documents of this side that contradict each other
  double flops = 0;
  double bytes = 0;
  double working_set_bytes = 0;
  bool power_limited = false;
  int documents = 0;  // that have it
  std::vector<ProcessFigures> processes;
};

struct Side {
  SideFacts facts;
  DeviceFacts device;
  bool interrupted = false;  // the run of one of its documents
  bool of_ceilings = false;  // its documents hold ceilings alone
  std::vector<Entry> entries;
  std::vector<std::string> warnings;
  // What a run is known by, of each document: two that are equal are one run.
  std::vector<std::string> runs;
  // Values by name, of the documents one after the other.
  std::map<std::string, std::vector<double>> ceilings;
};

// Reads the documents of one side; `filter` leaves only ids that it finds. Throws Error{io} and
// Error{not_comparable} as read_document() does; Error{not_comparable} where two of the documents
// are of different devices (unless allowed) or one run, and where there is nothing in them.
Side read_side(std::span<const std::string> paths, const std::optional<std::regex>& filter,
               bool ignore_device);

// Throws Error{not_comparable} where the devices differ in kind, name, multiprocessors, memory or
// MIG profile. Ordinals and UUIDs may differ: a fleet has many cards of one kind.
void check_same_device(const DeviceFacts& a, const std::string& file_a, const DeviceFacts& b,
                       const std::string& file_b);

// Sentences about what may differ between comparable documents and explains a difference: driver,
// runtime, maximum clocks, power limit, ECC.
std::vector<std::string> setting_differences(const DeviceFacts& base, const DeviceFacts& fresh);

// A sentence naming the ceilings whose values differ by more than 1 % in these sides' documents: a
// percent of roof then differs without the kernel. Empty where none does.
std::string ceiling_differences(std::span<const Side* const> sides);

// The figures of a process under a metric, one a sample, of which less is better: seconds; 1 / % of
// roof; of the energy a single one. Empty where the document does not have it.
std::vector<double> costs(const ProcessFigures&, Metric);
// Whether such a figure, and what is computed of two, are numbers: a document can say 1e-320 s.
bool in_range(double cost);
// Whether the figure is 1 / cost, and its unit.
bool inverted(const Entry&, Metric);
std::string unit_of(const Entry&, Metric);

}  // namespace gpubench
