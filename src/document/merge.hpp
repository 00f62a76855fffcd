// The documents of several processes that ran one plan, made one.
#pragma once

#include <vector>

#include "document/document.hpp"

namespace gpubench {

// Tool, host, device and ceilings are the first one's. A case is ok where every process that came
// to it measured it: its samples are those of all, kept by process as well; its interval is
// Student's t interval of the logarithms of the process medians, so that it carries the noise
// between processes (empty for two, which would make it wider than it is worth); telemetry is the
// median, and kept by process as well. Where a process failed, or could not run it, that is the
// case's status, and the reason says which process. At least one document; the status is
// interrupted where that of any is.
Document merge_processes(std::vector<Document>&&);

}  // namespace gpubench
