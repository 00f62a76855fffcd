// The document as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "document/document.hpp"

namespace gpubench {

// In the order of the schema. Unknown is null. Throws Error{io} naming the place of a number that
// is not finite: such a document is never written. (An error of verification that is infinite is
// null like one that is NaN: JSON has neither, and a failed case must not cost the others.)
nlohmann::ordered_json to_json(const Document&);

// to_json as text, a newline at its end. Bytes that are not UTF-8 (in the command) are replaced.
std::string document_text(const Document&);

}  // namespace gpubench
