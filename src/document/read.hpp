// Reading a results document, believing nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "document/document.hpp"

namespace gpubench {

// 100,000 cases of 20 samples are 300 MB.
inline constexpr std::size_t largest_document = std::size_t{512} << 20;

using TakeCase = std::function<void(CaseRecord&&)>;

// Throws Error{io} for a file that cannot be read (a folder or a FIFO is not),
// Error{not_comparable} for content that is not a whole document of this schema, with the place:
// "FILE: at cases[3].timing.median_s: expected a number, found null". Keys that the schema does not
// have are passed over.
Document read_document(const std::string& path);
// The same, for documents too large to keep: each case is handed over as it is read, and
// Document::cases stays empty. Cases come before it is known whether the rest is sound.
Document read_document(const std::string& path, const TakeCase&);
// The same from memory; `name` is what messages call it.
Document parse_document(std::string_view text, const std::string& name);

}  // namespace gpubench
