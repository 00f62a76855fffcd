#include <algorithm>

#include "base/table.hpp"
#include "base/text.hpp"
#include "compare/report.hpp"
#include "compare/report_parts.hpp"

namespace gpubench {
namespace {

// Lines no wider than `width`, broken at spaces; a word that is wider has a line of its own.
std::string wrapped(std::string_view text, std::size_t width, const std::string& first_indent,
                    const std::string& indent) {
  std::string out, line = first_indent;
  bool empty = true;  // the line has no word yet
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!empty && display_width(line) + 1 + display_width(word) > width) {
      out += line + "\n";
      line = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return out + line + "\n";
}

std::string side_text(const char* title, const SideFacts& side, std::size_t width) {
  constexpr std::size_t most_files = 8;
  const std::string files = join(first_of(side.files, most_files), ", ");
  const std::string facts = join(facts_of(side), ", ");
  return wrapped(clean(title + files + (facts.empty() ? "" : " (" + facts + ")")), width, "",
                 "      ");
}

// The text of a table with lines below each of its rows, the heading's first.
std::string interleaved(std::string_view table, const std::vector<std::string>& below) {
  std::string out;
  for (const std::string& lines : below) {
    const std::size_t end = table.find('\n') + 1;
    out += table.substr(0, end);
    out += lines;
    table.remove_prefix(end);
  }
  return out;
}

std::string rows_text(const std::vector<const Compared*>& cases, std::size_t width) {
  struct Row {
    std::string verdict, id, change;
  };
  std::vector<Row> rows;
  std::size_t verdicts = 0, ids = 0, changes = 0;
  for (const Compared* found : cases) {
    rows.push_back({std::string(name(found->verdict)), clean(found->id), change_of(*found)});
    verdicts = std::max(verdicts, display_width(rows.back().verdict));
    ids = std::max(ids, display_width(rows.back().id));
    changes = std::max(changes, display_width(rows.back().change));
  }
  // Where the ids leave no room for what happened, they stand below it.
  const bool id_below = verdicts + 2 + ids + 2 + changes > width;
  const std::string indent = "    ";
  std::vector<Column> columns = {{"verdict", false}};
  if (!id_below) columns.push_back({"case", false});
  columns.insert(
      columns.end(),
      {{"base", true, 4}, {"new", true, 5}, {"change", false, 9}, {"threshold", false, 3}});
  Table table(std::move(columns));
  std::vector<std::string> below = {id_below ? indent + "case\n" : ""};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Compared& found = *cases[i];
    std::vector<std::string> cells = {rows[i].verdict};
    if (!id_below) cells.push_back(rows[i].id);
    for (const std::string& cell : {figure_of(found, found.base), figure_of(found, found.fresh),
                                    rows[i].change, threshold_text(found)})
      cells.push_back(clean(cell));
    table.add(std::move(cells));
    below.push_back(id_below ? indent + rows[i].id + "\n" : "");
    if (const std::string remarks = clean(join(remarks_of(found), ", ")); !remarks.empty())
      below.back() += wrapped(remarks, width, indent, indent);
  }
  return interleaved(table.text(width), below);
}

}  // namespace

std::string comparison_table(const Comparison& comparison, std::size_t width, bool verbose) {
  // One line, however wide: scripts look for it.
  std::string out = std::string(outcome(comparison)) + ": " + headline(comparison) + "\n";
  out += side_text("base: ", comparison.base, width);
  out += side_text("new:  ", comparison.fresh, width);
  out += wrapped(options_text(comparison), width, "", "  ");
  for (const std::string& warning : comparison.warnings)
    out += wrapped("warning: " + clean(warning), width, "", "  ");

  std::vector<const Compared*> shown = cases_worst_first(comparison);
  if (!verbose)
    std::erase_if(shown, [](const Compared* found) { return found->verdict == Verdict::same; });
  if (!shown.empty()) out += "\n" + rows_text(shown, width);
  if (const std::size_t left_out = comparison.cases.size() - shown.size(); left_out > 0)
    out += "\n" + wrapped(counted(static_cast<std::int64_t>(left_out), "case is", "cases are") +
                              " the same within the threshold; -v lists them",
                          width, "", "  ");
  for (const std::string& remark : comparison.remarks)
    out += "\n" + wrapped(clean(remark), width, "", "  ");
  return out;
}

}  // namespace gpubench
