// One case from start to record: instantiate, check that it fits, prove, measure, prove again,
// place under its roof.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cli/plan.hpp"
#include "device/activity.hpp"
#include "document/document.hpp"

namespace gpubench {

struct CaseOptions {
  MeasureOptions measure;
  std::optional<double> warmup_s;  // as asked for on the command line
  VerifyMode verify = VerifyMode::sampled;
};

// Inputs, output and workspace, wherever they live.
double total_bytes(const Instance&);

// Why the case cannot run on the device (architecture, shape, memory, library), or nothing.
// Allocates nothing.
std::optional<std::string> cannot_run(Device&, const PlannedCase&, const Instance&,
                                      std::optional<double> free_bytes = std::nullopt);

// Whatever becomes of the case is in the record: ok, failed, skipped, interrupted.
CaseRecord run_case(Device&, const PlannedCase&, std::span<const Ceiling>, const CaseOptions&);

// Launches a case that was measured once more, with records of what ran, and holds the events to
// them. The record gets the note cross_checked where they agree; it fails, without figures, where
// they disagree or too little was recorded; and stays as it is where they cannot be judged. Returns
// the line for the user: empty where the case has no figures, and at an interrupt.
std::string cross_check_case(Device&, const PlannedCase&, ActivityTracer&, CaseRecord&);

// Correctness alone: one launch on poisoned output and workspace.
CaseRecord verify_case(Device&, const PlannedCase&, VerifyMode);

}  // namespace gpubench
