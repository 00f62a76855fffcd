// Cases and ceilings as tables and CSV.
#pragma once

#include <span>
#include <string>

#include "document/document.hpp"

namespace gpubench {

// A table per family, type and cache mode, with a column for each parameter that varies; verbose:
// FLOPs a joule too.
std::string cases_table(std::span<const CaseRecord>, const DeviceFacts&, std::size_t width,
                        bool verbose = false);

// The ceilings that cases are held to, in one line with an empty one behind it.
std::string ceilings_line(std::span<const Ceiling>, std::span<const CaseRecord>);

// A header and a row per case, with a column for each parameter of any; empty cells where a case
// has no figure.
std::string cases_csv(std::span<const CaseRecord>);

std::string ceilings_table(std::span<const Ceiling>, const DeviceFacts&, std::size_t width);

}  // namespace gpubench
