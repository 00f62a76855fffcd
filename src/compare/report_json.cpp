#include <nlohmann/json.hpp>

#include "compare/report.hpp"
#include "compare/report_parts.hpp"

namespace gpubench {
namespace {

using Json = nlohmann::ordered_json;

// "NOT COMPARABLE" -> "not_comparable".
std::string key(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c == ' ') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

Json number(const std::optional<double>& value) {
  const auto known = finite(value);
  return known ? Json(*known) : Json();
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json to_json(const std::optional<Figure>& figure) {
  if (!figure) return nullptr;
  return {{"value", number(figure->value)},
          {"processes", figure->processes},
          {"samples", figure->samples}};
}

Json to_json(const SideFacts& side) {
  return {{"files", side.files},
          {"device", side.device},
          {"git_commit", side.git_commit ? Json(*side.git_commit) : Json()},
          {"started_at", text_or_null(side.started_at)},
          {"processes", side.processes}};
}

Json method_name(const std::optional<Method>& method) {
  if (!method) return nullptr;
  return *method == Method::welch ? "welch" : "bootstrap";
}

Json to_json(const Comparison& comparison, const Compared& found) {
  const std::optional<Interval> interval = interval_of(found);
  return {{"id", found.id},
          {"verdict", key(name(found.verdict))},
          {"fails", fails(comparison, found.verdict)},
          {"reason", text_or_null(found.reason)},
          {"unit", found.unit},
          {"less_is_better", found.less_is_better},
          {"base", to_json(found.base)},
          {"new", to_json(found.fresh)},
          {"ratio", number(found.ratio)},
          {"ratio_interval", interval ? Json::array({interval->low, interval->high}) : Json()},
          {"method", method_name(found.method)},
          {"threshold", number(threshold_of(found))},
          {"floor", number(found.floor)},
          {"floor_source", text_or_null(found.floor_source)},
          {"notes", found.notes}};
}

std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  Json counts = Json::object();
  for (int i = 0; i <= static_cast<int>(Verdict::same); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    counts[key(name(verdict))] = count(comparison, verdict);
  }
  const Json head = {{"schema", "gpubench.comparison/1"},
                     {"outcome", key(outcome(comparison))},
                     {"exit_code", static_cast<int>(exit_code(comparison))},
                     {"metric", name(comparison.metric)},
                     {"confidence", number(comparison.confidence)},
                     {"min_effect", number(comparison.min_effect)},
                     {"strict", comparison.strict},
                     {"allow_missing", comparison.allow_missing},
                     {"base", to_json(comparison.base)},
                     {"new", to_json(comparison.fresh)},
                     {"warnings", comparison.warnings},
                     {"remarks", comparison.remarks},
                     {"counts", counts}};
  // A case a line, written one by one: a tree of 100,000 of them would take hundreds of megabytes.
  std::string out = text_of(head, 1);
  out.erase(out.rfind("\n}"));
  out += ",\n \"cases\": [";
  for (const Compared& found : comparison.cases)
    out += (&found == &comparison.cases.front() ? "\n  " : ",\n  ") +
           text_of(to_json(comparison, found), -1);
  return out + (comparison.cases.empty() ? "]\n}\n" : "\n ]\n}\n");
}

}  // namespace gpubench
