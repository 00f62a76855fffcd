#include "base/generator.hpp"

namespace gpubench {

std::string_view name(InputKind kind) {
  switch (kind) {
    case InputKind::random:
      return "random";
    case InputKind::integers:
      return "integers";
    case InputKind::large:
      return "large";
    case InputKind::equal:
      return "equal";
    case InputKind::outlier:
      return "outlier";
    case InputKind::infinite_rows:
      return "infinite_rows";
  }
  return "";
}

}  // namespace gpubench
