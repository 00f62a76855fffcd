#include "cli/plan.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "document/document.hpp"
#include "kernels/families.hpp"
#include "registry/suite.hpp"

namespace gpubench {
namespace {

// Of a whole plan, repeated cases among them.
constexpr std::size_t most_cases = 100'000;

[[noreturn]] void too_many_cases() {
  throw Error(ExitCode::usage, "the parameters and variants multiply to more than " +
                                   std::to_string(most_cases) + " cases");
}

// A parameter, or alias, with the values that are to be tried.
struct Sweep {
  std::vector<std::string> targets;
  std::vector<ParameterValue> values;
};

const Parameter* find_parameter(const Family& family, std::string_view name) {
  for (const Parameter& parameter : family.parameters())
    if (parameter.name == name) return &parameter;
  return nullptr;
}

Sweep parse_sweep(const Family& family, const std::string& name, const std::string& text) {
  if (const Parameter* parameter = find_parameter(family, name))
    return {{name}, parse_values(*parameter, text)};
  std::vector<std::string> known;
  for (const Parameter& parameter : family.parameters()) known.emplace_back(parameter.name);
  for (const ParameterAlias& alias : family.aliases()) {
    if (alias.name == name) {
      Sweep sweep;
      sweep.targets.assign(alias.targets.begin(), alias.targets.end());
      sweep.values = parse_values(*find_parameter(family, alias.targets.front()), text);
      return sweep;
    }
    known.emplace_back(alias.name);
  }
  throw Error(ExitCode::usage, std::string(family.name()) + " has no parameter '" + name + "'" +
                                   suggestion(name, known));
}

// Every combination of the sweeps, the last one varying fastest; an alias is overruled by the
// parameter itself.
std::vector<ParameterSet> expand(const Family& family,
                                 const std::vector<std::pair<std::string, std::string>>& given,
                                 DeviceKind device) {
  std::vector<Sweep> sweeps;
  for (const auto& [name, text] : given) sweeps.push_back(parse_sweep(family, name, text));
  std::stable_sort(sweeps.begin(), sweeps.end(), [](const Sweep& a, const Sweep& b) {
    return a.targets.size() > b.targets.size();
  });
  std::vector<ParameterSet> sets = {{}};
  for (const Sweep& sweep : sweeps) {
    std::vector<ParameterSet> next;
    if (sets.size() * sweep.values.size() > most_cases) too_many_cases();
    for (const ParameterSet& set : sets)
      for (const ParameterValue& value : sweep.values) {
        ParameterSet extended = set;
        for (const std::string& target : sweep.targets) extended.set(target, value);
        next.push_back(std::move(extended));
      }
    sets = std::move(next);
  }
  for (ParameterSet& set : sets) set = complete(family.parameters(), set, device);
  return sets;
}

void add_cases(std::vector<PlannedCase>& plan, const Family& family,
               const std::vector<std::size_t>& variants,
               const std::vector<std::pair<std::string, std::string>>& parameters, CacheMode cache,
               std::uint64_t seed, DeviceKind device) {
  const std::vector<ParameterSet> sets = expand(family, parameters, device);
  if (plan.size() + sets.size() * variants.size() > most_cases) too_many_cases();
  for (const ParameterSet& set : sets)
    for (const std::size_t variant : variants)
      plan.push_back(plan_case(family, variant, set, cache, InputKind::random, seed));
}

// A case is named once, however often a suite or a sweep comes to it.
void drop_repeated(std::vector<PlannedCase>& plan) {
  std::set<std::string> seen;
  std::erase_if(plan, [&](const PlannedCase& planned) { return !seen.insert(planned.id).second; });
}

bool has_variant_on(const Family& family, DeviceKind device) {
  for (const VariantFacts& variant : family.variants())
    if (variant.device == device) return true;
  return false;
}

// "matmul/tiled f16".
std::string full_name(const Family& family, const VariantFacts& variant) {
  return std::string(family.name()) + "/" + std::string(variant.name) + " " +
         std::string(name(variant.dtype));
}

// The cases of one entry, and the names of what it selects, whether the command line leaves it or
// not.
void add_entry(std::vector<PlannedCase>& plan, std::vector<std::string>& selected,
               const SuiteCase& entry, const Arguments& arguments, DeviceKind device) {
  const Family& family = find_family(entry.family);
  // A suite is written for every kind of device: entries for another kind, and families that a
  // device has nothing for (streams on the host), are left out of it there, the latter like in
  // `run all`. Their mistakes are mistakes anywhere.
  const DeviceKind meant = entry.device.value_or(device);
  auto variants = select_variants(family, entry.variants, entry.dtypes, meant);
  const bool known = has_variant_on(family, meant);
  if (known && variants.empty()) nothing_selected({&family}, entry.variants, entry.dtypes, meant);
  if (!known || meant != device) {
    expand(family, entry.parameters, meant);
    return;
  }
  for (const std::size_t v : variants) {
    std::string variant = full_name(family, family.variants()[v]);
    if (std::find(selected.begin(), selected.end(), variant) == selected.end())
      selected.push_back(std::move(variant));
  }
  const auto also = select_variants(family, arguments.variant, arguments.dtypes, device);
  std::erase_if(variants, [&](std::size_t v) {
    return std::find(also.begin(), also.end(), v) == also.end();
  });
  add_cases(plan, family, variants, entry.parameters, entry.cache, arguments.seed, device);
}

std::vector<PlannedCase> plan_suite(const Arguments& arguments, DeviceKind device) {
  const Suite suite = read_suite(arguments.config);
  compile_regex(arguments.variant);  // its mistakes are none of the suite's
  std::vector<PlannedCase> plan;
  std::vector<std::string> selected;
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    try {
      add_entry(plan, selected, suite.cases[i], arguments, device);
    } catch (const Error& error) {
      throw Error(error.code(),
                  arguments.config + ": at cases[" + std::to_string(i) + "]: " + error.what());
    }
  }
  drop_repeated(plan);
  if (!plan.empty()) return plan;
  if (selected.empty())
    throw Error(ExitCode::usage,
                arguments.config + ": none of its entries is for " + std::string(name(device)));
  throw Error(ExitCode::usage,
              arguments.config + ": --variant and --dtype leave nothing of it; on " +
                  std::string(name(device)) + " it selects " + join(selected, ", "));
}

// libstdc++'s own texts advise its users on its internals.
std::string_view reason_of(std::regex_constants::error_type code) {
  namespace errors = std::regex_constants;
  const std::pair<errors::error_type, std::string_view> reasons[] = {
      {errors::error_collate, "there is no such collating element or class"},
      {errors::error_ctype, "there is no such character class"},
      {errors::error_escape, "an escape is not valid"},
      {errors::error_backref, "it refers back to a group that it does not have"},
      {errors::error_brack, "a bracket [ is not closed"},
      {errors::error_paren, "a parenthesis has no partner, or a *, + or ? repeats nothing"},
      {errors::error_brace, "a brace { is not closed"},
      {errors::error_badbrace, "the range in braces {} is not valid"},
      {errors::error_range, "a range of characters is not valid"},
      {errors::error_badrepeat, "a *, +, ? or { repeats nothing"},
  };
  for (const auto& [known, reason] : reasons)
    if (known == code) return reason;
  return "it is too large";
}

}  // namespace

PlannedCase plan_case(const Family& family, std::size_t variant, const ParameterSet& parameters,
                      CacheMode cache, InputKind input, std::uint64_t seed) {
  const VariantFacts facts = family.variants()[variant];
  return {&family, variant,
          facts,   parameters,
          cache,   input,
          seed,    case_id(family.name(), facts.name, facts.dtype, parameters, cache, input)};
}

std::regex compile_regex(std::string_view pattern) {
  // libstdc++ compiles and matches by recursion.
  constexpr std::size_t longest = 1000;
  if (pattern.size() > longest)
    throw Error(ExitCode::usage, "a regular expression has at most " + std::to_string(longest) +
                                     " characters, not " + std::to_string(pattern.size()));
  try {
    return std::regex(pattern.begin(), pattern.end(), std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    throw Error(ExitCode::usage, "'" + std::string(pattern) + "' is not a regular expression: " +
                                     std::string(reason_of(error.code())));
  }
}

std::vector<std::size_t> select_variants(const Family& family, std::string_view pattern,
                                         const std::vector<DType>& dtypes, DeviceKind device) {
  const std::regex regex = compile_regex(pattern);
  std::vector<std::size_t> selected;
  const auto variants = family.variants();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const VariantFacts& variant = variants[i];
    if (variant.device != device) continue;
    if (!dtypes.empty() && std::find(dtypes.begin(), dtypes.end(), variant.dtype) == dtypes.end())
      continue;
    if (!std::regex_search(variant.name.begin(), variant.name.end(), regex)) continue;
    selected.push_back(i);
  }
  return selected;
}

void nothing_selected(const std::vector<const Family*>& families, std::string_view regex,
                      const std::vector<DType>& dtypes, DeviceKind device) {
  std::vector<std::string> names;
  for (const Family* family : families)
    for (const VariantFacts& variant : family->variants())
      if (variant.device == device) {
        std::string text = full_name(*family, variant);
        if (families.size() == 1) text.erase(0, family->name().size() + 1);
        names.push_back(std::move(text));
      }
  const std::string where =
      families.size() == 1 ? std::string(families.front()->name()) : "the families";
  if (names.empty())
    throw Error(ExitCode::usage, where + " has no variant on " + std::string(name(device)));
  std::string asked = regex.empty() ? "" : " matches '" + std::string(regex) + "'";
  if (!dtypes.empty()) {
    asked += regex.empty() ? " has" : " in";
    for (const DType dtype : dtypes) asked += " " + std::string(name(dtype));
  }
  throw Error(ExitCode::usage, "no variant of " + where + " on " + std::string(name(device)) +
                                   asked + "; there are " + join(names, ", "));
}

void nothing_small_enough(double max_bytes, double smallest) {
  throw Error(ExitCode::usage, "no shape is that small: the smallest takes " + fixed(smallest, 0) +
                                   " bytes, and --max-bytes is " + fixed(max_bytes, 0));
}

std::vector<PlannedCase> plan_run(const Arguments& arguments, DeviceKind device) {
  if (!arguments.config.empty()) return plan_suite(arguments, device);
  std::vector<const Family*> chosen;
  if (arguments.family == "all") {
    chosen.assign(families().begin(), families().end());
  } else {
    chosen.push_back(&find_family(arguments.family));
  }
  std::vector<PlannedCase> plan;
  for (const Family* family : chosen)
    add_cases(plan, *family, select_variants(*family, arguments.variant, arguments.dtypes, device),
              arguments.parameters, arguments.cache, arguments.seed, device);
  drop_repeated(plan);
  if (plan.empty()) nothing_selected(chosen, arguments.variant, arguments.dtypes, device);
  return plan;
}

}  // namespace gpubench
