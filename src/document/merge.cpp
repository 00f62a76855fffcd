#include "document/merge.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"

namespace gpubench {
namespace {

// Fewer and the interval says more about their number than about the noise.
constexpr std::size_t fewest_for_interval = 3;

// One case in every process that came to it.
struct Runs {
  std::vector<CaseRecord> records;
  std::vector<std::size_t> processes;  // which, from 1
};

std::optional<double> median_of(const std::vector<CaseRecord>& records,
                                const std::function<std::optional<double>(const CaseRecord&)>& of) {
  std::vector<double> values;
  for (const CaseRecord& record : records)
    if (const auto value = of(record)) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  return median(values);
}

template <class T>
std::vector<T> united(const std::vector<CaseRecord>& records,
                      const std::function<const std::vector<T>&(const CaseRecord&)>& of) {
  std::vector<T> all;
  for (const CaseRecord& record : records)
    for (const T& one : of(record))
      if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  return all;
}

Timing merged_timing(const std::vector<CaseRecord>& records) {
  std::vector<double> all;
  std::vector<double> medians;
  std::vector<std::string> reasons;
  for (const CaseRecord& record : records) {
    const Timing& timing = *record.timing;
    all.insert(all.end(), timing.samples_s.begin(), timing.samples_s.end());
    medians.push_back(timing.median_s);
    if (std::ranges::find(reasons, timing.stop_reason) == reasons.end())
      reasons.push_back(timing.stop_reason);
  }
  Timing merged = summarize(std::move(all));
  const Timing& first = *records.front().timing;
  merged.clock = first.clock;
  merged.launches_per_sample = first.launches_per_sample;
  merged.warmup_s = first.warmup_s;
  for (const CaseRecord& record : records)
    merged.samples_by_process_s.push_back(record.timing->samples_s);
  merged.median_ci95_s.reset();
  if (medians.size() >= fewest_for_interval) merged.median_ci95_s = log_mean_interval(medians);
  merged.burst_s =
      median_of(records, [](const CaseRecord& record) { return record.timing->burst_s; });
  merged.stop_reason = std::to_string(records.size()) + " processes: " + join(reasons, "; ");
  return merged;
}

Telemetry merged_telemetry(const std::vector<CaseRecord>& records) {
  const auto middle = [&](std::optional<double> Telemetry::*field) {
    return median_of(records,
                     [field](const CaseRecord& record) { return record.telemetry.*field; });
  };
  Telemetry merged;
  merged.sm_clock_before_hz = middle(&Telemetry::sm_clock_before_hz);
  merged.sm_clock_during_hz = middle(&Telemetry::sm_clock_during_hz);
  merged.sm_clock_after_hz = middle(&Telemetry::sm_clock_after_hz);
  merged.sm_clock_burst_hz = middle(&Telemetry::sm_clock_burst_hz);
  merged.memory_clock_hz = middle(&Telemetry::memory_clock_hz);
  merged.power_w = middle(&Telemetry::power_w);
  merged.energy_j_per_launch = middle(&Telemetry::energy_j_per_launch);
  merged.temperature_c = middle(&Telemetry::temperature_c);
  merged.throttle_reasons =
      united<std::string>(records, [](const CaseRecord& record) -> const std::vector<std::string>& {
        return record.telemetry.throttle_reasons;
      });
  for (const CaseRecord& record : records)
    if (const auto others = record.telemetry.other_processes)
      merged.other_processes = std::max(merged.other_processes.value_or(0), *others);
  return merged;
}

// All processes are held to one set of ceilings: attainable_s is the same, and what it is at the
// clock follows the clock where arithmetic limits, so that the roof at the merged clock is scaled
// from that of each process.
Roof merged_roof(const std::vector<CaseRecord>& records, const Timing& timing,
                 const Telemetry& telemetry) {
  Roof roof = *records.front().roof;
  roof.percent_of_roof = 100 * roof.attainable_s / timing.median_s;
  roof.above_roof = is_above_roof(roof.percent_of_roof);
  const bool moves = roof.compute_ceiling && roof.limited_by == *roof.compute_ceiling;
  const auto at_clock = median_of(records, [&](const CaseRecord& record) -> std::optional<double> {
    if (!record.roof || !record.roof->percent_of_roof_at_clock) return std::nullopt;
    const double attainable_s =
        *record.roof->percent_of_roof_at_clock / 100 * record.timing->median_s;
    const auto own = record.telemetry.sm_clock_during_hz;
    const auto all = telemetry.sm_clock_during_hz;
    return moves && own && all ? attainable_s * *own / *all : attainable_s;
  });
  roof.percent_of_roof_at_clock.reset();
  if (at_clock) roof.percent_of_roof_at_clock = 100 * *at_clock / timing.median_s;
  roof.percent_of_roof_burst = median_of(records, [](const CaseRecord& record) {
    return record.roof ? record.roof->percent_of_roof_burst : std::nullopt;
  });
  return roof;
}

// The figures of the stages are medians of the processes'; every process has the same stages.
std::vector<StageTime> merged_stages(const std::vector<CaseRecord>& records) {
  std::vector<StageTime> stages = records.front().stages;
  for (std::size_t i = 0; i < stages.size(); ++i)
    stages[i].median_s =
        *median_of(records, [i](const CaseRecord& record) -> std::optional<double> {
          if (i >= record.stages.size()) return std::nullopt;
          return record.stages[i].median_s;
        });
  return stages;
}

Verification worst(const std::vector<CaseRecord>& records) {
  Verification all = *records.front().verification;
  for (const CaseRecord& record : records) {
    if (!record.verification) continue;
    const Verification& one = *record.verification;
    all.passed = all.passed && one.passed;
    all.full = all.full && one.full;
    all.checked = std::min(all.checked, one.checked);
    if (one.max_abs_error > all.max_abs_error) {
      all.max_abs_error = one.max_abs_error;
      all.bound = one.bound;  // that of the output with the largest error
    }
    all.max_rel_error = std::max(all.max_rel_error, one.max_rel_error);
  }
  return all;
}

CaseRecord merged_case(Runs&& runs, std::size_t documents) {
  // What went wrong in one process went wrong: failed first, then skipped.
  for (const CaseStatus status : {CaseStatus::failed, CaseStatus::skipped})
    for (std::size_t i = 0; i < runs.records.size(); ++i)
      if (runs.records[i].status == status) {
        CaseRecord record = std::move(runs.records[i]);
        const bool all = std::ranges::all_of(runs.records, [&](const CaseRecord& other) {
          return &other == &runs.records[i] ||
                 (other.status == status && other.reason == record.reason);
        });
        if (!all || runs.records.size() == 1)
          record.reason = "process " + std::to_string(runs.processes[i]) + " of " +
                          std::to_string(documents) + ": " + record.reason.value_or("");
        return record;
      }
  // An interrupt abandoned the case in the last process: what the others measured stands.
  std::vector<CaseRecord> measured;
  for (CaseRecord& record : runs.records)
    if (record.status == CaseStatus::ok && record.timing) measured.push_back(std::move(record));
  if (measured.empty()) return std::move(runs.records.front());
  CaseRecord merged = measured.front();
  merged.timing = merged_timing(measured);
  merged.telemetry = merged_telemetry(measured);
  for (const CaseRecord& record : measured) merged.telemetry_by_process.push_back(record.telemetry);
  if (merged.verification) merged.verification = worst(measured);
  if (merged.roof) merged.roof = merged_roof(measured, *merged.timing, merged.telemetry);
  if (merged.achieved) {
    Achieved& achieved = *merged.achieved;
    const double scale = measured.front().timing->median_s / merged.timing->median_s;
    achieved.flops_per_s *= scale;
    achieved.bytes_per_s *= scale;
    achieved.flops_per_j.reset();
    if (const auto energy = merged.telemetry.energy_j_per_launch; energy && *energy > 0)
      achieved.flops_per_j = merged.work.flops / *energy;
  }
  merged.notes = united<std::string>(
      measured,
      [](const CaseRecord& record) -> const std::vector<std::string>& { return record.notes; });
  std::erase(merged.notes, "above_roof");
  if (merged.roof && merged.roof->above_roof) merged.notes.push_back("above_roof");
  merged.stages = merged_stages(measured);
  merged.transfer_share =
      median_of(measured, [](const CaseRecord& record) { return record.transfer_share; });
  return merged;
}

}  // namespace

Document merge_processes(std::vector<Document>&& documents) {
  if (documents.empty()) throw std::invalid_argument("no document to merge");
  std::vector<Runs> all;
  std::unordered_map<std::string, std::size_t> places;
  Document::Status status = Document::Status::complete;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (documents[i].status == Document::Status::interrupted) status = documents[i].status;
    for (CaseRecord& record : documents[i].cases) {
      const auto [place, is_new] = places.try_emplace(record.id, all.size());
      if (is_new) all.emplace_back();
      all[place->second].records.push_back(std::move(record));
      all[place->second].processes.push_back(i + 1);
    }
  }
  Document merged = std::move(documents.front());
  merged.status = status;
  merged.cases.clear();
  for (Runs& runs : all) merged.cases.push_back(merged_case(std::move(runs), documents.size()));
  return merged;
}

}  // namespace gpubench
