#include "cli/run_case.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/address_space.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cli/case_memory.hpp"
#include "device/devices.hpp"
#include "measure/cross_check.hpp"

namespace gpubench {
namespace {

// Room that is left to the driver, to library handles and to the sweep of a cold case.
constexpr double spare_bytes = 256.0 * (1 << 20);

double buffer_bytes(const Instance& instance) {
  double bytes = static_cast<double>(instance.output().bytes());
  for (const BufferSpec& spec : instance.inputs()) bytes += static_cast<double>(spec.bytes());
  return bytes;
}

void verify_into(CaseRecord& record, Verifier& verifier, Device& device, const CaseMemory& memory,
                 std::string_view when) {
  record.verification = verifier.check(device, memory.buffers().output);
  if (record.verification->passed) return;
  record.status = CaseStatus::failed;
  record.reason = "verification " + std::string(when) + " failed: " + record.verification->failure;
}

// Work limited by arithmetic is held to a sustained ceiling, so it is sampled in the same window of
// load.
bool limited_by_compute(const CaseRecord& record, const Placement& placement) {
  return record.work.flops > 0 && placement.roof && placement.roof->compute_ceiling &&
         placement.roof->limited_by == *placement.roof->compute_ceiling;
}

// A burst costs a second of idle: it is taken where there is a burst to hold it to.
bool has_burst(std::span<const Ceiling> ceilings, const std::optional<std::string>& name) {
  return name && std::ranges::any_of(ceilings, [&](const Ceiling& ceiling) {
           return ceiling.name == *name && ceiling.burst;
         });
}

MeasureOptions options_for(const PlannedCase& planned, const Instance& instance,
                           const CaseOptions& options, bool compute_limited, bool burst) {
  MeasureOptions measure = options.measure;
  measure.cache = planned.cache;
  measure.submission = instance.submission();
  if (compute_limited && !options.warmup_s) {
    measure.warmup_s = 0.5;
    measure.load_until_s = 1.0;
    measure.burst = burst;
  }
  if (options.warmup_s) measure.warmup_s = *options.warmup_s;
  return measure;
}

void measure_stages(CaseRecord& record, Device& device, const Instance& instance,
                    const Buffers& buffers, const CacheMode cache) {
  const auto stages = instance.stages();
  double transfer_s = 0;
  double all_s = 0;
  bool transfers = false;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    MeasureOptions options;
    options.warmup_s = 0.05;
    options.max_s = 0.3;
    options.submission = instance.submission();
    options.cache = cache;
    const Measurement measured = measure(
        device, [&](Stream stream) { instance.launch_stage(i, buffers, stream); }, options);
    record.stages.push_back({std::string(stages[i].name), measured.timing.median_s});
    all_s += measured.timing.median_s;
    if (stages[i].host_transfer) {
      transfers = true;
      transfer_s += measured.timing.median_s;
    }
  }
  // Stages that follow each other add up to the trip, give or take what they gain or lose by being
  // timed alone; stages that overlap in the trip add up to more than it.
  if (transfers) record.transfer_share = transfer_s / std::max(all_s, record.timing->median_s);
}

void place(CaseRecord& record, const PlannedCase& planned, const Instance& instance,
           std::span<const Ceiling> ceilings, const DeviceFacts& facts) {
  const Placement placement = place_under_roof(
      instance.work(), planned.facts.dtype, planned.cache,
      {record.timing->median_s, record.telemetry.sm_clock_during_hz, record.timing->burst_s},
      ceilings, facts);
  record.roof = placement.roof;
  record.notes.insert(record.notes.end(), placement.notes.begin(), placement.notes.end());
  record.achieved =
      achieved(instance.work(), record.timing->median_s, record.telemetry.energy_j_per_launch);
  if (below_resolution(*record.timing)) record.notes.push_back("below_resolution");
  const auto& reasons = record.telemetry.throttle_reasons;
  if (std::find(reasons.begin(), reasons.end(), "sw_power_cap") != reasons.end())
    record.notes.push_back("power_limited");
}

// The record with everything that is known before anything runs.
CaseRecord begin_record(const PlannedCase& planned, const Instance& instance) {
  CaseRecord record;
  record.id = planned.id;
  record.family = planned.family->name();
  record.variant = planned.facts.name;
  record.role = planned.facts.role;
  record.dtype = planned.facts.dtype;
  record.parameters = planned.parameters;
  record.seed = planned.seed;
  record.cache = planned.cache;
  record.input = planned.input;
  record.work = gpubench::record(instance.work(), instance.modelled_bytes());
  return record;
}

void drop_figures(CaseRecord& record) {
  record.timing.reset();
  record.achieved.reset();
  record.roof.reset();
  record.stages.clear();
}

// Runs `body` and turns what it throws into the record's status. A kernel that destroys the context
// of its process (an illegal address) makes every later case fail too, each saying so: the document
// is still written.
void guarded(CaseRecord& record, const std::function<void()>& body) {
  try {
    body();
  } catch (const Interrupted&) {
    record.status = CaseStatus::interrupted;
    record.reason = "abandoned at an interrupt";
    drop_figures(record);
  } catch (const BelowResolution& error) {
    record.status = CaseStatus::skipped;
    record.reason = error.what();
    record.notes.push_back("below_resolution");
  } catch (const std::bad_alloc&) {
    record.status = CaseStatus::skipped;
    record.reason = out_of_memory();
  } catch (const std::exception& error) {
    record.status = CaseStatus::failed;
    record.reason = error.what();
  }
}

// The case's memory; null, with the record saying why, where the case cannot run here. Allocation
// that fails although there seemed to be room (fragmented memory, pinned memory refused) is a case
// that does not fit.
std::unique_ptr<CaseMemory> prepare(CaseRecord& record, Device& device, const PlannedCase& planned,
                                    const Instance& instance) {
  if (auto reason = cannot_run(device, planned, instance)) {
    record.status = CaseStatus::skipped;
    record.reason = std::move(reason);
    return nullptr;
  }
  try {
    return std::make_unique<CaseMemory>(device, instance, planned.input, planned.seed);
  } catch (const Error& error) {
    if (error.code() != ExitCode::no_device) throw;
    record.status = CaseStatus::skipped;
    record.reason = error.what();
    return nullptr;
  }
}

}  // namespace

double total_bytes(const Instance& instance) {
  return buffer_bytes(instance) + static_cast<double>(instance.workspace_bytes());
}

std::optional<std::string> cannot_run(Device& device, const PlannedCase& planned,
                                      const Instance& instance, std::optional<double> free_bytes) {
  if (auto reason = unsupported(planned.facts, device.facts())) return reason;
  if (const std::string_view library = planned.facts.needs.library; !library.empty())
    if (auto reason = missing_toolkit_library(library)) return reason;
  if (auto reason = instance.unsupported()) return reason;
  const bool on_device = instance.memory() == MemoryKind::device;
  const double needed =
      static_cast<double>(instance.workspace_bytes()) + (on_device ? buffer_bytes(instance) : 0);
  const double free = free_bytes ? *free_bytes : static_cast<double>(device.free_bytes());
  if (needed + spare_bytes > free)
    return "needs " + fixed(needed, 0) + " bytes (" + bytes_text(needed) + ") on " +
           device.facts().id + ", where " + fixed(free, 0) + " bytes (" + bytes_text(free) +
           ") are free";
  return std::nullopt;
}

CaseRecord run_case(Device& device, const PlannedCase& planned, std::span<const Ceiling> ceilings,
                    const CaseOptions& options) {
  const auto instance = planned.family->instantiate(planned.variant, planned.parameters);
  CaseRecord record = begin_record(planned, *instance);
  guarded(record, [&] {
    const auto memory = prepare(record, device, planned, *instance);
    if (!memory) return;
    const Launch launch = [&](Stream stream) { instance->launch(memory->buffers(), stream); };

    std::optional<Verifier> verifier;
    if (options.verify != VerifyMode::off) {
      verifier.emplace(*instance, planned.input, planned.seed, options.verify);
      memory->poison(device);
      launch(device.stream());
      device.synchronize();
      verify_into(record, *verifier, device, *memory, "before timing");
      if (record.status == CaseStatus::failed) return;
      // So that the check after the last sample proves the timed launches, not this one.
      memory->poison(device);
    } else {
      record.notes.push_back("not_verified");
    }

    // Which ceiling limits the case does not depend on its time.
    const Placement limits = place_under_roof(instance->work(), planned.facts.dtype, planned.cache,
                                              {.seconds = 1, .sm_clock_hz = {}, .burst_s = {}},
                                              ceilings, device.facts());
    const Measurement measured =
        measure(device, launch,
                options_for(planned, *instance, options, limited_by_compute(record, limits),
                            limits.roof && has_burst(ceilings, limits.roof->compute_ceiling)));
    if (verifier) {
      verify_into(record, *verifier, device, *memory, "after timing");
      if (record.status == CaseStatus::failed) return;
    }
    record.timing = measured.timing;
    record.telemetry = measured.telemetry;
    measure_stages(record, device, *instance, memory->buffers(), planned.cache);
    place(record, planned, *instance, ceilings, device.facts());
  });
  return record;
}

std::string cross_check_case(Device& device, const PlannedCase& planned, ActivityTracer& tracer,
                             CaseRecord& record) {
  if (record.status != CaseStatus::ok || !record.timing) return {};
  constexpr int samples = 5;
  const int launches = record.timing->launches_per_sample;
  CrossCheck check;
  try {
    const auto instance = planned.family->instantiate(planned.variant, planned.parameters);
    const CaseMemory memory(device, *instance, planned.input, planned.seed);
    const Launch launch = [&](Stream stream) { instance->launch(memory.buffers(), stream); };
    check = cross_check(
        tracer.trace(launch, {launches, instance->submission(), planned.cache}, samples));
  } catch (const Interrupted&) {
    return {};
  } catch (const std::bad_alloc&) {
    check.failure = "cross-check: " + out_of_memory();
  } catch (const std::exception& error) {
    check.failure = std::string("cross-check: ") + error.what();
  }
  const std::string line = text(check, record.timing->median_s * launches);
  if (!check.failure.empty()) {
    record.status = CaseStatus::failed;
    record.reason = check.failure;
    drop_figures(record);
  } else if (check.not_judged.empty()) {
    record.notes.push_back("cross_checked");
  }
  return line;
}

CaseRecord verify_case(Device& device, const PlannedCase& planned, VerifyMode mode) {
  const auto instance = planned.family->instantiate(planned.variant, planned.parameters);
  CaseRecord record = begin_record(planned, *instance);
  guarded(record, [&] {
    const auto memory = prepare(record, device, planned, *instance);
    if (!memory) return;
    Verifier verifier(*instance, planned.input, planned.seed, mode);
    memory->poison(device);
    instance->launch(memory->buffers(), device.stream());
    device.synchronize();
    verify_into(record, verifier, device, *memory, "of one launch");
  });
  return record;
}

}  // namespace gpubench
