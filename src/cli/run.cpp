#include <algorithm>
#include <string>

#include "base/interrupt.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/plan.hpp"
#include "cli/processes.hpp"
#include "cli/results_table.hpp"
#include "cli/run_case.hpp"
#include "cli/session.hpp"

namespace gpubench {
namespace {

// A shape that no variant takes is a mistake on the command line, not a list of skipped cases.
void refuse_shapes_nobody_takes(const std::vector<PlannedCase>& plan) {
  std::string reason;
  for (const PlannedCase& planned : plan) {
    const auto why =
        planned.family->instantiate(planned.variant, planned.parameters)->unsupported();
    if (!why) return;
    if (reason.empty())
      reason =
          std::string(planned.family->name()) + "/" + std::string(planned.facts.name) + ": " + *why;
  }
  throw Error(ExitCode::usage, "no variant takes these parameters; " + reason);
}

std::string plan_table(Device& device, const std::vector<PlannedCase>& plan) {
  Table table({{"case", false}, {"FLOPs"}, {"bytes"}, {"memory"}, {"", false}});
  const double free = static_cast<double>(device.free_bytes());
  for (const PlannedCase& planned : plan) {
    check_interrupt();
    const auto instance = planned.family->instantiate(planned.variant, planned.parameters);
    const Work work = instance->work();
    const auto reason = cannot_run(device, planned, *instance, free);
    table.add({planned.id, shortest(work.flops), shortest(work.bytes_read + work.bytes_written),
               bytes_text(total_bytes(*instance)), reason ? "will be skipped: " + *reason : ""});
  }
  return counted(static_cast<std::int64_t>(plan.size()), "case on ", "cases on ") +
         device.facts().id + " (" + device.facts().name + ")\n" + table.text(output_width());
}

CaseOptions case_options(const Arguments& arguments) {
  CaseOptions options;
  if (arguments.samples) options.measure.min_samples = *arguments.samples;
  if (arguments.max_s) options.measure.max_s = *arguments.max_s;
  options.warmup_s = arguments.warmup_s;
  options.verify = arguments.verify;
  return options;
}

std::string result_text(const CaseRecord& record) {
  if (!record.timing) return std::string(name(record.status)) + ": " + record.reason.value_or("");
  std::string text = seconds_text(record.timing->median_s);
  if (record.roof) text += ", " + significant(record.roof->percent_of_roof, 3) + " % of roof";
  return text;
}

// Says what is wrong with cases.
void note_faults(const std::vector<CaseRecord>& cases, Progress& progress) {
  for (const CaseRecord& record : cases) {
    if (record.status == CaseStatus::failed)
      progress.note(record.id + ": " + record.reason.value_or("failed"));
    if (record.roof && record.roof->above_roof)
      progress.note(
          record.id + " is above its roof (" + significant(record.roof->percent_of_roof, 4) +
          " %): the ceiling or the work model is wrong (caches that no ceiling is measured "
          "for, other work on the device while the ceiling was measured, a clock above the "
          "ceiling's, bytes that are counted and not moved)");
  }
  const auto without = std::ranges::count_if(cases, [](const CaseRecord& record) {
    return std::ranges::find(record.notes, "no_ceiling") != record.notes.end();
  });
  if (without > 0)
    progress.note(counted(without, "case has", "cases have") +
                  " no roof, for want of a ceiling: 'gpubench roofline --all --json FILE' measures "
                  "all that the device has, --ceilings FILE takes them from there");
}

// 1 where an answer was wrong or a launch failed, 3 where nothing could run, else 0.
ExitCode verdict(const std::vector<CaseRecord>& cases) {
  const auto count = [&](CaseStatus status) {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const CaseRecord& record) { return record.status == status; });
  };
  if (count(CaseStatus::failed) > 0) return ExitCode::failed;
  if (count(CaseStatus::ok) == 0)
    throw Error(ExitCode::no_device, "nothing could run: " + cases.front().id + ": " +
                                         cases.front().reason.value_or(""));
  return ExitCode::ok;
}

// Writes and prints what was measured, and judges it.
ExitCode finish(Session& session, const Arguments& arguments) {
  const Document& document = session.document();
  session.finish(ceilings_line(document.ceilings, document.cases) +
                 cases_table(document.cases, document.device, output_width(),
                             arguments.verbosity == Verbosity::verbose));
  if (document.status == Document::Status::interrupted) throw Interrupted();
  return verdict(document.cases);
}

// Only when all is timed: a process that CUPTI has been attached to launches more slowly.
void cross_check_cases(Session& session, const std::vector<PlannedCase>& plan,
                       ActivityTracer& tracer, Progress& progress) {
  std::vector<CaseRecord>& cases = session.document().cases;
  for (std::size_t i = 0; i < cases.size() && !interrupted(); ++i) {
    progress.start("cross-check of " + cases[i].id);
    const std::string line = cross_check_case(session.device(), plan[i], tracer, cases[i]);
    progress.finish(line.empty() ? "not made" : name(cases[i].status));
    if (!line.empty() && cases[i].status == CaseStatus::ok)
      progress.note(cases[i].id + ": " + line);
  }
}

ExitCode run_in_processes(const Arguments& arguments) {
  Session session(arguments);
  Progress progress(static_cast<std::size_t>(arguments.processes), arguments.verbosity);
  ProcessesResult result = run_processes(arguments, progress);
  if (!result.document) return result.code;
  Document& document = session.document();
  document = std::move(*result.document);
  document.command = arguments.command_line;
  note_faults(document.cases, progress);
  return finish(session, arguments);
}

}  // namespace

ExitCode command_run(const Arguments& arguments) {
  if (arguments.processes > 1) return run_in_processes(arguments);
  Session session(arguments);
  Progress opening(0, arguments.verbosity);
  session.open(opening);
  const std::vector<PlannedCase> plan = plan_run(arguments, session.device().facts().kind);
  refuse_shapes_nobody_takes(plan);
  const auto tracer = arguments.cross_check ? open_activity_tracer(session.device()) : nullptr;
  if (arguments.dry_run) return print_output(plan_table(session.device(), plan));

  Document& document = session.document();
  const std::size_t ceilings =
      arguments.ceilings.empty() ? core_ceilings(session.device().facts().kind).size() : 0;
  Progress progress((tracer ? 2 : 1) * plan.size() + ceilings, arguments.verbosity);
  session.measure_ceilings(progress);
  const CaseOptions options = case_options(arguments);
  for (const PlannedCase& planned : plan) {
    if (interrupted()) break;
    progress.start(planned.id);
    document.cases.push_back(run_case(session.device(), planned, document.ceilings, options));
    progress.finish(result_text(document.cases.back()));
  }
  if (tracer) cross_check_cases(session, plan, *tracer, progress);
  note_faults(document.cases, progress);
  return finish(session, arguments);
}

}  // namespace gpubench
