// A comparison as text. None of it has ANSI sequences; what came from a document (ids, reasons) is
// escaped for the format.
#pragma once

#include <cstddef>
#include <string>

#include "compare/comparison.hpp"

namespace gpubench {

// For people: the verdict line first, then warnings, then a table with what fails first, then
// remarks. Cases that are the same are counted, and listed only when `verbose`.
std::string comparison_table(const Comparison&, std::size_t width, bool verbose);
// A pull-request comment in GitHub's and GitLab's Markdown: verdict line, a table of what changed,
// the rest folded. No longer than 60,000 characters (GitHub takes 65,536): what does not fit is
// counted.
std::string comparison_markdown(const Comparison&);
// JUnit XML: a test case each; regressions and missing cases are failures, cases that nothing can
// be said of are skipped. Where nothing could be compared a test case of its own is an error, so
// that an empty comparison is not green.
std::string comparison_junit(const Comparison&);
// docs/comparison.schema.json.
std::string comparison_json(const Comparison&);
// The input of github-action-benchmark's customSmallerIsBetter (or customBiggerIsBetter for a
// metric of which more is better): an array of name, unit, value, range; of the new documents.
std::string comparison_github_action_benchmark(const Comparison&);

}  // namespace gpubench
