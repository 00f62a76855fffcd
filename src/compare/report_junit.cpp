#include <utility>

#include "base/text.hpp"
#include "compare/report.hpp"
#include "compare/report_parts.hpp"

namespace gpubench {
namespace {

constexpr char title[] = "gpubench compare";

// A text for an attribute or between tags. What XML 1.0 does not allow (or only discourages: the
// control characters from U+007F on) and bytes that are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char32_t point : code_points(text)) {
    switch (point) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
        out += "&#9;";  // as they are, these would be read as spaces in an attribute
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\r':
        out += "&#13;";
        break;
      default:
        const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
        append_utf8(out, control || point == 0xfffe || point == 0xffff ? 0xfffd : point);
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

std::string property(std::string_view name, std::string_view value) {
  return "   <property" + attribute("name", name) + attribute("value", value) + "/>\n";
}

// What a verdict is to JUnit.
enum class Kind { passed, failure, error, skipped };

Kind kind(const Comparison& comparison, Verdict verdict) {
  if (fails(comparison, verdict)) return Kind::failure;
  switch (verdict) {
    case Verdict::not_comparable:
      return Kind::error;
    case Verdict::missing:
    case Verdict::inconclusive:
    case Verdict::insufficient:
    case Verdict::added:
      return Kind::skipped;
    default:
      return Kind::passed;
  }
}

std::string count_text(const std::optional<Figure>& figure) {
  if (!figure) return "none";
  return counted(figure->samples, "sample", "samples") + " of " +
         counted(figure->processes, "process", "processes");
}

std::string test_case(const Compared& found, Kind kind) {
  const std::string_view family_and_variant =
      std::string_view(found.id).substr(0, found.id.find('?'));
  std::string out = "  <testcase" + attribute("name", found.id) +
                    attribute("classname", family_and_variant) + " time=\"0\">\n   ";
  const std::string said = sentence(found);
  const std::string typed = attribute("type", name(found.verdict)) + attribute("message", said);
  const std::string counts =
      "base: " + count_text(found.base) + ", new: " + count_text(found.fresh);
  switch (kind) {
    case Kind::passed:
      out += "<system-out>" + escaped(std::string(name(found.verdict)) + ": " + said) +
             "</system-out>";
      break;
    case Kind::skipped:
      out += "<skipped" + typed + "/>";
      break;
    case Kind::failure:
      out += "<failure" + typed + ">" + escaped(counts) + "</failure>";
      break;
    case Kind::error:
      out += "<error" + typed + ">" + escaped(counts) + "</error>";
      break;
  }
  return out + "\n  </testcase>\n";
}

// A suite of which nothing failed passes, but a comparison that compared nothing does not.
std::string nothing_compared(const Comparison& comparison) {
  return "  <testcase" + attribute("name", title) + attribute("classname", "gpubench") +
         " time=\"0\">\n   <error" + attribute("type", name(Verdict::not_comparable)) +
         attribute("message", "nothing was compared: " + headline(comparison)) +
         "/>\n  </testcase>\n";
}

std::string properties(const Comparison& comparison) {
  std::string out = "  <properties>\n";
  out += property("options", options_text(comparison));
  for (const auto& [side, facts] :
       {std::pair{"base", &comparison.base}, std::pair{"new", &comparison.fresh}}) {
    const std::string prefix = side;
    out += property(prefix + ".files", join(facts->files, ", "));
    out += property(prefix + ".facts", join(facts_of(*facts), ", "));
  }
  out += property("exit_code", std::to_string(static_cast<int>(exit_code(comparison))));
  return out + "  </properties>\n";
}

}  // namespace

std::string comparison_junit(const Comparison& comparison) {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string cases;
  for (const Compared& found : comparison.cases) {
    const Kind what = kind(comparison, found.verdict);
    ++tests;
    failures += what == Kind::failure;
    errors += what == Kind::error;
    skipped += what == Kind::skipped;
    cases += test_case(found, what);
  }
  if (exit_code(comparison) == ExitCode::not_comparable && errors == 0) {
    ++tests;
    ++errors;
    cases += nothing_compared(comparison);
  }
  // The element around the suites has no `skipped` in the schema that Jenkins checks against.
  const std::string counts = attribute("name", title) + attribute("tests", std::to_string(tests)) +
                             attribute("failures", std::to_string(failures)) +
                             attribute("errors", std::to_string(errors)) + " time=\"0\"";
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts +
                    ">\n <testsuite" + counts + attribute("skipped", std::to_string(skipped)) +
                    ">\n" + properties(comparison) + cases;
  std::vector<std::string> sentences = comparison.warnings;
  sentences.insert(sentences.end(), comparison.remarks.begin(), comparison.remarks.end());
  if (!sentences.empty())
    out += "  <system-out>" + escaped(join(sentences, "\n")) + "</system-out>\n";
  return out + " </testsuite>\n</testsuites>\n";
}

}  // namespace gpubench
