// The fuzz target: texts that nobody vouches for go the way that `gpubench compare` sends them, and
// may be refused, but nothing else may go wrong. An input holds up to three texts, each a document,
// a noise file or a suite, with `separator` between them; so any document is an input.
//
// Driven by mutator.cpp here, and by libFuzzer where the compiler has it (clang++
// -fsanitize=fuzzer,address,undefined over the same sources without mutator.cpp).
#include "tests/fuzz/fuzz_compare.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <iostream>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/strict_json.hpp"
#include "compare/noise.hpp"
#include "compare/report.hpp"
#include "compare/rule.hpp"
#include "compare/side.hpp"
#include "document/read.hpp"
#include "registry/suite.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/unit/xml_reader.hpp"

namespace gpubench {

// document.cpp asks for it where a run takes its ceilings from a document, which nothing here does;
// the real one brings every ceiling's kernel with it.
const CeilingSpec* find_spec(DeviceKind, std::string_view) {
  return nullptr;
}

namespace fuzz {
namespace {

using strict_json::Json;

constexpr std::array metrics = {Metric::time, Metric::percent_of_roof,
                                Metric::percent_of_roof_at_clock, Metric::energy};

Reach reached;

void demand(bool kept, std::string_view promise) {
  if (kept) return;
  std::cerr << "gpubench_fuzz: broken: " << promise << std::endl;
  std::abort();
}

// What the action returns, or nothing where it refuses the input with this code. Any other
// exception passes, and ends the program.
template <class Action>
auto attempt(ExitCode code, Action action) -> std::optional<decltype(action())> {
  try {
    return action();
  } catch (const Error& error) {
    demand(error.code() == code, "an input is refused with the code for it");
    return std::nullopt;
  }
}

// A file in memory, for what is read by path.
class File {
 public:
  explicit File(std::string_view text) : descriptor_(::memfd_create("gpubench-fuzz", MFD_CLOEXEC)) {
    demand(descriptor_ >= 0, "a file in memory can be made");
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      demand(written > 0, "a file in memory can be written");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor_); }
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

// Whether strict_json ought to take a text, as nlohmann's own parser has it.
bool is_strict_json(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  bool strict = true;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) strict = keys.back().insert(value.get<std::string>()).second && strict;
    if (event == Event::object_start || event == Event::array_start)
      strict = strict && depth < strict_json::max_depth;
    return true;
  };
  const Json json = Json::parse(text.begin(), text.end(), watch, false);
  return strict && !json.is_discarded();
}

// What the text says that it is; nothing where it says nothing, or is no JSON.
std::string schema_of(std::string_view text) {
  const auto json = attempt(ExitCode::not_comparable, [&] {
    return strict_json::parse(text, {"text", ExitCode::not_comparable});
  });
  demand(json.has_value() == is_strict_json(text),
         "JSON is taken, but for keys given twice and deep nesting, and nothing else is");
  if (!json || !json->is_object()) return "";
  const auto schema = json->find("schema");
  return schema != json->end() && schema->is_string() ? schema->get<std::string>() : "";
}

// UTF-8, and nothing that a terminal would obey.
void check_for_people(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    demand((byte >= 0x20 || byte == '\n') && byte != 0x7f &&
               !(byte == 0xc2 && next >= 0x80 && next < 0xa0),
           "a text for people has no control characters");
  }
  Json(text).dump();  // throws where it is not UTF-8
}

Json check_json(const std::string& text) {
  return strict_json::parse(text, {"a report", ExitCode::failed});
}

void check_reports(const Comparison& comparison, std::size_t width, bool verbose) {
  const ExitCode code = exit_code(comparison);
  demand(code == ExitCode::ok || code == ExitCode::failed || code == ExitCode::not_comparable,
         "a comparison ends with 0, 1 or 4");
  check_for_people(comparison_table(comparison, width, verbose));

  const std::string markdown = comparison_markdown(comparison);
  check_for_people(markdown);
  demand(markdown.size() <= 60000, "a pull-request comment fits");

  const std::string junit = comparison_junit(comparison);
  check_for_people(junit);
  const test::XmlElement suites = test::XmlReader::read(junit);
  const auto number = [&](const char* name) { return std::stoul(suites.attributes.at(name)); };
  demand(number("tests") >= comparison.cases.size(), "JUnit has every case");
  demand((number("failures") + number("errors") > 0) == (code != ExitCode::ok),
         "JUnit and the exit code agree");

  const Json json = check_json(comparison_json(comparison));
  demand(json.at("exit_code") == static_cast<int>(code), "JSON and the exit code agree");
  demand(json.at("cases").size() == comparison.cases.size(), "JSON has every case");
  demand(check_json(comparison_github_action_benchmark(comparison)).is_array(),
         "github-action-benchmark gets an array");
}

CompareOptions options_of(std::size_t set, Metric metric, const std::optional<Noise>& noise) {
  CompareOptions options;
  options.metric = metric;
  options.noise = noise;
  switch (set % 4) {
    case 0:
      break;
    case 1:
      options.min_effect = 0;
      options.no_floor = true;
      options.strict = true;
      break;
    case 2:
      options.allow_missing = true;
      break;
    case 3:
      options.ignore_device = true;
      options.confidence = 0.999;
      break;
  }
  return options;
}

struct Pair {
  const Side* base;
  const Side* fresh;
};

void check_pair(const Pair& pair, std::size_t set, Metric metric,
                const std::optional<Noise>& noise) {
  const CompareOptions options = options_of(set, metric, noise);
  const auto comparison =
      attempt(ExitCode::not_comparable, [&] { return compare(*pair.base, *pair.fresh, options); });
  if (!comparison) return;
  ++reached.comparisons;
  for (const Compared& found : comparison->cases) {
    ++reached.verdicts.at(static_cast<std::size_t>(found.verdict));
    demand(pair.base != pair.fresh ||
               (found.verdict != Verdict::regression && found.verdict != Verdict::improvement &&
                found.verdict != Verdict::added),
           "a side is neither better nor worse than itself");
    demand(!found.interval || !(found.interval->low > found.interval->high),
           "an interval has its lower end first");
  }
  check_reports(*comparison, set % 2 ? 40 : 160, set % 4 < 2);
}

void check_calibration(const Side& side) {
  const auto noise = attempt(ExitCode::not_comparable, [&] { return calibrate(side); });
  if (!noise) return;
  check_for_people(noise_table(*noise, 80));
  demand(parse_noise(noise_json(*noise), "calibrated").cases.size() == noise->cases.size(),
         "what is calibrated can be read");
}

std::optional<Side> side_of(std::span<const std::string> paths,
                            const std::optional<std::regex>& filter) {
  return attempt(ExitCode::not_comparable, [&] { return read_side(paths, filter, true); });
}

void check_documents(std::span<const std::string> paths, const std::optional<Noise>& noise) {
  const std::optional<std::regex> all, some(std::in_place, "^.*(N=2048|fma)");
  static const File good_file(seed_documents().front());
  static const Side good = read_side(std::span(&good_file.path(), 1), all, true);
  static const Side some_good = read_side(std::span(&good_file.path(), 1), some, true);

  const std::optional<Side> first = side_of(paths.first(1), all);
  if (!first) return;
  const std::optional<Side> some_first = side_of(paths.first(1), some);
  std::vector<Pair> pairs = {{&*first, &*first}, {&good, &*first}, {&*first, &good}};
  if (some_first) pairs.push_back({&*some_first, &some_good});
  const std::optional<Side> both = paths.size() > 1 ? side_of(paths, all) : std::nullopt;
  const std::optional<Side> second =
      paths.size() > 1 ? side_of(paths.subspan(1), all) : std::nullopt;
  if (both) pairs.push_back({&good, &*both});
  if (both) pairs.push_back({&*both, &*both});
  if (second) pairs.push_back({&*first, &*second});
  // The first two under every metric, the others, which differ in what is there at all, under one.
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t j = 0; j < metrics.size(); ++j)
      if (i < 2 || i % metrics.size() == j) check_pair(pairs[i], i + j, metrics[j], noise);
  check_calibration(*first);
  if (both) check_calibration(*both);
}

// At most three, so that an input of separators alone is no work.
std::vector<std::string_view> texts_of(std::string_view input) {
  std::vector<std::string_view> texts;
  while (texts.size() < 3) {
    const std::size_t end = input.find(separator);
    texts.push_back(input.substr(0, end));
    if (end == input.npos) break;
    input.remove_prefix(end + 1);
  }
  return texts;
}

void run(std::string_view input) {
  std::deque<File> files;
  std::vector<std::string> documents;
  std::optional<Noise> noise;
  for (const std::string_view text : texts_of(input)) {
    const std::string schema = schema_of(text);
    const File& file = files.emplace_back(text);
    if (schema == noise_schema) {
      noise = attempt(ExitCode::not_comparable, [&] { return parse_noise(text, "noise"); });
      reached.noise_files += noise.has_value();
    } else if (schema == suite_schema) {
      const auto suite = attempt(ExitCode::usage, [&] { return read_suite(file.path()); });
      reached.suites += suite.has_value();
    } else if (attempt(ExitCode::not_comparable,
                       [&] { return parse_document(text, "document"); })) {
      ++reached.documents;
      documents.push_back(file.path());
    }
  }
  if (!documents.empty()) check_documents(documents, noise);
}

}  // namespace

const Reach& reach() {
  return reached;
}

}  // namespace fuzz
}  // namespace gpubench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpubench::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
