#include "compare/side.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "document/read.hpp"

namespace gpubench {
namespace {

std::string identity_of(const CaseRecord& record) {
  return "dtype " + std::string(name(record.dtype)) + ", " + std::string(name(record.cache)) +
         " cache, " + std::string(name(record.input)) + " input, seed " +
         std::to_string(record.seed);
}

// The roof at a clock follows from the one that the document gives at its own: the compute ceiling
// moves with the clock, memory does not.
std::optional<double> attainable_at(const Roof& roof, double median_s,
                                    const std::optional<double>& document_clock_hz,
                                    const std::optional<double>& clock_hz) {
  if (!roof.percent_of_roof_at_clock) return std::nullopt;
  const double attainable_s = *roof.percent_of_roof_at_clock / 100 * median_s;
  const bool moves = roof.compute_ceiling && roof.limited_by == *roof.compute_ceiling;
  if (!moves || !document_clock_hz || !clock_hz || !(*clock_hz > 0)) return attainable_s;
  return attainable_s * *document_clock_hz / *clock_hz;
}

std::vector<ProcessFigures> processes_of(CaseRecord& record) {
  Timing& timing = *record.timing;
  if (timing.samples_by_process_s.empty())
    timing.samples_by_process_s.push_back(std::move(timing.samples_s));
  const bool own_telemetry =
      record.telemetry_by_process.size() == timing.samples_by_process_s.size();
  std::vector<ProcessFigures> processes;
  for (std::size_t i = 0; i < timing.samples_by_process_s.size(); ++i) {
    if (timing.samples_by_process_s[i].empty()) continue;
    const Telemetry& telemetry = own_telemetry ? record.telemetry_by_process[i] : record.telemetry;
    ProcessFigures figures;
    figures.samples_s = std::move(timing.samples_by_process_s[i]);
    figures.energy_j = telemetry.energy_j_per_launch;
    figures.sm_clock_hz = telemetry.sm_clock_during_hz;
    if (record.roof) {
      if (record.roof->attainable_s > 0) figures.attainable_s = record.roof->attainable_s;
      figures.attainable_at_clock_s = attainable_at(
          *record.roof, timing.median_s, record.telemetry.sm_clock_during_hz, figures.sm_clock_hz);
    }
    processes.push_back(std::move(figures));
  }
  return processes;
}

Entry entry_of(CaseRecord&& record, const std::string& file) {
  Entry entry;
  entry.id = std::move(record.id);
  entry.identity = identity_of(record);
  entry.flops = record.work.flops;
  entry.bytes = record.work.bytes_read + record.work.bytes_written;
  entry.working_set_bytes = record.work.working_set_bytes;
  entry.power_limited = std::ranges::find(record.notes, "power_limited") != record.notes.end();
  entry.documents = 1;
  if (record.status == CaseStatus::ok && record.timing) entry.processes = processes_of(record);
  entry.ok = !entry.processes.empty();
  if (record.status != CaseStatus::ok)
    entry.why_not = std::string(name(record.status)) + " in " + file +
                    (record.reason ? ": " + *record.reason : "");
  else if (!entry.ok)
    entry.why_not = "not timed in " + file;
  return entry;
}

Entry entry_of(const Ceiling& ceiling, const std::string& file) {
  Entry entry;
  entry.id = "ceiling/" + ceiling.name;
  entry.unit = ceiling.unit;
  entry.working_set_bytes = static_cast<double>(ceiling.working_set_bytes.value_or(0));
  const auto& reasons = ceiling.telemetry.throttle_reasons;
  // The reason may be what is left of the ceiling before; what power takes is clock, and memory has
  // its own.
  entry.power_limited =
      ceiling.unit.ends_with("op/s") && std::ranges::find(reasons, "sw_power_cap") != reasons.end();
  entry.documents = 1;
  entry.ok = ceiling.status == "ok" && ceiling.value && ceiling.timing &&
             !ceiling.timing->samples_s.empty();
  if (!entry.ok) {
    entry.why_not = ceiling.status + " in " + file + (ceiling.reason ? ": " + *ceiling.reason : "");
    return entry;
  }
  ProcessFigures figures;
  figures.samples_s = ceiling.timing->samples_s;
  const double median_s = ceiling.timing->median_s;
  if (ceiling.unit == "s")
    // A launch holds many of what the latency is of.
    for (double& sample : figures.samples_s) sample *= *ceiling.value / median_s;
  else
    figures.rate_scale = *ceiling.value * median_s;
  figures.energy_j = ceiling.telemetry.energy_j_per_launch;
  figures.sm_clock_hz = ceiling.telemetry.sm_clock_during_hz;
  entry.processes.push_back(std::move(figures));
  return entry;
}

class Gatherer {
 public:
  explicit Gatherer(const std::optional<std::regex>& filter) : filter_(filter) {}

  void add(Entry&& entry, const std::string& file) {
    // std::regex calls itself for every character that it looks at.
    constexpr std::size_t longest_filtered = 1000;
    if (filter_ && entry.id.size() > longest_filtered)
      throw Error(ExitCode::not_comparable,
                  file + ": --filter takes no id of " + std::to_string(entry.id.size()) +
                      " characters; allowed: " + std::to_string(longest_filtered));
    if (filter_ && !std::regex_search(entry.id, *filter_)) {
      ++filtered_;
      return;
    }
    const auto [place, is_new] = places_.try_emplace(entry.id, entries_.size());
    if (is_new) {
      entries_.push_back(std::move(entry));
      return;
    }
    Entry& known = entries_[place->second];
    ++known.documents;
    if (known.identity != entry.identity && known.disagreement.empty())
      known.disagreement =
          entry.identity + " in " + file + ", " + known.identity + " in the document before it";
    if (known.unit != entry.unit && known.disagreement.empty())
      known.disagreement = entry.unit + " in " + file + ", " + known.unit + " before it";
    if (!entry.ok && known.why_not.empty()) known.why_not = std::move(entry.why_not);
    known.ok = known.ok || entry.ok;
    known.power_limited = known.power_limited || entry.power_limited;
    std::ranges::move(entry.processes, std::back_inserter(known.processes));
  }

  std::size_t seen() const { return entries_.size() + filtered_; }
  std::vector<Entry> take() { return std::move(entries_); }

 private:
  const std::optional<std::regex>& filter_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t filtered_ = 0;
};

template <class T>
std::string text_of(const std::optional<T>& value) {
  if (!value) return "unknown";
  if constexpr (std::is_same_v<T, std::string>)
    return *value;
  else if constexpr (std::is_same_v<T, bool>)
    return *value ? "on" : "off";
  else
    return shortest(static_cast<double>(*value));
}

// Sums of samples are as good as a hash: what was measured twice never agrees to the last bit.
class Fingerprint {
 public:
  void add(const Timing& timing) {
    for (const double sample : timing.samples_s) sum_ += sample;
  }
  std::string of(const Document& document) const {
    return document.started_at + " " + document.finished_at.value_or("") + " " +
           document.device.uuid.value_or("") + " " + shortest(sum_);
  }

 private:
  double sum_ = 0;
};

}  // namespace

Side read_side(std::span<const std::string> paths, const std::optional<std::regex>& filter,
               bool ignore_device) {
  Side side;
  Gatherer cases(filter);
  Gatherer ceilings(filter);
  std::optional<std::string> commit;
  for (const std::string& path : paths) {
    Fingerprint fingerprint;
    const Document document = read_document(path, [&](CaseRecord&& record) {
      if (record.timing) fingerprint.add(*record.timing);
      cases.add(entry_of(std::move(record), path), path);
    });
    for (const Ceiling& ceiling : document.ceilings) {
      if (ceiling.timing) fingerprint.add(*ceiling.timing);
      if (ceiling.status == "ok" && ceiling.value)
        side.ceilings[ceiling.name].push_back(*ceiling.value);
      ceilings.add(entry_of(ceiling, path), path);
    }
    side.runs.push_back(fingerprint.of(document));
    const auto same = std::ranges::find(side.runs, side.runs.back());
    if (same != side.runs.end() - 1)
      throw Error(ExitCode::not_comparable,
                  side.facts.files[static_cast<std::size_t>(same - side.runs.begin())] + " and " +
                      path + " are one run: its processes would count twice");
    if (document.status == Document::Status::interrupted) {
      side.interrupted = true;
      side.warnings.push_back(path + " is of an interrupted run: cases may be missing");
    }
    if (side.facts.files.empty()) {
      side.device = document.device;
      side.facts.device = document.device.name;
      side.facts.started_at = document.started_at;
      commit = document.tool.git_commit;
    } else {
      if (!ignore_device)
        check_same_device(side.device, side.facts.files.front(), document.device, path);
      if (commit != document.tool.git_commit) commit.reset();
    }
    side.facts.files.push_back(path);
  }
  side.facts.git_commit = commit;
  side.of_ceilings = cases.seen() == 0;
  Gatherer& chosen = side.of_ceilings ? ceilings : cases;
  if (chosen.seen() == 0)
    throw Error(ExitCode::not_comparable, join(paths, ", ") + ": there is no case to compare");
  side.entries = chosen.take();
  for (const Entry& entry : side.entries)
    side.facts.processes = std::max(side.facts.processes, static_cast<int>(entry.processes.size()));
  return side;
}

void check_same_device(const DeviceFacts& a, const std::string& file_a, const DeviceFacts& b,
                       const std::string& file_b) {
  const auto differ = [&](const std::string& what, const std::string& first,
                          const std::string& second) {
    if (first == second) return;
    throw Error(ExitCode::not_comparable, "not the same device: " + what + " is " + first + " in " +
                                              file_a + " and " + second + " in " + file_b +
                                              " (--ignore-device compares them all the same)");
  };
  differ("its kind", std::string(name(a.kind)), std::string(name(b.kind)));
  differ("its name", a.name, b.name);
  differ("the number of multiprocessors", text_of(a.multiprocessors), text_of(b.multiprocessors));
  differ("its memory in bytes", std::to_string(a.memory_bytes), std::to_string(b.memory_bytes));
  differ("its MIG profile", a.mig_profile.value_or("none"), b.mig_profile.value_or("none"));
}

std::vector<std::string> setting_differences(const DeviceFacts& base, const DeviceFacts& fresh) {
  std::vector<std::string> differences;
  const auto note = [&](const std::string& what, const std::string& before,
                        const std::string& after) {
    if (before != after)
      differences.push_back(what + ": " + before + " in the baseline, " + after + " now");
  };
  note("card", text_of(base.uuid), text_of(fresh.uuid));
  note("driver", text_of(base.driver_version), text_of(fresh.driver_version));
  note("CUDA runtime", text_of(base.cuda_runtime_version), text_of(fresh.cuda_runtime_version));
  note("maximum SM clock in Hz", text_of(base.sm_clock_max_hz), text_of(fresh.sm_clock_max_hz));
  note("maximum memory clock in Hz", text_of(base.memory_clock_max_hz),
       text_of(fresh.memory_clock_max_hz));
  note("power limit in W", text_of(base.power_limit_w), text_of(fresh.power_limit_w));
  note("ECC", text_of(base.ecc_enabled), text_of(fresh.ecc_enabled));
  return differences;
}

std::string ceiling_differences(std::span<const Side* const> sides) {
  std::map<std::string, std::pair<double, double>> ranges;
  for (const Side* side : sides)
    for (const auto& [name, values] : side->ceilings)
      for (const double value : values) {
        auto& [low, high] = ranges.try_emplace(name, value, value).first->second;
        low = std::min(low, value);
        high = std::max(high, value);
      }
  constexpr double worth_saying = 1.01;
  std::vector<std::string> names;
  for (const auto& [name, range] : ranges)
    if (range.second > worth_saying * range.first)
      names.push_back(name + " by " + significant(100 * (range.second / range.first - 1), 2) +
                      " %");
  if (names.empty()) return "";
  return "the ceilings of the documents differ, and percent of roof with them: " +
         join(names, ", ") + " (--ceilings holds runs to one document)";
}

std::vector<double> costs(const ProcessFigures& process, Metric metric) {
  const auto under = [&](const std::optional<double>& attainable_s) {
    std::vector<double> values;
    if (!attainable_s || !(*attainable_s > 0)) return values;
    values.reserve(process.samples_s.size());
    for (const double sample : process.samples_s) values.push_back(sample / (100 * *attainable_s));
    return values;
  };
  switch (metric) {
    case Metric::time: {
      std::vector<double> values = process.samples_s;
      if (process.rate_scale > 0)
        for (double& value : values) value /= process.rate_scale;
      return values;
    }
    case Metric::percent_of_roof:
      return under(process.attainable_s);
    case Metric::percent_of_roof_at_clock:
      return under(process.attainable_at_clock_s);
    case Metric::energy:
      if (process.energy_j && *process.energy_j > 0) return {*process.energy_j};
      return {};
  }
  return {};
}

bool in_range(double cost) {
  return cost > 1e-150 && cost < 1e150;
}

bool inverted(const Entry& entry, Metric metric) {
  if (metric == Metric::time) return entry.unit != "s";
  return metric != Metric::energy;
}

std::string unit_of(const Entry& entry, Metric metric) {
  if (metric == Metric::time) return entry.unit;
  return metric == Metric::energy ? "J" : "%";
}

}  // namespace gpubench
