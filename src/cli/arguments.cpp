#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "cli/compare_arguments.hpp"
#include "cli/usage_errors.hpp"
#include "document/build_info/build_info.hpp"
#include "kernels/families.hpp"

namespace gpubench {
namespace {

// Option texts as CLI11 collects them; read and checked after parsing, so that every message is
// ours.
struct Texts {
  std::string dtypes, cache = "warm", samples, max_seconds, warmup_seconds, seed = "1",
                      verify = "sampled", max_bytes, processes;
  bool quiet = false, verbose = false, list = false;
  std::map<std::string, std::string> parameters;  // of the one family that was chosen
};

constexpr std::int64_t most_processes = 1000;

template <class Value>
Value choose(std::string_view option, const std::string& text,
             const std::vector<std::pair<std::string, Value>>& allowed) {
  std::vector<std::string> names;
  for (const auto& [name, value] : allowed) {
    if (name == text) return value;
    names.push_back(name);
  }
  usage_error(std::string(option) + " takes " + join(names, ", ") + ", not '" + text + "'");
}

double seconds_of(std::string_view option, const std::string& text) {
  const auto value = parse_number(text);
  if (!value || *value < 0 || *value > 3600)
    usage_error(std::string(option) + " takes seconds between 0 and 3600, not '" + text + "'");
  return *value;
}

std::int64_t integer_of(std::string_view option, const std::string& text, std::int64_t minimum,
                        std::int64_t maximum) {
  const auto value = parse_integer(text);
  if (!value || *value < minimum || *value > maximum)
    usage_error(std::string(option) + " takes a whole number from " + std::to_string(minimum) +
                " to " + std::to_string(maximum) + ", not '" + text + "'");
  return *value;
}

void read_texts(const Texts& texts, Arguments& arguments) {
  for (std::size_t begin = 0; !texts.dtypes.empty() && begin <= texts.dtypes.size();) {
    const std::size_t end = std::min(texts.dtypes.find(',', begin), texts.dtypes.size());
    arguments.dtypes.push_back(choose<DType>(
        "--dtype", texts.dtypes.substr(begin, end - begin),
        {{"f32", DType::f32}, {"f16", DType::f16}, {"bf16", DType::bf16}, {"f64", DType::f64}}));
    begin = end + 1;
  }
  arguments.cache = choose<CacheMode>("--cache", texts.cache,
                                      {{"warm", CacheMode::warm}, {"cold", CacheMode::cold}});
  arguments.verify = choose<VerifyMode>(
      "--verify", texts.verify,
      {{"sampled", VerifyMode::sampled}, {"full", VerifyMode::full}, {"off", VerifyMode::off}});
  if (!texts.samples.empty())
    arguments.samples = static_cast<int>(integer_of("--samples", texts.samples, 1, 1'000'000));
  if (!texts.processes.empty())
    arguments.processes =
        static_cast<int>(integer_of("--processes", texts.processes, 1, most_processes));
  if (!texts.max_seconds.empty()) arguments.max_s = seconds_of("--max-seconds", texts.max_seconds);
  if (!texts.warmup_seconds.empty())
    arguments.warmup_s = seconds_of("--warmup-seconds", texts.warmup_seconds);
  arguments.seed = static_cast<std::uint64_t>(
      integer_of("--seed", texts.seed, 0, std::numeric_limits<std::int64_t>::max()));
  if (!texts.max_bytes.empty())
    arguments.max_bytes = static_cast<double>(
        integer_of("--max-bytes", texts.max_bytes, 1, std::numeric_limits<std::int64_t>::max()));
  if (texts.quiet && texts.verbose) usage_error("-q and -v exclude each other");
  arguments.verbosity = texts.quiet     ? Verbosity::quiet
                        : texts.verbose ? Verbosity::verbose
                                        : Verbosity::normal;
}

void add_device(CLI::App& app, Arguments& arguments) {
  app.add_option("--device", arguments.device,
                 "auto (the first usable GPU, else the host), cuda, cuda:N or host")
      ->capture_default_str();
}

void add_outputs(CLI::App& app, Arguments& arguments, Texts& texts) {
  app.add_option("--json", arguments.json,
                 "write the results document to FILE, or to standard output for -")
      ->type_name("FILE");
  app.add_flag("-q,--quiet", texts.quiet, "no notes and no progress on standard error");
  app.add_flag("-v,--verbose", texts.verbose,
               "a line on standard error for each finished case; run also shows FLOPs a joule");
}

void add_selection(CLI::App& app, Arguments& arguments, Texts& texts) {
  app.add_option("--variant", arguments.variant,
                 "only variants whose name this regular expression finds")
      ->type_name("REGEX");
  app.add_option("--dtype", texts.dtypes, "only these element types: f32, f16, ... (a comma list)")
      ->type_name("TYPES");
  app.add_option("--seed", texts.seed, "seed of the random inputs")
      ->type_name("N")
      ->capture_default_str();
}

void add_run_options(CLI::App& app, Arguments& arguments, Texts& texts) {
  add_device(app, arguments);
  add_selection(app, arguments, texts);
  app.add_option("--cache", texts.cache,
                 "warm: launches back to back; cold: the L2 swept before each launch")
      ->type_name("MODE")
      ->capture_default_str();
  app.add_option("--samples", texts.samples,
                 "fewest samples a case, unless the time budget ends it (default 20)")
      ->type_name("N");
  app.add_option("--max-seconds", texts.max_seconds,
                 "time budget for the samples of a case (default 3)")
      ->type_name("S");
  app.add_option("--warmup-seconds", texts.warmup_seconds,
                 "load before the first sample (default 0.4)")
      ->type_name("S");
  app.add_option("--verify", texts.verify, "check outputs: sampled, full or off")
      ->type_name("MODE")
      ->capture_default_str();
  app.add_option(
         "--ceilings", arguments.ceilings,
         "take the ceilings from this document (of the same device) instead of measuring them")
      ->type_name("FILE");
  app.add_option("--config", arguments.config,
                 "run the suite in this JSON file (docs/suite.schema.json)")
      ->type_name("FILE");
  app.add_option(
         "--processes", texts.processes,
         "measure everything in K fresh processes, one after the other, and keep the samples "
         "of each (default 1): the noise between processes shows only so")
      ->type_name("K");
  app.add_flag("--dry-run", arguments.dry_run, "print the plan and measure nothing");
  app.add_flag(
      "--cross-check", arguments.cross_check,
      "afterwards record the launches with CUPTI as well; a case whose events disagree with "
      "the records fails");
  app.add_option("--csv", arguments.csv, "write a row a case to FILE, or to standard output for -")
      ->type_name("FILE");
  add_outputs(app, arguments, texts);
}

std::string parameter_help(const Parameter& parameter) {
  std::string help(parameter.help);
  switch (parameter.kind) {
    case Parameter::Kind::integer:
      help += " (" + std::to_string(parameter.minimum) + " to " +
              std::to_string(parameter.maximum) + "; default ";
      if (!parameter.default_same_as.empty())
        help += "that of --" + std::string(parameter.default_same_as);
      else if (parameter.cuda_default == parameter.host_default || parameter.host_default == 0)
        help += std::to_string(parameter.cuda_default);
      else
        help += std::to_string(parameter.cuda_default) + ", on the host " +
                std::to_string(parameter.host_default);
      return help + ")";
    case Parameter::Kind::boolean:
      return help + " (default " + (parameter.cuda_default ? "true" : "false") + ")";
    case Parameter::Kind::choice:
      break;
  }
  std::vector<std::string> choices(parameter.choices.begin(), parameter.choices.end());
  return help + " (" + join(choices, ", ") + ")";
}

std::string inherited(const std::string& command) {
  return "The options of 'gpubench " + command + "' apply as well: gpubench " + command + " --help";
}

CLI::App* add_family(CLI::App& parent, const Family& family, Texts& texts) {
  CLI::App* app = parent.add_subcommand(std::string(family.name()), std::string(family.summary()));
  app->fallthrough();
  for (const Parameter& parameter : family.parameters()) {
    const std::string name(parameter.name);
    if (parameter.kind == Parameter::Kind::boolean) {
      app->add_flag("--" + name, texts.parameters[std::string(family.name()) + " " + name],
                    parameter_help(parameter) + "; --" + name + "=false,true sweeps");
    } else {
      app->add_option("--" + name, texts.parameters[std::string(family.name()) + " " + name],
                      parameter_help(parameter))
          ->type_name("VALUES");
    }
  }
  for (const ParameterAlias& alias : family.aliases())
    app->add_option("--" + std::string(alias.name),
                    texts.parameters[std::string(family.name()) + " " + std::string(alias.name)],
                    std::string(alias.help))
        ->type_name("VALUES");
  app->footer(
      "VALUES: a number, a list 1,2,3, or a sweep start:stop:step or start:stop:*factor; several "
      "sweeps multiply.\n" +
      inherited("run"));
  return app;
}

constexpr const char* examples = R"(Examples:
  gpubench info                                  the device, driver, clocks and permissions
  gpubench list attention                        the variants of a family, each with its idea
  gpubench roofline                              the device's ceilings
  gpubench run attention --N 4096 --D 128        every variant of a family, proven, timed, under its roof
  gpubench run matmul --size 512:8192:*2 --variant cublas --csv -
  gpubench run --config configs/smoke.json --json out.json
  gpubench verify all                            correctness only, over odd shapes and special inputs
  gpubench compare base.json new.json            the CI gate: a table, and an exit code

Exit codes: 0 ok, 1 a regression or a failed verification, 2 usage, 3 no usable device or nothing could run,
4 nothing to compare with, or documents that do not fit, 5 input/output, 130 interrupted.)";

}  // namespace

ParsedCommandLine parse_command_line(int argc, const char* const* argv) {
  ParsedCommandLine parsed;
  Arguments& arguments = parsed.arguments;
  Texts texts;
  CLI::App app(
      "gpubench measures a device's ceilings, proves and times kernels, and places them under the "
      "roof.",
      "gpubench");
  app.footer(examples);
  app.set_version_flag("--version", [] {
    const BuildInfo& info = build_info();
    std::string text = "gpubench " + info.version;
    if (info.git_commit)
      text += " (" + info.git_commit->substr(0, 12) +
              (info.git_dirty.value_or(false) ? ", modified)" : ")");
    text += "\n" + info.compiler + ", " + info.build_type;
    text += info.cuda_toolkit
                ? ", CUDA " + *info.cuda_toolkit + " for " + join(info.cuda_architectures, " ")
                : ", without CUDA";
    return text;
  });
  app.add_flag("--list", texts.list, "the same as 'gpubench list'");
  app.require_subcommand(0, 1);

  CLI::App* info =
      app.add_subcommand("info", "what device, driver, clocks and permissions there are");
  add_device(*info, arguments);
  CLI::App* list = app.add_subcommand("list", "families, variants, parameters, requirements");
  list->add_option("family", arguments.family, "only this family");
  CLI::App* roofline = app.add_subcommand("roofline", "measure the ceilings of a device");
  add_device(*roofline, arguments);
  add_outputs(*roofline, arguments, texts);
  roofline->add_flag("--all", arguments.all_ceilings,
                     "every ceiling, with its burst (about 40 seconds)");
  roofline
      ->add_option("--ceiling", arguments.ceiling,
                   "the ceilings whose name this regular expression finds, instead of the core")
      ->type_name("REGEX")
      ->excludes("--all");
  CLI::App* run = app.add_subcommand("run", "prove and time variants, each against its roof");
  add_run_options(*run, arguments, texts);
  run->require_subcommand(0, 1);
  run->footer("Each family has parameters of its own: gpubench run FAMILY --help");
  CLI::App* verify = app.add_subcommand(
      "verify", "correctness only: odd shapes and special inputs against the oracle");
  add_device(*verify, arguments);
  add_selection(*verify, arguments, texts);
  verify
      ->add_option("--max-bytes", texts.max_bytes,
                   "leave out shapes whose buffers take more (under compute-sanitizer, say)")
      ->type_name("N");
  add_outputs(*verify, arguments, texts);
  verify->require_subcommand(0, 1);
  CompareTexts compare_texts;
  CLI::App* compare = add_compare(app, arguments, compare_texts);
  for (const Family* family : families()) {
    add_family(*run, *family, texts);
    verify->add_subcommand(std::string(family->name()), std::string(family->summary()))
        ->fallthrough()
        ->footer(inherited("verify"));
  }
  run->add_subcommand("all", "every family at its default size")
      ->fallthrough()
      ->footer(inherited("run"));
  verify->add_subcommand("all", "every family")->fallthrough()->footer(inherited("verify"));

  for (int i = 1; i < argc; ++i) {
    // CLI11 would take the next word for the value.
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      usage_error("'" + std::string(word) + "' has no value behind the '='");
  }
  for (int i = 0; i < argc; ++i) arguments.command_line.emplace_back(i == 0 ? "gpubench" : argv[i]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    parsed.print = app.help();  // of the deepest subcommand that was reached
    return parsed;
  } catch (const CLI::CallForVersion& version) {
    parsed.print = std::string(version.what()) + "\n";
    return parsed;
  } catch (const CLI::ExtrasError&) {
    check_values(app);
    unexpected(app);
  } catch (const CLI::ParseError& error) {
    parsing_failed(error);
  }
  check_values(app);

  read_texts(texts, arguments);
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    if (!texts.list)
      usage_error(
          "gpubench needs a command: info, list, roofline, run, verify or compare (see gpubench "
          "--help)");
    arguments.command = Command::list;
    return parsed;
  }
  const std::map<const CLI::App*, Command> commands = {
      {info, Command::info}, {list, Command::list},     {roofline, Command::roofline},
      {run, Command::run},   {verify, Command::verify}, {compare, Command::compare}};
  arguments.command = commands.at(chosen.front());
  if (arguments.command == Command::compare) read_compare_texts(*compare, compare_texts, arguments);
  if (arguments.command != Command::run && arguments.command != Command::verify) return parsed;
  const auto family = chosen.front()->get_subcommands();
  if (!family.empty()) arguments.family = family.front()->get_name();
  if (arguments.command == Command::verify) {
    if (family.empty()) arguments.family = "all";
    return parsed;
  }
  if (family.empty() == arguments.config.empty())
    usage_error(family.empty()
                    ? "run needs a family, 'all', or --config FILE (see gpubench run --help)"
                    : "--config names its own families: leave out '" + arguments.family + "'");
  if (!arguments.config.empty() && run->count("--cache") > 0)
    usage_error(
        "--cache and --config exclude each other: the suite says the cache mode of each "
        "of its cases");
  if (arguments.dry_run && arguments.processes > 1)
    usage_error("--processes and --dry-run exclude each other: nothing is measured");
  if (arguments.cross_check && arguments.device == "host")
    usage_error(
        "--cross-check and --device host exclude each other: CUPTI records what a GPU runs");
  if (arguments.dry_run && !(arguments.json.empty() && arguments.csv.empty()))
    usage_error(std::string(arguments.json.empty() ? "--csv" : "--json") +
                " and --dry-run exclude each other: nothing is measured that could be written");
  if (!family.empty() && arguments.family != "all")
    for (const CLI::Option* option : family.front()->get_options())
      if (option->count() > 0 && option->get_single_name() != "help") {
        if (option->count() > 1)
          usage_error("--" + option->get_single_name() + " is given more than once");
        arguments.parameters.emplace_back(
            option->get_single_name(),
            texts.parameters.at(arguments.family + " " + option->get_single_name()));
      }
  return parsed;
}

}  // namespace gpubench
