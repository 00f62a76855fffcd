#include "compare/rule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/text.hpp"

namespace gpubench {
namespace {

// The figures of one side under the metric: costs, of which less is better, by process.
struct Series {
  std::vector<double> medians;  // one a process
  std::vector<double> all;
  int processes() const { return static_cast<int>(medians.size()); }
};

// Nothing where a figure is out of range.
std::optional<Series> series_of(const Entry& entry, Metric metric) {
  Series series;
  for (const ProcessFigures& process : entry.processes) {
    const std::vector<double> values = costs(process, metric);
    if (values.empty()) continue;
    if (!std::ranges::all_of(values, in_range)) return std::nullopt;
    series.medians.push_back(median(values));
    series.all.insert(series.all.end(), values.begin(), values.end());
  }
  return series;
}

// What the ratio is one of: with Welch the geometric mean of the process medians, whose logarithms
// it compares; of samples their median.
Figure figure_of(const Series& series, bool inverted, Method method) {
  double cost = 0;
  if (method == Method::welch) {
    for (const double one : series.medians) cost += std::log(one) / series.processes();
    cost = std::exp(cost);
  } else {
    cost = median(series.all);
  }
  return {inverted ? 1 / cost : cost, series.processes(), static_cast<int>(series.all.size())};
}

Method method_of(int processes) {
  return processes >= processes_for_welch ? Method::welch : Method::bootstrap;
}

std::optional<double> median_clock(const Entry& entry) {
  std::vector<double> clocks;
  for (const ProcessFigures& process : entry.processes)
    if (process.sm_clock_hz && *process.sm_clock_hz > 0) clocks.push_back(*process.sm_clock_hz);
  if (clocks.empty()) return std::nullopt;
  return median(clocks);
}

std::vector<std::string> notes_of(const Entry& base, const Entry& fresh) {
  std::vector<std::string> notes;
  if (base.power_limited || fresh.power_limited) notes.push_back("power_limited");
  const auto before = median_clock(base);
  const auto after = median_clock(fresh);
  constexpr double worth_saying = 0.01;
  if (before && after && std::fabs(*after / *before - 1) > worth_saying)
    notes.push_back("SM clock " + change_text(*after / *before));
  if (base.flops != fresh.flops || base.bytes != fresh.bytes)
    notes.push_back("counts other work than the baseline");
  return notes;
}

// How many processes a side would bring the interval clear of the nearest edge of the band, from
// the spread that was seen: its width falls with the root of their number.
std::string advice(const Compared& found, int processes) {
  const double center = std::log(found.ratio.value_or(1));
  const double half = std::log(found.interval->high / found.interval->low) / 2;
  const double edge = std::log1p(found.threshold);
  const double distance = std::fabs(std::fabs(center) - edge);
  constexpr int most = 100;
  std::string text = "the interval straddles the edge of the band; ";
  const double factor = distance > 0 ? half / distance : 1e9;
  const double wanted = std::ceil(processes * factor * factor);
  if (wanted <= most) return text + "about " + fixed(wanted, 0) + " processes a side would tell";
  return text + "more than " + std::to_string(most) + " processes a side would be needed to tell";
}

class Rule {
 public:
  Rule(const CompareOptions& options, const DeviceFacts& device)
      : options_(options), device_(device) {
    if (options.noise)
      for (const NoiseCase& one : options.noise->cases)
        calibrated_[one.id] = one.of(options.metric);
  }

  // A case that both sides have, and have measured.
  void judge(Compared& found, const Entry& base, const Entry& fresh) const {
    const auto insufficient = [&](std::string reason) {
      found.verdict = Verdict::insufficient;
      found.reason = std::move(reason);
    };
    const std::optional<Series> before = series_of(base, options_.metric);
    const std::optional<Series> after = series_of(fresh, options_.metric);
    found.notes = notes_of(base, fresh);
    found.threshold = options_.min_effect;
    if (!before || !after) {
      found.verdict = Verdict::not_comparable;
      found.reason = "a figure is out of the range of numbers";
      return;
    }
    const bool inverse = inverted(base, options_.metric);
    const int processes = std::min(before->processes(), after->processes());
    const Method method = method_of(processes);
    if (!before->all.empty()) found.base = figure_of(*before, inverse, method);
    if (!after->all.empty()) found.fresh = figure_of(*after, inverse, method);
    if (before->all.empty() || after->all.empty())
      return insufficient("the " + std::string(before->all.empty() ? "baseline" : "new side") +
                          " has no " + std::string(name(options_.metric)));

    if (options_.metric == Metric::energy && method != Method::welch)
      return insufficient("energy is one figure a process: it takes five a side, not " +
                          std::to_string(processes));
    const auto samples = std::min(before->all.size(), after->all.size());
    if (options_.metric != Metric::energy && samples < fewest_samples)
      return insufficient(counted(static_cast<std::int64_t>(samples), "sample", "samples") +
                          " on one side; it takes " + std::to_string(fewest_samples));

    RatioEstimate estimate;
    found.method = method;
    if (method == Method::welch) {
      estimate = welch_log_ratio(before->medians, after->medians, options_.confidence);
    } else {
      estimate = bootstrap_(before->all, after->all, options_.confidence);
      if (const std::optional<Floor> floor = floor_of(base, fresh)) {
        found.floor = floor->value;
        found.floor_source = floor->source;
        found.threshold = std::max(options_.min_effect, floor->value);
      }
    }
    const double worse = 1 + found.threshold;
    const double better = 1 / worse;
    if (estimate.interval.low > worse)
      found.verdict = Verdict::regression;
    else if (estimate.interval.high < better)
      found.verdict = Verdict::improvement;
    else if (estimate.interval.low >= better && estimate.interval.high <= worse)
      found.verdict = Verdict::same;
    else
      found.verdict = Verdict::inconclusive;
    found.ratio = inverse ? 1 / estimate.ratio : estimate.ratio;
    found.interval = inverse ? Interval{1 / estimate.interval.high, 1 / estimate.interval.low}
                             : estimate.interval;
    if (found.verdict == Verdict::inconclusive)
      found.reason = method == Method::welch
                         ? advice(found, processes)
                         : "the interval straddles the edge of the band; five processes a side "
                           "or more would show the noise between them";
  }

 private:
  std::optional<Floor> floor_of(const Entry& base, const Entry& fresh) const {
    if (options_.no_floor) return std::nullopt;
    if (const auto known = calibrated_.find(base.id); known != calibrated_.end() && known->second)
      return Floor{*known->second, "calibrated"};
    const Floor before = default_floor(base, device_);
    const Floor after = default_floor(fresh, device_);
    return before.value >= after.value ? before : after;
  }

  const CompareOptions& options_;
  const DeviceFacts& device_;
  std::unordered_map<std::string, std::optional<double>> calibrated_;
  MedianRatioBootstrap bootstrap_;
};

// Pairs of one id; null where a side has none.
struct Pair {
  const Entry* base = nullptr;
  const Entry* fresh = nullptr;
};

std::vector<Pair> matched(const Side& base, const Side& fresh) {
  std::vector<Pair> pairs;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const Entry& entry : base.entries) {
    places.emplace(entry.id, pairs.size());
    pairs.push_back({&entry, nullptr});
  }
  for (const Entry& entry : fresh.entries) {
    const auto place = places.find(entry.id);
    if (place == places.end())
      pairs.push_back({nullptr, &entry});
    else
      pairs[place->second].fresh = &entry;
  }
  return pairs;
}

// Why a case of the baseline is missing from the new documents, or nothing.
std::optional<std::string> missing(const Entry* fresh, const Side& side) {
  if (!fresh) return "not in the new documents";
  if (!fresh->why_not.empty()) return fresh->why_not;
  const auto documents = static_cast<int>(side.facts.files.size());
  if (fresh->documents < documents)
    return "in " + std::to_string(fresh->documents) + " of " + std::to_string(documents) +
           " new documents";
  return std::nullopt;
}

std::optional<std::string> contradiction(const Entry& base, const Entry& fresh) {
  for (const Entry* entry : {&base, &fresh})
    if (!entry->disagreement.empty()) return entry->disagreement;
  if (base.identity != fresh.identity)
    return base.identity + " in the baseline, " + fresh.identity + " now";
  if (base.unit != fresh.unit) return base.unit + " in the baseline, " + fresh.unit + " now";
  return std::nullopt;
}

Compared compared(const Pair& pair, const Rule& rule, const Side& fresh, Metric metric) {
  const Entry& known = pair.base ? *pair.base : *pair.fresh;
  Compared found;
  found.id = known.id;
  found.unit = unit_of(known, metric);
  found.less_is_better = !inverted(known, metric);
  const auto figure = [&](const Entry* entry) -> std::optional<Figure> {
    if (!entry || !entry->ok) return std::nullopt;
    const auto series = series_of(*entry, metric);
    if (!series || series->all.empty()) return std::nullopt;
    return figure_of(*series, inverted(*entry, metric), method_of(series->processes()));
  };
  if (!pair.base || !pair.base->ok) {
    found.verdict = Verdict::added;
    found.fresh = figure(pair.fresh);
    if (pair.base) found.reason = "the baseline: " + pair.base->why_not;
  } else if (auto reason = missing(pair.fresh, fresh)) {
    found.verdict = Verdict::missing;
    found.reason = std::move(*reason);
    found.base = figure(pair.base);
  } else if (auto reason = contradiction(*pair.base, *pair.fresh)) {
    found.verdict = Verdict::not_comparable;
    found.reason = std::move(*reason);
  } else {
    rule.judge(found, *pair.base, *pair.fresh);
  }
  return found;
}

void add_remarks(Comparison& comparison, const CompareOptions& options) {
  std::map<std::string, double> floors;
  bool bootstrapped = false;
  for (const Compared& found : comparison.cases) {
    if (found.method != Method::bootstrap) continue;
    bootstrapped = true;
    if (found.floor) {
      double& largest = floors[found.floor_source];
      largest = std::max(largest, *found.floor);
    }
  }
  if (!bootstrapped) {
    if (options.noise)
      comparison.remarks.push_back(
          "--noise was not used: with five processes a side the intervals carry the noise.");
    return;
  }
  std::string text =
      "A side has fewer than " + std::to_string(processes_for_welch) +
      " processes: the noise between processes is not seen, and the intervals are too narrow.";
  if (options.no_floor) {
    text += " --noise none: no floor stands in for it.";
  } else {
    std::vector<std::string> parts;
    for (const auto& [source, value] : floors)
      parts.push_back(source + (source == "calibrated" ? " up to " : " ") + percent_text(value));
    text += " A floor stands in for it: " + join(parts, ", ") + ".";
  }
  comparison.remarks.push_back(text + " 'gpubench run --processes " +
                               std::to_string(processes_for_welch) + "' measures it.");
}

}  // namespace

bool has_enough_samples(const Entry& entry) {
  std::size_t samples = 0;
  for (const ProcessFigures& process : entry.processes) samples += process.samples_s.size();
  return samples >= fewest_samples;
}

Comparison compare(const Side& base, const Side& fresh, const CompareOptions& options) {
  if (!options.ignore_device)
    check_same_device(base.device, base.facts.files.front(), fresh.device,
                      fresh.facts.files.front());
  if (base.of_ceilings != fresh.of_ceilings)
    throw Error(ExitCode::not_comparable,
                "no case in common: one side holds cases, the other ceilings alone");
  if (base.of_ceilings && options.metric != Metric::time && options.metric != Metric::energy)
    throw Error(ExitCode::not_comparable,
                "ceilings have no roof above them: compare them by time or energy");
  Comparison comparison;
  comparison.metric = options.metric;
  comparison.confidence = options.confidence;
  comparison.min_effect = options.min_effect;
  comparison.strict = options.strict;
  comparison.allow_missing = options.allow_missing;
  comparison.base = base.facts;
  comparison.fresh = fresh.facts;
  comparison.warnings = base.warnings;
  comparison.warnings.insert(comparison.warnings.end(), fresh.warnings.begin(),
                             fresh.warnings.end());
  if (options.noise && options.noise->device != base.facts.device)
    comparison.warnings.push_back("the noise was calibrated on " + options.noise->device);
  for (std::string& difference : setting_differences(base.device, fresh.device))
    comparison.warnings.push_back(std::move(difference));
  for (std::size_t i = 0; i < base.runs.size(); ++i)
    if (const auto same = std::ranges::find(fresh.runs, base.runs[i]); same != fresh.runs.end())
      comparison.warnings.push_back(
          base.facts.files[i] + " and " +
          fresh.facts.files[static_cast<std::size_t>(same - fresh.runs.begin())] +
          " are one run, on both sides");
  if (options.metric == Metric::percent_of_roof ||
      options.metric == Metric::percent_of_roof_at_clock) {
    const Side* const sides[] = {&base, &fresh};
    if (std::string warning = ceiling_differences(sides); !warning.empty())
      comparison.warnings.push_back(std::move(warning));
  }

  std::vector<Pair> pairs = matched(base, fresh);
  if (std::ranges::none_of(pairs, [](const Pair& pair) { return pair.base && pair.fresh; })) {
    // A filter may leave nothing of one side, be it the baseline.
    const auto [id, here, there] =
        pairs.front().base ? std::tuple(pairs.front().base->id, &base.facts, &fresh.facts)
                           : std::tuple(pairs.front().fresh->id, &fresh.facts, &base.facts);
    throw Error(ExitCode::not_comparable, "no case in common: '" + id + "' and the others of " +
                                              here->files.front() + " are not in " +
                                              there->files.front());
  }
  const auto never_ok = [](const Pair& pair) {
    return !(pair.base && pair.base->ok) && !(pair.fresh && pair.fresh->ok);
  };
  if (const auto count = std::erase_if(pairs, never_ok); count > 0)
    comparison.remarks.push_back(
        counted(static_cast<std::int64_t>(count), "case was", "cases were") +
        " measured on neither side.");

  const Rule rule(options, base.device);
  comparison.cases.resize(pairs.size());
#pragma omp parallel for schedule(dynamic, 256)
  for (std::size_t i = 0; i < pairs.size(); ++i)
    comparison.cases[i] = compared(pairs[i], rule, fresh, options.metric);
  add_remarks(comparison, options);
  return comparison;
}

}  // namespace gpubench
