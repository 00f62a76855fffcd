#include "tests/fuzz/mutations.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "measure/statistics.hpp"
#include "tests/fuzz/seeds.hpp"

namespace gpubench::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_text = std::size_t{1} << 20;

// Words that a parser or a report may stumble on.
constexpr std::string_view tokens[] = {"null",    "true",    "NaN",     "1e999",    "1e-320",
                                       "-0",      "\"\"",    "{}",      "[]",       ",",
                                       ":",       "[[[[",    "]]]]",    "{\"a\":",  "\\u001b",
                                       "\\ud800", "\\u0000", "\\uffff", "\xc2\x9b", "\xff\xfe",
                                       "</x>&|`"};

constexpr double extremes[] = {0,      -0.0,  -1,    1,       5e-324, 1e-310, 1e-300,
                               1e-150, 1e150, 1e300, 1.7e308, 0.1,    1e20,   42};

constexpr double factors[] = {0.999, 1.001, 0.97, 1.03, 0.8, 1.2, 2, 1e-3, 1e3, -1};

// What a document may hold, for the keys that take few words.
constexpr const char* words[] = {
    "ok",     "failed", "skipped", "interrupted",   "complete",     "f32",      "f16",
    "cold",   "warm",   "random",  "outlier",       "zeros",        "cuda",     "host",
    "s",      "flop/s", "byte/s",  "power_limited", "sw_power_cap", "fp32_fma", "dram_read",
    "ladder", "burst",  "9.0",     "sampled",       "steady_clock", "1,2"};

std::string other_text(Chance& chance) {
  static const std::string hostile[] = {"",
                                        " ",
                                        "\x1b[31mred\x1b[0m",
                                        "\xc2\x9b\x7f\x01\t\r\n",
                                        "a|b`c``d\\|",
                                        "<x y=\"&quot;\">]]>",
                                        "**bold** _it_ https://example.org @someone",
                                        "\xef\xbf\xbf\xef\xbf\xbe\xf4\x8f\xbf\xbf",
                                        "gpubench.results/2",
                                        std::string(300, '`'),
                                        std::string(1000, '|'),
                                        "x" + std::string(400, '\x1b'),
                                        std::string(100000, 'N')};
  return chance.one_in(2) ? chance.of(words) : chance.of(hostile);
}

std::vector<Json*> nodes_of(Json& root) {
  std::vector<Json*> nodes = {&root};
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i]->is_structured())
      for (Json& child : *nodes[i]) nodes.push_back(&child);
  return nodes;
}

// The keys that a comparison goes by.
constexpr std::string_view keys[] = {"cases",
                                     "ceilings",
                                     "id",
                                     "name",
                                     "device",
                                     "status",
                                     "reason",
                                     "notes",
                                     "unit",
                                     "value",
                                     "timing",
                                     "telemetry",
                                     "roof",
                                     "attainable_s",
                                     "samples_by_process_s",
                                     "samples_s",
                                     "telemetry_by_process"};

// A child, and rather one that matters.
Json::iterator child(Json& json, Chance& chance) {
  const auto any = [&] {
    return std::next(json.begin(), static_cast<std::ptrdiff_t>(chance.below(json.size())));
  };
  auto found = any();
  for (int again = 2; again > 0 && json.is_object(); --again)
    if (std::ranges::find(keys, found.key()) == std::end(keys)) found = any();
  return found;
}

// A node that fits, by way of the tree, so that what stands alone near the top has its turn; at
// times any of them, so mostly a sample.
template <class Fits>
Json* node(Json& root, Chance& chance, Fits fits) {
  for (int way = 0; way < 4 && !chance.one_in(4); ++way) {
    Json* at = &root;
    while (at->is_structured() && !at->empty() && !chance.one_in(8)) at = &*child(*at, chance);
    if (fits(*at)) return at;
  }
  std::vector<Json*> nodes = nodes_of(root);
  std::erase_if(nodes, [&](const Json* one) { return !fits(*one); });
  return nodes.empty() ? nullptr : chance.of(nodes);
}

bool is_any(const Json&) {
  return true;
}
bool is_number(const Json& json) {
  return json.is_number();
}
bool is_string(const Json& json) {
  return json.is_string();
}
bool has_children(const Json& json) {
  return json.is_structured() && !json.empty();
}
bool is_numbers(const Json& json) {
  return json.is_array() && !json.empty() && std::all_of(json.begin(), json.end(), is_number);
}

Json extreme_number(Chance& chance) {
  switch (chance.below(8)) {
    case 0:
      return std::numeric_limits<std::int64_t>::min();
    case 1:
      return std::numeric_limits<std::uint64_t>::max();
    case 2:
      return chance.below(100);
    default:
      return chance.of(extremes);
  }
}

Json junk(Chance& chance) {
  switch (chance.below(7)) {
    case 0:
      return nullptr;
    case 1:
      return chance.one_in(2);
    case 2:
      return Json::object();
    case 3:
      return Json::array();
    case 4:
      return other_text(chance);
    default:
      return extreme_number(chance);
  }
}

void nest(Json& json, Chance& chance) {
  // Serializing recurses, so the deepest nesting is left to the bytes.
  constexpr int depths[] = {1, 2, 58, 64, 300};
  for (int depth = chance.of(depths); depth > 0; --depth) {
    Json around = chance.one_in(2) ? Json::array() : Json::object();
    if (around.is_array())
      around.push_back(std::move(json));
    else
      around["a"] = std::move(json);
    json = std::move(around);
  }
}

// Among equals: two children of one container, as swapping a node with one inside itself is none.
void swap_children(Json& json, Chance& chance) {
  std::swap(*child(json, chance), *child(json, chance));
}

void erase_child(Json& json, Chance& chance) {
  if (chance.one_in(4))
    json.clear();
  else
    json.erase(child(json, chance));
}

// Of an object the key too, which makes it one that no document may have.
void duplicate_child(Json& json, Chance& chance) {
  if (json.is_array()) {
    const Json copy = json[chance.below(json.size())];
    json.push_back(copy);
  } else {
    auto& members = *json.get_ptr<Json::object_t*>();
    // By its iterator: operator[] of these members takes keys.
    const auto copy =
        *std::next(members.begin(), static_cast<std::ptrdiff_t>(chance.below(members.size())));
    members.emplace_back(copy.first, copy.second);
  }
}

// Further cases, ceilings, floors, each of a name of its own; at times more than a report takes.
void multiply(Json& root, Chance& chance) {
  const auto named = [](const Json& json) {
    return json.is_array() && !json.empty() && json.back().is_object() &&
           (json.back().contains("id") || json.back().contains("name"));
  };
  Json* const list = node(root, chance, named);
  if (!list) return;
  const Json model = chance.of(*list);
  if (!model.is_object()) return;
  const bool many = chance.one_in(32);
  std::string more = chance.one_in(4) ? other_text(chance) : "";
  while (many && more.size() < 800) more += "\xf0\x9f\x98\x80";
  for (std::size_t i = many ? 100 : 1 + chance.below(3); i > 0; --i) {
    list->push_back(model);
    for (const char* key : {"id", "name"})
      if (model.contains(key) && model[key].is_string())
        list->back()[key] = model[key].get<std::string>() + more + std::to_string(i);
  }
}

// A case or a ceiling that is not ok, and why.
void end_otherwise(Json& root, Chance& chance) {
  const auto ends = [](const Json& json) { return json.is_object() && json.contains("reason"); };
  constexpr const char* statuses[] = {"failed", "skipped", "interrupted"};
  if (Json* one = node(root, chance, ends)) {
    (*one)["status"] = chance.of(statuses);
    (*one)["reason"] = other_text(chance);
  }
}

// Turns a list of samples into one that another number of processes took.
void split(Json& list, Chance& chance) {
  const std::size_t processes = 1 + chance.below(7);
  Json by_process = Json::array();
  for (std::size_t i = 0; i < processes; ++i) by_process.push_back(list);
  list = std::move(by_process);
}

// The median of the numbers in a list, where all of them are numbers.
std::optional<double> median_of(const Json& list) {
  std::vector<double> values;
  for (const Json& one : list) {
    if (!one.is_number()) return std::nullopt;
    values.push_back(one.get<double>());
  }
  if (values.empty() || !std::ranges::all_of(values, [](double v) { return std::isfinite(v); }))
    return std::nullopt;
  return median(values);
}

// Has the samples of each case be those of its processes again, and its median theirs, as every
// document has to.
void settle(Json& root) {
  // From the leaves on, as what is replaced takes the nodes inside it along.
  std::vector<Json*> nodes = nodes_of(root);
  std::ranges::reverse(nodes);
  for (Json* one : nodes) {
    if (!one->is_object() || !one->contains("samples_s")) continue;
    Json& samples = (*one)["samples_s"];
    if (one->contains("samples_by_process_s")) {
      const Json& processes = (*one)["samples_by_process_s"];
      if (has_children(processes) && processes.is_array()) {
        samples = Json::array();
        for (const Json& some : processes)
          if (some.is_array()) samples.insert(samples.end(), some.begin(), some.end());
      }
    }
    if (samples.is_array())
      if (const auto middle = median_of(samples)) (*one)["median_s"] = *middle;
  }
}

void change(Json& root, Chance& chance) {
  switch (chance.below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (Json* one = node(root, chance, is_number)) *one = one->get<double>() * chance.of(factors);
      break;
    case 4:
    case 5:
    case 6:
      if (Json* list = node(root, chance, is_numbers)) {
        const double factor = chance.of(factors);
        for (Json& one : *list) one = one.get<double>() * factor;
      }
      break;
    case 7:
      if (Json* list = node(root, chance, is_numbers)) {
        const Json value = extreme_number(chance);
        for (Json& one : *list) one = value;
        if (chance.one_in(3)) list->clear();
      }
      break;
    case 8:
    case 9:
      if (Json* one = node(root, chance, is_number)) *one = extreme_number(chance);
      break;
    case 10:
    case 11:
      if (Json* one = node(root, chance, is_string)) *one = other_text(chance);
      break;
    case 12:
      *node(root, chance, is_any) = junk(chance);
      break;
    case 13:
      if (Json* one = node(root, chance, has_children)) erase_child(*one, chance);
      break;
    case 14:
      if (Json* one = node(root, chance, has_children)) duplicate_child(*one, chance);
      break;
    case 15:
      if (Json* one = node(root, chance, has_children)) swap_children(*one, chance);
      break;
    case 16: {
      const Json copy = *node(root, chance, is_any);
      *node(root, chance, is_any) = copy;
      break;
    }
    case 17:
      if (chance.one_in(2))
        nest(*node(root, chance, is_any), chance);
      else if (Json* list = node(root, chance, is_numbers))
        split(*list, chance);
      break;
    case 18:
      end_otherwise(root, chance);
      break;
    default:
      multiply(root, chance);
  }
}

void change_bytes(std::string& text, const std::string& other, Chance& chance) {
  const std::size_t at = chance.below(text.size() + 1);
  const std::size_t length = std::min(text.size() - at, 1 + chance.below(64));
  switch (chance.below(8)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << chance.below(8)));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(chance.below(256));
      break;
    case 2:
      text.insert(at, 1 + chance.below(4), static_cast<char>(chance.below(256)));
      break;
    case 3:
      text.insert(at, chance.of(tokens));
      break;
    case 4:
      text.erase(at, length);
      break;
    case 5:
      text.insert(at, text.substr(at, length));
      break;
    case 6:
      text = text.substr(0, at) + other.substr(chance.below(other.size() + 1));
      break;
    case 7:
      if (chance.one_in(4))
        text.resize(at);
      else if (chance.one_in(16))
        text.insert(at, std::size_t{1} << 16, chance.one_in(2) ? '[' : '\x1b');
      break;
  }
}

}  // namespace

std::string mutated_bytes(std::string text, const std::string& other, Chance& chance) {
  for (std::size_t left = 1 + chance.below(4); left > 0; --left) change_bytes(text, other, chance);
  return text;
}

std::string mutated_json(const std::string& text, Chance& chance) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return mutated_bytes(text, text, chance);
  for (std::size_t left = 1 + chance.below(4); left > 0; --left) change(json, chance);
  if (!chance.one_in(8)) settle(json);
  // Short, or set in lines as the program writes it.
  return json.dump(chance.one_in(8) ? 1 : -1, ' ', false, Json::error_handler_t::replace);
}

Mutator::Mutator(std::uint64_t seed)
    : chance_(seed),
      document_pool_(seed_documents()),
      noise_files_(seed_noise_files()),
      suites_(seed_suites()),
      seeds_(document_pool_.size()) {}

std::string Mutator::made(const std::vector<std::string>& from, bool surely) {
  const std::string& text = from[chance_.below(from.size())];
  if (!surely && chance_.one_in(2)) return text;
  std::string changed = chance_.one_in(4)
                            ? mutated_bytes(text, from[chance_.below(from.size())], chance_)
                            : mutated_json(text, chance_);
  if (changed.size() > largest_text) changed.resize(largest_text);
  return changed;
}

const std::vector<std::string>& Mutator::next() {
  texts_.clear();
  const std::size_t shape = chance_.below(16);
  documents_ = shape < 2 ? 0 : shape < 10 ? 1 : 2;
  for (std::size_t i = 0; i < documents_; ++i) texts_.push_back(made(document_pool_, i == 0));
  if (shape == 0) texts_.push_back(made(suites_, true));
  if (shape == 1) texts_.push_back(made(noise_files_, true));
  if (shape > 12) texts_.push_back(made(noise_files_, false));
  return texts_;
}

void Mutator::keep() {
  constexpr std::size_t most = 64;
  for (std::size_t i = 0; i < documents_; ++i) {
    // Larger ones would only slow down what follows.
    constexpr std::size_t largest_kept = 15000;
    if (texts_[i].size() > largest_kept) continue;
    if (document_pool_.size() < most)
      document_pool_.push_back(texts_[i]);
    else
      document_pool_[seeds_ + chance_.below(most - seeds_)] = texts_[i];
  }
}

}  // namespace gpubench::fuzz
