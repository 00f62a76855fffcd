#include "cli/results_table.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/table.hpp"
#include "base/text.hpp"
#include "kernels/families.hpp"

namespace gpubench {
namespace {

// Cases that differ in nothing but the variant and those parameters that vary.
struct Group {
  std::vector<const CaseRecord*> cases;
  std::vector<std::string> varying;
};

std::vector<Group> grouped(std::span<const CaseRecord> cases) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, DType, CacheMode>, std::size_t> places;
  for (const CaseRecord& record : cases) {
    const auto [place, is_new] =
        places.try_emplace({record.family, record.dtype, record.cache}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].cases.push_back(&record);
  }
  for (Group& group : groups)
    for (const auto& [name, value] : group.cases.front()->parameters.values())
      if (std::any_of(group.cases.begin(), group.cases.end(), [&](const CaseRecord* record) {
            return record->parameters.get(name) != value;
          }))
        group.varying.push_back(name);
  return groups;
}

std::string heading(const Group& group, const DeviceFacts& device) {
  const CaseRecord& first = *group.cases.front();
  std::string text = first.family + " " + std::string(name(first.dtype));
  for (const auto& [name, value] : first.parameters.values())
    if (std::find(group.varying.begin(), group.varying.end(), name) == group.varying.end())
      text += " " + name + "=" + gpubench::text(value);
  return text + ", " + std::string(name(first.cache)) + " cache, on " + device.id + " (" +
         device.name + ")\n";
}

const CaseRecord* find_case(const Group& group, const CaseRecord& like, std::string_view variant) {
  for (const CaseRecord* record : group.cases)
    if (record->variant == variant && record->parameters == like.parameters && record->timing)
      return record;
  return nullptr;
}

const CaseRecord* reference_of(const Group& group, const CaseRecord& like) {
  for (const CaseRecord* record : group.cases)
    if (record->role == Role::reference && record->parameters == like.parameters && record->timing)
      return record;
  return nullptr;
}

std::string_view predecessor_of(const CaseRecord& record, DeviceKind device) {
  for (const VariantFacts& variant : find_family(record.family).variants())
    if (variant.name == record.variant && variant.dtype == record.dtype && variant.device == device)
      return variant.predecessor;
  return "";
}

std::string rate(double per_second, double unit) {
  return significant(per_second / unit, 4);
}

std::string remarks(const CaseRecord& record) {
  std::vector<std::string> parts = record.notes;
  if (record.transfer_share)
    parts.push_back(fixed(*record.transfer_share * 100, 0) + " % of the time is transfer");
  return join(parts, ", ");
}

// Half the 95 % interval of the median, in percent of it.
std::string spread(const Timing& timing) {
  if (!timing.median_ci95_s) return "";
  const double half = (timing.median_ci95_s->high - timing.median_ci95_s->low) / 2;
  return "±" + significant(half / timing.median_s * 100, 2) + "%";
}

std::vector<std::string> figures(const Group& group, const CaseRecord& record, DeviceKind device,
                                 double flops_unit) {
  const Timing& timing = *record.timing;
  std::vector<std::string> cells = {seconds_text(timing.median_s), spread(timing)};
  const bool flops = record.achieved && record.work.flops > 0;
  cells.push_back(flops ? rate(record.achieved->flops_per_s, flops_unit) : "");
  cells.push_back(record.achieved ? rate(record.achieved->bytes_per_s, 1e9) : "");
  cells.push_back(flops && record.achieved->arithmetic_intensity
                      ? significant(*record.achieved->arithmetic_intensity, 3)
                      : "");
  cells.push_back(record.telemetry.sm_clock_during_hz
                      ? fixed(*record.telemetry.sm_clock_during_hz / 1e6, 0)
                      : "");
  cells.push_back(record.roof ? record.roof->limited_by : "");
  cells.push_back(record.roof ? significant(record.roof->percent_of_roof, 3) : "");
  const CaseRecord* before = find_case(group, record, predecessor_of(record, device));
  cells.push_back(before ? significant(before->timing->median_s / timing.median_s, 3) + "x" : "");
  const CaseRecord* reference = reference_of(group, record);
  cells.push_back(reference && reference != &record
                      ? significant(reference->timing->median_s / timing.median_s * 100, 3)
                      : "");
  cells.push_back(record.verification && record.verification->max_abs_error
                      ? significant(*record.verification->max_abs_error, 2)
                      : "");
  return cells;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

template <class Value>
std::string csv_number(const std::optional<Value>& value) {
  return value ? shortest(static_cast<double>(*value)) : "";
}

// 66.1e12 flop/s -> "66.1 TFLOP/s".
std::string ceiling_value(double value, const std::string& unit) {
  if (unit == "byte/s") return significant(value / 1e9, 4) + " GB/s";
  if (unit == "flop/s")
    return significant(value / (value >= 1e12 ? 1e12 : 1e9), 4) +
           (value >= 1e12 ? " TFLOP/s" : " GFLOP/s");
  if (unit == "op/s")
    return significant(value / (value >= 1e12 ? 1e12 : 1e9), 4) +
           (value >= 1e12 ? " TOP/s" : " GOP/s");
  return seconds_text(value);
}

}  // namespace

std::string cases_table(std::span<const CaseRecord> cases, const DeviceFacts& device,
                        std::size_t width, bool verbose) {
  std::string out;
  for (const Group& group : grouped(cases)) {
    std::vector<Column> columns = {{"variant", false}};
    for (const std::string& parameter : group.varying) columns.push_back({parameter});
    const bool teraflops = std::ranges::any_of(group.cases, [](const CaseRecord* record) {
      return record->achieved && record->achieved->flops_per_s >= 1e12;
    });
    for (Column column : std::vector<Column>{{"time"},
                                             {"spread", true, 4},
                                             {teraflops ? "TFLOP/s" : "GFLOP/s", true, 9},
                                             {"GB/s", true, 8},
                                             {"FLOP/B", true, 2},
                                             {"MHz", true, 5},
                                             {"roof", false, 10},
                                             {"% roof"},
                                             {"vs prev", true, 7},
                                             {"% ref", true, 7},
                                             {"error", true, 3}})
      columns.push_back(std::move(column));
    if (verbose) columns.push_back({"GFLOP/J", true, 1});
    Table table(std::move(columns));
    for (const CaseRecord* record : group.cases) {
      std::vector<std::string> cells = {record->variant};
      for (const std::string& parameter : group.varying)
        cells.push_back(text(record->parameters.get(parameter)));
      if (record->status != CaseStatus::ok || !record->timing) {
        table.add(std::move(cells), std::string(name(record->status)) +
                                        (record->reason ? ": " + *record->reason : ""));
        continue;
      }
      for (std::string& cell : figures(group, *record, device.kind, teraflops ? 1e12 : 1e9))
        cells.push_back(std::move(cell));
      if (verbose && record->achieved && record->achieved->flops_per_j)
        cells.push_back(significant(*record->achieved->flops_per_j / 1e9, 4));
      table.add(std::move(cells), remarks(*record));
      for (const StageTime& stage : record->stages) {
        std::vector<std::string> row = {"  " + stage.name};
        row.resize(1 + group.varying.size());
        row.push_back(seconds_text(stage.median_s));
        table.add(std::move(row));
      }
    }
    if (!out.empty()) out += "\n";
    out += heading(group, device) + table.text(width);
  }
  return out;
}

std::string ceilings_line(std::span<const Ceiling> ceilings, std::span<const CaseRecord> cases) {
  std::string line;
  for (const Ceiling& ceiling : ceilings) {
    const bool used = std::ranges::any_of(cases, [&](const CaseRecord& record) {
      return record.roof && (record.roof->compute_ceiling == ceiling.name ||
                             record.roof->memory_ceiling == ceiling.name);
    });
    if (used && ceiling.value)
      line += (line.empty() ? "ceilings: " : ", ") + ceiling.name + " " +
              ceiling_value(*ceiling.value, ceiling.unit);
  }
  return line.empty() ? line : line + "\n\n";
}

std::string cases_csv(std::span<const CaseRecord> cases) {
  std::vector<std::string> parameters;  // of all families, in the order in which they come up
  for (const CaseRecord& record : cases)
    for (const auto& [name, value] : record.parameters.values())
      if (std::ranges::find(parameters, name) == parameters.end()) parameters.push_back(name);
  std::string out = "id,family,variant,role,dtype,cache,seed,";
  for (const std::string& parameter : parameters) out += parameter + ",";
  out +=
      "status,reason,median_s,ci95_low_s,ci95_high_s,min_s,max_s,mad_s,samples,flops,bytes,flops_"
      "per_s,bytes_per_s,"
      "arithmetic_intensity,limited_by,attainable_s,percent_of_roof,sm_clock_during_hz,power_w,max_"
      "abs_error,bound\n";
  for (const CaseRecord& record : cases) {
    const auto timing = [&](double Timing::*field) {
      return record.timing ? shortest((*record.timing).*field) : std::string();
    };
    const auto interval = [&](double Interval::*field) {
      return record.timing && record.timing->median_ci95_s
                 ? shortest((*record.timing->median_ci95_s).*field)
                 : std::string();
    };
    std::vector<std::string> cells = {record.id,
                                      record.family,
                                      record.variant,
                                      std::string(name(record.role)),
                                      std::string(name(record.dtype)),
                                      std::string(name(record.cache)),
                                      std::to_string(record.seed)};
    for (const std::string& parameter : parameters)
      cells.push_back(record.parameters.has(parameter) ? text(record.parameters.get(parameter))
                                                       : "");
    for (std::string cell :
         {std::string(name(record.status)),
          record.reason.value_or(""),
          timing(&Timing::median_s),
          interval(&Interval::low),
          interval(&Interval::high),
          timing(&Timing::min_s),
          timing(&Timing::max_s),
          timing(&Timing::mad_s),
          record.timing ? std::to_string(record.timing->samples_s.size()) : "",
          shortest(record.work.flops),
          shortest(record.work.bytes_read + record.work.bytes_written),
          record.achieved ? shortest(record.achieved->flops_per_s) : "",
          record.achieved ? shortest(record.achieved->bytes_per_s) : "",
          record.achieved ? csv_number(record.achieved->arithmetic_intensity) : "",
          record.roof ? record.roof->limited_by : "",
          record.roof ? shortest(record.roof->attainable_s) : "",
          record.roof ? shortest(record.roof->percent_of_roof) : "",
          csv_number(record.telemetry.sm_clock_during_hz),
          csv_number(record.telemetry.power_w),
          record.verification ? csv_number(record.verification->max_abs_error) : "",
          record.verification ? shortest(record.verification->bound) : ""})
      cells.push_back(std::move(cell));
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i ? "," : "") + csv_cell(cells[i]);
    out += "\n";
  }
  return out;
}

std::string ceilings_table(std::span<const Ceiling> ceilings, const DeviceFacts& device,
                           std::size_t width) {
  Table table({{"ceiling", false},
               {"value"},
               {"burst", true, 6},
               {"theoretical", true, 5},
               {"%", true, 5},
               {"% at clock", true, 4},
               {"MHz", true, 6},
               {"W", true, 3},
               {"spread", true, 4},
               {"how", false, 1}});
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.status != "ok" || !ceiling.value) {
      table.add({ceiling.name}, ceiling.status + ": " + ceiling.reason.value_or(""));
      continue;
    }
    const auto percent = [](const std::optional<double>& value) {
      return value ? significant(*value, 3) : "";
    };
    table.add({ceiling.name, ceiling_value(*ceiling.value, ceiling.unit),
               ceiling.burst ? ceiling_value(*ceiling.burst, ceiling.unit) : "",
               ceiling.theoretical ? ceiling_value(*ceiling.theoretical, ceiling.unit) : "",
               percent(ceiling.percent_of_theoretical),
               percent(ceiling.percent_of_theoretical_at_clock),
               ceiling.telemetry.sm_clock_during_hz
                   ? fixed(*ceiling.telemetry.sm_clock_during_hz / 1e6, 0)
                   : "",
               ceiling.telemetry.power_w ? fixed(*ceiling.telemetry.power_w, 0) : "",
               ceiling.timing ? spread(*ceiling.timing) : "", ceiling.technique});
  }
  return "ceilings of " + device.id + " (" + device.name + "), sustained\n" + table.text(width);
}

}  // namespace gpubench
