// Reading a results document, believing nothing.
#pragma once

#include <cstddef>
#include <string>

#include "document/document.hpp"

namespace gpubench {

// 100,000 cases of 20 samples are 300 MB.
inline constexpr std::size_t largest_document = std::size_t{512} << 20;

// Throws Error{io} for a file that cannot be read (a folder or a FIFO is not),
// Error{not_comparable} for content that is not a whole document of this schema, with the place:
// "FILE: at cases[3].timing.median_s: expected a number, found null". Keys that the schema does not
// have are passed over.
Document read_document(const std::string& path);

}  // namespace gpubench
