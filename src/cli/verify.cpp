#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "base/interrupt.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/plan.hpp"
#include "cli/run_case.hpp"
#include "cli/session.hpp"
#include "kernels/families.hpp"

namespace gpubench {
namespace {

std::vector<PlannedCase> plan_verify(const Arguments& arguments, DeviceKind device) {
  std::vector<const Family*> chosen;
  if (arguments.family == "all") {
    chosen.assign(families().begin(), families().end());
  } else {
    chosen.push_back(&find_family(arguments.family));
  }
  std::vector<PlannedCase> plan;
  double smallest = std::numeric_limits<double>::infinity();  // bytes, of the shapes looked at
  for (const Family* family : chosen) {
    const auto variants = select_variants(*family, arguments.variant, arguments.dtypes, device);
    for (const VerifyShape& shape : family->verify_shapes()) {
      if (shape.cuda_only && device != DeviceKind::cuda) continue;
      ParameterSet given;
      for (const auto& [name, value] : shape.parameters) given.set(name, value);
      const ParameterSet parameters = complete(family->parameters(), given, device);
      for (const std::size_t variant : variants) {
        const double bytes = total_bytes(*family->instantiate(variant, parameters));
        smallest = std::min(smallest, bytes);
        if (arguments.max_bytes && bytes > *arguments.max_bytes) continue;
        for (const InputKind input : shape.inputs)
          plan.push_back(
              plan_case(*family, variant, parameters, CacheMode::warm, input, arguments.seed));
      }
    }
  }
  if (plan.empty() && arguments.max_bytes && std::isfinite(smallest))
    nothing_small_enough(*arguments.max_bytes, smallest);
  if (plan.empty()) nothing_selected(chosen, arguments.variant, arguments.dtypes, device);
  return plan;
}

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
  std::string first_failure, first_skip;
};

std::string summary_table(const std::vector<CaseRecord>& cases) {
  std::vector<std::string> order;
  std::map<std::string, Counts> by_variant;
  for (const CaseRecord& record : cases) {
    const std::string key =
        record.family + "/" + record.variant + " " + std::string(name(record.dtype));
    if (!by_variant.contains(key)) order.push_back(key);
    Counts& counts = by_variant[key];
    switch (record.status) {
      case CaseStatus::ok:
        ++counts.passed;
        break;
      case CaseStatus::skipped:
        ++counts.skipped;
        if (counts.first_skip.empty())
          counts.first_skip = record.id + ": " + record.reason.value_or("");
        break;
      default:
        ++counts.failed;
        if (counts.first_failure.empty())
          counts.first_failure = record.id + ": " + record.reason.value_or("");
    }
  }
  Table table({{"variant", false}, {"passed"}, {"failed"}, {"skipped"}, {"", false}});
  for (const std::string& key : order) {
    const Counts& counts = by_variant[key];
    table.add({key, std::to_string(counts.passed), std::to_string(counts.failed),
               std::to_string(counts.skipped),
               counts.failed ? counts.first_failure : counts.first_skip});
  }
  return table.text(output_width());
}

}  // namespace

ExitCode command_verify(const Arguments& arguments) {
  Session session(arguments);
  Progress opening(0, arguments.verbosity);
  session.open(opening);
  const std::vector<PlannedCase> plan = plan_verify(arguments, session.device().facts().kind);
  Document& document = session.document();
  Progress progress(plan.size(), arguments.verbosity);
  for (const PlannedCase& planned : plan) {
    if (interrupted()) break;
    progress.start(planned.id);
    document.cases.push_back(verify_case(session.device(), planned, VerifyMode::sampled));
    const CaseRecord& record = document.cases.back();
    progress.finish(record.status == CaseStatus::ok
                        ? "passed"
                        : std::string(name(record.status)) + ": " + record.reason.value_or(""));
  }
  session.finish(summary_table(document.cases));
  if (interrupted()) throw Interrupted();
  const auto has = [&](CaseStatus status) {
    return std::any_of(document.cases.begin(), document.cases.end(),
                       [&](const CaseRecord& record) { return record.status == status; });
  };
  if (has(CaseStatus::failed)) return ExitCode::failed;
  if (!has(CaseStatus::ok))
    throw Error(ExitCode::no_device,
                "nothing could run: " + document.cases.front().reason.value_or(""));
  return ExitCode::ok;
}

}  // namespace gpubench
