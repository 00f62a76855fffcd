#include "cli/compare_arguments.hpp"

#include "base/text.hpp"
#include "cli/usage_errors.hpp"

namespace gpubench {
namespace {

constexpr const char* footer =
    R"(Documents are those of 'gpubench run --json' (or 'roofline --json': ceilings are then compared).
  gpubench compare base.json new.json
  gpubench compare --base a.json b.json --new c.json d.json
  gpubench compare --calibrate a1.json a2.json a3.json -o noise.json

Exit codes: 0 no regression, 1 at least one (or a case is missing), 2 usage, 4 nothing to compare with,
or not comparable, 5 a file that cannot be read or written. docs/ci.md explains the rule.)";

double percent_of(std::string_view option, const std::string& text, double least, double most) {
  const auto value = parse_number(text);
  if (!value || !(*value >= least) || !(*value <= most))
    usage_error(std::string(option) + " takes percent between " + shortest(least) + " and " +
                shortest(most) + ", not '" + text + "'");
  return *value;
}

Metric metric_of(const std::string& text) {
  std::vector<std::string> names;
  for (const Metric metric :
       {Metric::time, Metric::percent_of_roof, Metric::percent_of_roof_at_clock, Metric::energy}) {
    if (name(metric) == text) return metric;
    names.emplace_back(name(metric));
  }
  usage_error("--metric takes " + join(names, ", ") + ", not '" + text + "'");
}

void add_option(CLI::App& app, const char* option, std::string& target, const char* type,
                const char* help) {
  app.add_option(option, target, help)->type_name(type);
}

}  // namespace

CLI::App* add_compare(CLI::App& parent, Arguments& all, CompareTexts& texts) {
  CompareArguments& arguments = all.compare;
  CLI::App* app = parent.add_subcommand("compare", "the CI gate: is the new document slower?");
  app->footer(footer);
  app->add_option("documents", texts.documents, "BASE NEW")->type_name("FILE");
  app->add_option("--base", arguments.base, "documents of the baseline")->type_name("FILES");
  app->add_option("--new", arguments.fresh, "the new documents")->type_name("FILES");
  add_option(*app, "--metric", texts.metric, "METRIC",
             "time, percent-of-roof, percent-of-roof-at-clock or energy (default time)");
  add_option(*app, "--min-effect", texts.min_effect, "PERCENT",
             "smaller differences are none (default 2)");
  add_option(*app, "--confidence", texts.confidence, "PERCENT", "of the intervals (default 95)");
  add_option(*app, "--filter", arguments.filter, "REGEX",
             "only cases whose id this regular expression finds");
  add_option(*app, "--noise", arguments.noise, "FILE",
             "floors for fewer than five processes a side, as --calibrate writes them; none: no "
             "floor (default: by kind of case)");
  app->add_flag("--strict", arguments.options.strict,
                "inconclusive and insufficient cases fail too");
  app->add_flag("--allow-missing", arguments.options.allow_missing,
                "a case that is missing, or not ok any more, does not fail");
  app->add_flag("--ignore-device", arguments.options.ignore_device,
                "compare documents of different devices all the same");
  app->add_flag("--init-baseline", arguments.init_baseline,
                "where BASE does not exist, NEW becomes the baseline");
  app->add_option("--calibrate", arguments.calibrate,
                  "how far runs of one build differ: documents of it, instead of two sides")
      ->type_name("FILES");
  add_option(*app, "-o,--output", arguments.noise_output, "FILE",
             "of --calibrate: write the floors to FILE, or to standard output for -");
  app->add_flag("-v,--verbose", texts.verbose, "list the cases that are the same, too");
  add_option(
      *app, "--json", all.json, "FILE",
      "write the comparison (docs/comparison.schema.json) to FILE, or to standard output for -");
  add_option(*app, "--markdown", arguments.markdown, "FILE",
             "write a pull-request comment to FILE, or to standard output for -");
  add_option(*app, "--junit", arguments.junit, "FILE", "write JUnit XML");
  add_option(*app, "--github-action-benchmark", arguments.github_action_benchmark, "FILE",
             "write what the action github-action-benchmark reads");
  return app;
}

void read_compare_texts(const CLI::App& app, const CompareTexts& texts, Arguments& arguments) {
  CompareArguments& compare = arguments.compare;
  CompareOptions& options = compare.options;
  if (texts.verbose) arguments.verbosity = Verbosity::verbose;
  options.metric = metric_of(texts.metric);
  options.min_effect = percent_of("--min-effect", texts.min_effect, 0, 1000) / 100;
  options.confidence = percent_of("--confidence", texts.confidence, 50, 99.999) / 100;
  options.no_floor = compare.noise == "none";
  if (!compare.calibrate.empty()) {
    if (!texts.documents.empty() || !compare.base.empty() || !compare.fresh.empty())
      usage_error("--calibrate takes documents of one build, and no two sides");
    for (const std::string option :
         {"--metric", "--min-effect", "--confidence", "--noise", "--strict", "--allow-missing",
          "--init-baseline", "--markdown", "--junit", "--github-action-benchmark", "--json"})
      if (app.count(option) > 0) usage_error("--calibrate and " + option + " exclude each other");
    return;
  }
  if (!compare.noise_output.empty())
    usage_error(
        "-o belongs to --calibrate; a comparison is written by --json, --markdown, --junit");
  if (!texts.documents.empty()) {
    if (!compare.base.empty() || !compare.fresh.empty())
      usage_error("give two documents, BASE NEW, or --base FILES --new FILES, not both");
    if (texts.documents.size() != 2)
      usage_error("compare takes two documents, BASE NEW, not " +
                  std::to_string(texts.documents.size()) +
                  "; several a side go behind --base and --new");
    compare.base = {texts.documents[0]};
    compare.fresh = {texts.documents[1]};
  }
  if (compare.base.empty() || compare.fresh.empty())
    usage_error(compare.base.empty() && compare.fresh.empty()
                    ? "compare needs two documents: gpubench compare base.json new.json"
                    : std::string(compare.base.empty() ? "--base" : "--new") +
                          " is missing: which documents are the other side?");
  if (compare.init_baseline && (compare.base.size() != 1 || compare.fresh.size() != 1))
    usage_error("--init-baseline takes one document a side");
}

}  // namespace gpubench
