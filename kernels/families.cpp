#include "kernels/families.hpp"

#include <array>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "kernels/attention/family.hpp"
#include "kernels/matmul/family.hpp"
#include "kernels/reduction/family.hpp"
#include "kernels/softmax/family.hpp"
#include "kernels/streams/family.hpp"
#include "kernels/vector_add/family.hpp"

namespace gpubench {

std::span<const Family* const> families() {
  static const std::array<const Family*, 6> all = {
      &vector_add::family(), &reduction::family(), &matmul::family(),
      &softmax::family(),    &streams::family(),   &attention::family(),
  };
  return all;
}

const Family& find_family(std::string_view name) {
  std::vector<std::string> names;
  for (const Family* family : families()) {
    if (family->name() == name) return *family;
    names.emplace_back(family->name());
  }
  throw Error(ExitCode::usage,
              "there is no family '" + std::string(name) + "'" + suggestion(name, names));
}

}  // namespace gpubench
