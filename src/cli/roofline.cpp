#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/plan.hpp"
#include "cli/results_table.hpp"
#include "cli/session.hpp"

namespace gpubench {
namespace {

// The core, or with --all or --ceiling the ceilings that are asked for, with their bursts and,
// where the data matters, on zeros too.
std::vector<Session::Wanted> wanted_ceilings(const Arguments& arguments, DeviceKind device) {
  std::vector<Session::Wanted> wanted;
  if (!arguments.all_ceilings && arguments.ceiling.empty()) {
    for (const std::string_view name : core_ceilings(device)) wanted.push_back({std::string(name)});
    return wanted;
  }
  const std::regex regex = compile_regex(arguments.ceiling);
  std::vector<std::string> names;
  for (const std::string_view name : ceiling_names(device)) {
    names.emplace_back(name);
    // Clocks move under arithmetic, with the power that its data costs; those of memory hold still.
    const CeilingSpec& spec = *find_spec(device, name);
    const bool burst = spec.scales_with_clock;
    if (std::regex_search(names.back(), regex))
      wanted.push_back({names.back(), DataPattern::random, burst});
    if (spec.uses_data && spec.unit != "byte/s" &&
        std::regex_search(names.back() + "_zeros", regex))
      wanted.push_back({names.back(), DataPattern::zeros, burst});
  }
  // What the core has only to say that this kind of device lacks it.
  for (const std::string_view name : core_ceilings(device)) {
    if (find_spec(device, name)) continue;
    names.emplace_back(name);
    if (std::regex_search(names.back(), regex)) wanted.push_back({names.back()});
  }
  if (wanted.empty())
    throw Error(ExitCode::usage, "no ceiling of " + std::string(name(device)) + " matches '" +
                                     arguments.ceiling + "'; there are " + join(names, ", "));
  return wanted;
}

}  // namespace

ExitCode command_roofline(const Arguments& arguments) {
  Session session(arguments);
  Progress opening(0, arguments.verbosity);
  session.open(opening);
  const auto wanted = wanted_ceilings(arguments, session.device().facts().kind);
  Progress progress(wanted.size(), arguments.verbosity);
  session.measure_ceilings(wanted, progress);
  Document& document = session.document();
  session.finish(ceilings_table(document.ceilings, document.device, output_width()));
  if (interrupted()) throw Interrupted();
  for (const Ceiling& ceiling : document.ceilings)
    if (ceiling.status == "failed")
      throw Error(ExitCode::failed, ceiling.name + ": " + ceiling.reason.value_or("failed"));
  if (std::ranges::all_of(document.ceilings,
                          [](const Ceiling& ceiling) { return ceiling.status != "ok"; }))
    throw Error(ExitCode::no_device,
                "nothing could be measured: " + document.ceilings.front().name + ": " +
                    document.ceilings.front().reason.value_or("skipped"));
  return ExitCode::ok;
}

}  // namespace gpubench
