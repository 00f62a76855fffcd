// Small sound texts of every kind that `gpubench compare` and `run --config` read.
#pragma once

#include <string>
#include <vector>

namespace gpubench::fuzz {

// The first one is what the fuzz target compares others with.
std::vector<std::string> seed_documents();
std::vector<std::string> seed_noise_files();
std::vector<std::string> seed_suites();

}  // namespace gpubench::fuzz
