#include "registry/variant.hpp"

namespace gpubench {

std::string_view name(Role role) {
  switch (role) {
    case Role::ladder:
      return "ladder";
    case Role::reference:
      return "reference";
  }
  return "";
}

}  // namespace gpubench
