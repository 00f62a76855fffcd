#include <algorithm>
#include <array>
#include <functional>

#include "base/text.hpp"
#include "compare/report.hpp"
#include "compare/report_parts.hpp"

namespace gpubench {
namespace {

// GitHub takes 65,536 characters. Bytes are counted here, which are no fewer.
constexpr std::size_t most_bytes = 60000;
// What the end of a table takes: the counts of what did not fit, the tags.
constexpr std::size_t reserve = 600;
constexpr std::size_t most_files = 6, most_sentences = 8, most_notes = 6;
constexpr std::size_t longest_id = 200, longest_text = 300;

// No more than `most` code points, the middle left out.
std::string shortened(std::string_view text, std::size_t most) {
  const std::u32string points = code_points(text);
  std::string out;
  if (points.size() <= most) {
    out = text;
  } else {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i == most / 2) {
        out += "…";
        i = points.size() - most / 2;
      }
      append_utf8(out, points[i]);
    }
  }
  return out;
}

// A code span, in which nothing has a meaning but the fence, which is longer than any run of
// backticks inside, and, in a table, the pipe. Renderers take fences of up to 80.
std::string code(std::string_view raw, std::size_t most = longest_id) {
  const std::string text = shortened(clean(raw), most);
  constexpr std::size_t most_backticks = 40;
  std::string inside;
  std::size_t run = 0, longest_run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    if (run == most_backticks) inside += "…";
    if (run >= most_backticks) continue;
    longest_run = std::max(longest_run, run);
    if (c == '|') inside += '\\';
    inside += c;
  }
  const std::string fence(longest_run + 1, '`');
  // A space of padding at both ends is not part of the code.
  const bool pad = text.empty() || longest_run > 0 || text.front() == ' ';
  return fence + (pad ? " " : "") + inside + (pad ? " " : "") + fence;
}

// A text in which no character means anything to Markdown stands as it is, any other in code.
std::string plain(std::string_view raw) {
  const std::string text = shortened(clean(raw), longest_text);
  constexpr std::string_view safe = " .,:;%+-=()/'\"?";
  const auto is_word = [&](std::size_t i) {
    const auto c = static_cast<unsigned char>(i < text.size() ? text[i] : ' ');
    return c >= 0x80 || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
  };
  const auto harmless = [&](std::size_t i) {
    // An underscore inside a word emphasizes nothing.
    if (text[i] == '_') return i > 0 && is_word(i - 1) && is_word(i + 1);
    return is_word(i) || safe.find(text[i]) != safe.npos;
  };
  bool all = text.find("//") == text.npos && text.find("www.") == text.npos;  // no links
  for (std::size_t i = 0; all && i < text.size(); ++i) all = harmless(i);
  return all ? text : code(raw, longest_text);
}

std::string joined(const std::vector<std::string>& texts, std::size_t most,
                   const std::function<std::string(std::string_view)>& format) {
  std::vector<std::string> parts;
  for (const std::string& text : first_of(texts, most)) parts.push_back(format(text));
  return join(parts, ", ");
}

std::string row(const Compared& found) {
  const std::array<std::string, 7> cells = {std::string(name(found.verdict)),
                                            code(found.id),
                                            plain(figure_of(found, found.base)),
                                            plain(figure_of(found, found.fresh)),
                                            change_of(found),
                                            plain(threshold_text(found)),
                                            joined(remarks_of(found), most_notes, plain)};
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + (cell.empty() ? "|" : " |");
  return line + "\n";
}

// A table of what fits in `budget` bytes, and how many of each verdict did not.
std::string table(const std::vector<const Compared*>& cases, std::size_t budget) {
  std::string out =
      "| verdict | case | base | new | change | threshold | notes |\n"
      "|---|---|--:|--:|--:|--:|---|\n";
  std::size_t shown = 0;
  for (; shown < cases.size(); ++shown) {
    const std::string line = row(*cases[shown]);
    if (out.size() + line.size() + reserve > budget) break;
    out += line;
  }
  std::vector<std::string> more;
  for (std::size_t i = shown; i < cases.size();) {
    const Verdict verdict = cases[i]->verdict;
    const auto first = i;
    while (i < cases.size() && cases[i]->verdict == verdict) ++i;
    const std::string number = counted(static_cast<int>(i - first), verdict);
    const std::size_t space = number.find(' ');
    more.push_back(number.substr(0, space) + " more" + number.substr(space));
  }
  if (!more.empty()) out += "\n… and " + join(more, ", ") + "\n";
  return out;
}

std::string list(const std::vector<std::string>& sentences, const std::string& title) {
  std::string out;
  for (const std::string& sentence : first_of(sentences, most_sentences))
    out += "- " + title + plain(sentence) + "\n";
  return out;
}

std::string side_text(const std::string& title, const SideFacts& side) {
  const std::string facts = joined(facts_of(side), most_notes, plain);
  return "- " + title +
         joined(side.files, most_files, [](std::string_view file) { return code(file); }) +
         (facts.empty() ? "" : " (" + facts + ")") + "\n";
}

std::string footer(const Comparison& comparison) {
  return side_text("base: ", comparison.base) + side_text("new: ", comparison.fresh) + "- " +
         options_text(comparison) +
         "\n- a regression: its whole interval is worse than its threshold, which is the min "
         "effect or, with few processes a side, the noise expected between them where that is "
         "more\n";
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison) {
  std::string out =
      "**gpubench: " + std::string(outcome(comparison)) + "** — " + headline(comparison) + "\n\n";
  if (!comparison.warnings.empty()) out += list(comparison.warnings, "warning: ") + "\n";
  const std::string end = list(comparison.remarks, "") + footer(comparison);

  const auto first = [&](const Compared* found) {
    return fails(comparison, found->verdict) ||
           (found->verdict != Verdict::same && found->verdict != Verdict::added &&
            found->verdict != Verdict::insufficient);
  };
  std::vector<const Compared*> changed, rest;
  for (const Compared* found : cases_worst_first(comparison))
    (first(found) ? changed : rest).push_back(found);
  const auto budget = [&] { return most_bytes - end.size() - out.size(); };
  // The folded table has at least its heading and its counts.
  if (!changed.empty()) out += table(changed, budget() - 2 * reserve) + "\n";
  if (!rest.empty()) {
    std::vector<std::string> counts;
    for (const Verdict verdict : worst_first(comparison))
      if (const auto number = std::ranges::count(rest, verdict, &Compared::verdict); number > 0)
        counts.push_back(counted(static_cast<int>(number), verdict));
    out += "<details><summary>" + join(counts, ", ") + "</summary>\n\n";
    out += table(rest, budget()) + "\n</details>\n\n";
  }
  return out + end;
}

}  // namespace gpubench
