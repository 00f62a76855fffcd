// tests/data/statistics_reference.json: values computed elsewhere, by the script beside it.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace gpubench {

// A table of the file, an array of rows. Throws when the file or the table is not there.
inline nlohmann::json statistics_reference(const std::string& table) {
  std::ifstream file(GPUBENCH_SOURCE_DIR "/tests/data/statistics_reference.json");
  return nlohmann::json::parse(file).at(table);
}

}  // namespace gpubench
