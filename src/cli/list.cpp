#include <string>
#include <vector>

#include "base/table.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "kernels/families.hpp"

namespace gpubench {
namespace {

std::string requirement_text(const VariantFacts& variant) {
  std::string text(name(variant.device));
  if (variant.needs.compute_capability > 0)
    text += " " + std::to_string(variant.needs.compute_capability / 10) + "." +
            std::to_string(variant.needs.compute_capability % 10) +
            (variant.needs.exact_architecture ? "" : "+");
  if (!variant.needs.library.empty()) text += ", " + std::string(variant.needs.library);
  return text;
}

std::string default_text(const Parameter& parameter) {
  if (!parameter.default_same_as.empty()) return "= " + std::string(parameter.default_same_as);
  switch (parameter.kind) {
    case Parameter::Kind::choice:
      return std::string(parameter.choices.front());
    case Parameter::Kind::boolean:
      return parameter.cuda_default ? "true" : "false";
    case Parameter::Kind::integer:
      break;
  }
  return std::to_string(parameter.cuda_default);
}

std::string host_default_text(const Family& family, const Parameter& parameter) {
  bool on_host = false;
  for (const VariantFacts& variant : family.variants())
    on_host |= variant.device == DeviceKind::host;
  if (!on_host) return "";
  if (parameter.kind != Parameter::Kind::integer || !parameter.default_same_as.empty())
    return default_text(parameter);
  return std::to_string(parameter.host_default);
}

std::string describe(const Family& family) {
  std::string text = std::string(family.name()) + ": " + std::string(family.summary()) + "\n";
  Table variants({{"  variant", false},
                  {"type", false},
                  {"on", false},
                  {"improves on", false, 1},
                  {"idea", false}});
  for (const VariantFacts& variant : family.variants())
    variants.add(
        {"  " + std::string(variant.name), std::string(name(variant.dtype)),
         requirement_text(variant),
         variant.role == Role::reference ? "(reference)" : std::string(variant.predecessor),
         std::string(variant.technique)},
        variant.built || variant.device == DeviceKind::host ? "" : "[not in this build: no CUDA]");
  text += variants.text(output_width());
  Table parameters(
      {{"  parameter", false}, {"default", true}, {"on the host", true}, {"meaning", false}});
  for (const Parameter& parameter : family.parameters())
    parameters.add({"  --" + std::string(parameter.name), default_text(parameter),
                    host_default_text(family, parameter), std::string(parameter.help)});
  for (const ParameterAlias& alias : family.aliases())
    parameters.add({"  --" + std::string(alias.name), "", "", std::string(alias.help)});
  return text + parameters.text(output_width());
}

}  // namespace

ExitCode command_list(const Arguments& arguments) {
  std::string text;
  if (!arguments.family.empty()) {
    text = describe(find_family(arguments.family));
  } else {
    for (const Family* family : families()) text += (text.empty() ? "" : "\n") + describe(*family);
  }
  return print_output(text);
}

}  // namespace gpubench
