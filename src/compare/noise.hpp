// The noise between processes of one build: what it is taken to be, and how it is calibrated.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/comparison.hpp"
#include "compare/side.hpp"

namespace gpubench {

// docs/noise.schema.json is its contract.
inline constexpr std::string_view noise_schema = "gpubench.noise/1";

// A relative difference below which two runs of one build differ all the time, and where it is
// from.
struct Floor {
  double value = 0;  // 0.02 is 2 %
  std::string source;
};

// What is taken where nothing is calibrated, by kind of case: the range of the medians of twelve
// processes on an H200 (docs/ci.md has the table).
Floor default_floor(const Entry&, const DeviceFacts&);

// Floors of one build on one device, by case and metric.
struct NoiseCase {
  std::string id;
  int processes = 0;
  std::optional<double> time, percent_of_roof, percent_of_roof_at_clock, energy;
  std::optional<double> of(Metric) const;
};

struct Noise {
  std::string device;
  std::string created_at;
  std::vector<std::string> files;
  std::vector<NoiseCase> cases;
  std::vector<std::string> warnings = {};  // what makes the documents no runs of one build alike
};

// The 95th percentile, over all pairs of processes, of how much larger the larger figure is
// (medians; of the energy the figure itself). Empty with fewer than two processes that have one,
// and where one is out of range.
std::optional<double> noise_floor(const Entry&, Metric);
// Of every case that has two processes or more. Throws Error{not_comparable} where none has.
Noise calibrate(const Side&);

std::string noise_json(const Noise&);
// Throws Error{io} and Error{not_comparable} as read_document() does.
Noise read_noise(const std::string& path);
// The same from memory; `name` is what messages call it.
Noise parse_noise(std::string_view text, const std::string& name);
// For people: a row a case, and whether the clock explains the noise of the power-limited ones.
std::string noise_table(const Noise&, std::size_t width);

}  // namespace gpubench
