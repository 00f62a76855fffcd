// The format: https://github.com/benchmark-action/github-action-benchmark, "Use this action with a
// custom benchmark tool".
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "compare/report.hpp"
#include "compare/report_parts.hpp"

namespace gpubench {
namespace {

using Json = nlohmann::ordered_json;

// Half the interval of the ratio, in percent of it: how sure the change is.
std::optional<std::string> range_of(const Compared& found) {
  const auto interval = interval_of(found);
  const auto ratio = finite(found.ratio);
  if (!interval || !ratio || !(*ratio > 0)) return std::nullopt;
  const auto half = finite((interval->high - interval->low) / 2 / *ratio * 100);
  if (!half) return std::nullopt;
  return "± " + significant(*half, 2) + " %";
}

Json entry(const Compared& found) {
  Json json = {{"name", found.id}, {"unit", found.unit}, {"value", *value_of(found.fresh)}};
  if (const auto range = range_of(found)) json["range"] = *range;
  json["extra"] = std::string(name(found.verdict)) + ": " + sentence(found);
  return json;
}

}  // namespace

std::string comparison_github_action_benchmark(const Comparison& comparison) {
  // A file has one direction. Of a device's ceilings that is the rates': its latencies, of which
  // less is better, are left out.
  const bool less_is_better = std::ranges::none_of(comparison.cases, [](const Compared& found) {
    return value_of(found.fresh) && !found.less_is_better;
  });
  std::string out = "[";
  for (const Compared& found : comparison.cases)
    if (value_of(found.fresh) && found.less_is_better == less_is_better)
      out += (out.size() == 1 ? "\n " : ",\n ") +
             entry(found).dump(-1, ' ', false, Json::error_handler_t::replace);
  return out + (out.size() == 1 ? "]\n" : "\n]\n");
}

}  // namespace gpubench
