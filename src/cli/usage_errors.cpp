#include "cli/usage_errors.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gpubench {
namespace {

// The commands that were reached, from the root to the deepest.
std::vector<const CLI::App*> reached(const CLI::App& root) {
  std::vector<const CLI::App*> apps = {&root};
  while (!apps.back()->get_subcommands().empty())
    apps.push_back(apps.back()->get_subcommands().front());
  return apps;
}

std::vector<const CLI::App*> children(const CLI::App& app) {
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  return {all.begin(), all.end()};
}

// "gpubench run matmul".
std::string path_of(const CLI::App* app) {
  const std::string name = app->get_name();
  return app->get_parent() ? path_of(app->get_parent()) + " " + name : name;
}

bool has_option(const CLI::App& app, const std::string& name) {
  return name.starts_with("-") && app.get_option_no_throw(name) != nullptr;
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      if (name != "help") names.push_back("--" + name);
  return names;
}

void find_owners(const CLI::App& app, const std::string& option, std::vector<std::string>& owners) {
  if (has_option(app, option)) owners.push_back("'" + path_of(&app) + "'");
  for (const CLI::App* child : children(app)) find_owners(*child, option, owners);
}

[[noreturn]] void unexpected_option(const std::vector<const CLI::App*>& apps,
                                    const std::string& name) {
  const CLI::App& root = *apps.front();
  const CLI::App& app = *apps.back();
  const std::string where = path_of(&app);
  const auto owner = std::find_if(apps.rbegin(), apps.rend(),
                                  [&](const CLI::App* a) { return has_option(*a, name); });
  // Known here, and so given in the wrong place.
  if (owner != apps.rend())
    usage_error(*owner == &root
                    ? "'" + name +
                          "' belongs to 'gpubench' alone, without a command: " + "gpubench " + name
                    : "'" + name + "' belongs behind '" + (*owner)->get_name() +
                          "': " + path_of(*owner) + " " + name);
  const std::vector<std::string> own = long_options(app);
  const std::string has = own.empty() ? "" : ", which has " + join(own, ", ");
  std::vector<std::string> owners;
  find_owners(root, name, owners);
  const bool is_family = apps.size() > 2;
  if (!owners.empty())
    usage_error("'" + name + "' is not an option of '" + where + "'" + (is_family ? has : "") +
                "; it is one of " + join(owners, ", "));
  std::vector<std::string> candidates;
  for (const CLI::App* a : apps)
    if (a != &root || apps.size() == 1)
      for (std::string& option : long_options(*a)) candidates.push_back(std::move(option));
  if (const std::string near = nearest(name, candidates); !near.empty() && name.size() > 3)
    usage_error("'" + name + "' is not an option of '" + where + "'; did you mean '" + near + "'?");
  usage_error("'" + name + "' is not an option of '" + where + "'" + has + " (see " + where +
              " --help)");
}

}  // namespace

void usage_error(const std::string& sentence) {
  throw Error(ExitCode::usage, sentence);
}

void unexpected(const CLI::App& root) {
  const auto apps = reached(root);
  const std::vector<std::string> rest = root.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  const std::string name = word.substr(0, word.find('='));
  // What CLI11 leaves of -q=5.
  if (name == "-" && word != name)
    usage_error("a short option takes no value, and '" + word.substr(1) + "' stands behind one");
  if (word.starts_with("-")) unexpected_option(apps, name);
  const std::string where = path_of(apps.back());
  if (name.size() < word.size())
    for (const CLI::App* app : apps)
      if (has_option(*app, "--" + name))
        usage_error("'" + where + "' does not take '" + word + "'; did you mean '--" + name + " " +
                    word.substr(name.size() + 1) + "'?");
  if (word == "true" || word == "false")
    for (const CLI::Option* option : apps.back()->get_options())
      if (option->get_expected_max() == 0 && option->get_single_name() != "help")
        usage_error("'" + where + "' does not take '" + word +
                    "'; a switch stands alone, or has its value behind '=': --" +
                    option->get_single_name() + "=" + word);
  std::vector<std::string> candidates;
  for (const CLI::App* child : children(*apps.back())) candidates.push_back(child->get_name());
  usage_error("'" + where + "' does not take '" + word + "'" + suggestion(word, candidates));
}

void parsing_failed(const CLI::ParseError& error) {
  std::string sentence = error.what();
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  const std::string name = sentence.substr(0, sentence.find_first_of(": "));
  const auto says = [&](std::string_view part) { return sentence.find(part) != std::string::npos; };
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    if (says(": At Most 1 ")) usage_error(name + " is given more than once");
    if (says(" missing")) usage_error(name + " needs a value");
  }
  // "Could not convert: --dry-run = maybe": all that CLI11 converts is flags.
  if (dynamic_cast<const CLI::ConversionError*>(&error)) {
    const auto at = sentence.find(": -");
    const std::string flag = at == std::string::npos ? name : sentence.substr(at + 2);
    usage_error(flag.substr(0, flag.find(' ')) + " takes no value");
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error))
    usage_error(name + " and " + sentence.substr(sentence.rfind(' ') + 1) + " exclude each other");
  usage_error(sentence);
}

void check_values(const CLI::App& root) {
  const auto apps = reached(root);
  for (const CLI::App* app : apps)
    for (const CLI::Option* option : app->get_options())
      for (const std::string& value : option->results()) {
        // Flags have a value of CLI11's own.
        if (option->get_type_size() == 0) continue;
        const std::string name = option->get_name();
        if (value.empty()) usage_error(name + " is empty");
        const std::string given = value.substr(0, value.find('='));
        if (std::any_of(apps.begin(), apps.end(),
                        [&](const CLI::App* a) { return has_option(*a, given); }))
          usage_error(name + " needs a value; behind it stands '" + given +
                      "', which is an option");
      }
}

}  // namespace gpubench
