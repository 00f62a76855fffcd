// A ceiling: one measured limit of a device. microbench/ has one file per ceiling.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "measure/measure.hpp"
#include "registry/variant.hpp"

namespace gpubench {

enum class DataPattern { random, zeros };

// One way of running a ceiling's kernel, ready to launch. Owns what the launch uses.
struct CeilingCandidate {
  std::string technique;  // one line: the shape that ran
  double amount = 0;      // FLOPs, operations or bytes a launch; of a latency, how many of them
  std::optional<std::size_t> working_set_bytes;
  Launch launch;
  std::vector<Memory> memory;
  Submission submission = Submission::graph;
};

// How to measure one ceiling on one kind of device.
struct CeilingSpec {
  std::string_view name;  // "f16_tensor"
  std::string_view unit;  // "flop/s", "op/s", "byte/s", "s"
  DeviceKind device = DeviceKind::cuda;
  Requirement needs = {};
  bool uses_data = false;  // its speed can depend on what it reads: data_pattern is recorded
  bool scales_with_clock = false;  // its limit is a number of operations a clock
  // Window of unbroken load that is sampled, in seconds since the load began. A ceiling whose clock
  // moves under load uses 0.5 to 1.0 (docs/measurement.md).
  double from_s = 0.5;
  double until_s = 1.0;
  double trial_s = 0.006;  // load a candidate is given in the trial that picks one
  // At the device's own maximum clock; empty where nothing can be derived.
  std::optional<double> (*theoretical)(const DeviceFacts&) = nullptr;
  // A reason why the device lacks what is measured, or nothing; null: `needs` says it all.
  std::optional<std::string> (*unsupported)(const DeviceFacts&) = nullptr;
  // Candidates to try, at least one; the fastest in a short trial is measured. Null in a build
  // without CUDA.
  std::vector<CeilingCandidate> (*prepare)(Device&, DataPattern) = nullptr;
};

// A measured ceiling: the document's `ceiling`.
struct Ceiling {
  std::string name;
  std::string unit;
  std::string status = "ok";  // ok, skipped, failed
  std::optional<std::string> reason;
  std::optional<double> value;
  std::optional<double> burst;
  std::optional<double> sustained;
  std::optional<double> theoretical;
  std::optional<double> percent_of_theoretical;
  std::optional<double> percent_of_theoretical_at_clock;
  std::string technique;
  std::optional<DataPattern> data_pattern;
  std::optional<std::int64_t> working_set_bytes;
  std::optional<Timing> timing;
  Telemetry telemetry;
};

// The list of all ceilings, in the order of the table (microbench/ceilings.cpp). Where several
// specs have one name, the first whose requirement the device meets is used.
std::span<const CeilingSpec> ceiling_specs();

// Measures one ceiling; a device that lacks it gives status `skipped` with the reason. `burst`:
// also the burst window, after a second of idle. Throws Interrupted.
Ceiling measure_ceiling(Device&, std::string_view name, DataPattern = DataPattern::random,
                        bool burst = false);

// Every ceiling that is known for a kind of device, once, in the order of the table.
std::vector<std::string_view> ceiling_names(DeviceKind);
// The first spec of that name for a kind of device; null where it has none.
const CeilingSpec* find_spec(DeviceKind, std::string_view name);

// What a run measures before its cases, in this order. A host has no tensor cores: that one is then
// listed as skipped.
std::span<const std::string_view> core_ceilings(DeviceKind);

}  // namespace gpubench
