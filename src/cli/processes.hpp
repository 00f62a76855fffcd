// `run --processes K`: this program, started K times, one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "document/document.hpp"

namespace gpubench {

// The arguments of a child: those of this command without what belongs to the parent (its outputs,
// the number of processes), the document on standard output, and the ceilings in `ceilings` (a
// path; empty: as given). `quiet`: and -q.
std::vector<std::string> child_arguments(const std::vector<std::string>& command_line,
                                         const std::string& ceilings, bool quiet);

struct ProcessesResult {
  std::optional<Document> document;  // of all, merged
  ExitCode code = ExitCode::ok;  // of the first child, where it left no document: it has said why
};

// Runs the K processes and merges their documents. The first measures the ceilings, unless the
// command line gives a document; the others are held to the same. This process opens no device, so
// that each child has it to itself. At an interrupt the child finishes as a run does, and what
// there is is merged. Throws Error where a later child leaves no document, or one is ended by a
// signal.
ProcessesResult run_processes(const Arguments&, Progress&);

}  // namespace gpubench
