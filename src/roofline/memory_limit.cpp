#include "roofline/memory_limit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gpubench {
namespace {

// Up to this many times L2, all of a warm working set is read at the rate of L2; beyond, a part of
// it comes from DRAM.
constexpr double l2_holds = 0.6;
// Up to this many times L2, a warm working set is held to what L2 makes of it, also where no sweep
// was measured; beyond, DRAM.
constexpr double largest_l2_set = 4;
// Up to this many times a cache, a part of a warm working set is found in it (a CPU keeps it from
// launch to launch).
constexpr double partly_held = 2;

bool measured(const Ceiling& ceiling) {
  return ceiling.status == "ok" && ceiling.value && *ceiling.value > 0;
}

MemoryLimit limit_of(const Ceiling& ceiling) {
  return {ceiling.name, *ceiling.value};
}

struct Point {
  double at = 0;
  MemoryLimit limit;
};

// Piecewise linear through the points, which are in ascending order, and level beyond the
// outermost. It bears the name of the nearest.
std::optional<MemoryLimit> interpolate(std::span<const Point> points, double at) {
  if (points.empty()) return std::nullopt;
  const auto above = std::ranges::lower_bound(points, at, {}, &Point::at);
  if (above == points.begin()) return points.front().limit;
  if (above == points.end()) return points.back().limit;
  const Point& below = *(above - 1);
  const double t = (at - below.at) / (above->at - below.at);
  return MemoryLimit{t < 0.5 ? below.limit.name : above->limit.name,
                     std::lerp(below.limit.bytes_per_s, above->limit.bytes_per_s, t)};
}

// Memory that reads and writes at once is faster, or slower, than memory that only reads: the limit
// follows the write share.
std::optional<MemoryLimit> dram_limit(std::span<const Ceiling> ceilings, double write_share) {
  constexpr std::pair<std::string_view, double> shares[] = {
      {"dram_read", 0}, {"dram_triad", 1.0 / 3}, {"dram_copy", 0.5}, {"dram_write", 1}};
  std::vector<Point> points;
  for (const auto& [name, share] : shares)
    if (const Ceiling* ceiling = find_measured(ceilings, name))
      points.push_back({share, limit_of(*ceiling)});
  return interpolate(points, write_share);
}

// The read sweep as an upper envelope over the logarithm of the working set, ascending: a point is
// at least as high as every larger set's, since a part of a set is read no slower than the whole.
// A document may list the points in any order.
std::vector<Point> sweep_envelope(std::span<const Ceiling> ceilings) {
  std::vector<Point> points;
  for (const Ceiling& ceiling : ceilings)
    if (measured(ceiling) && ceiling.name.starts_with("read_sweep_") &&
        ceiling.data_pattern != DataPattern::zeros && ceiling.working_set_bytes.value_or(0) > 0)
      points.push_back(
          {std::log2(static_cast<double>(*ceiling.working_set_bytes)), limit_of(ceiling)});
  std::ranges::sort(points, {}, &Point::at);
  double highest = 0;
  for (auto point = points.rbegin(); point != points.rend(); ++point)
    point->limit.bytes_per_s = highest = std::max(highest, point->limit.bytes_per_s);
  return points;
}

// A warm set of which L2 holds all or, where it is `missing`, a part.
std::optional<MemoryLimit> l2_limit(std::span<const Ceiling> ceilings,
                                    std::span<const Point> envelope, double working_set_bytes,
                                    double write_share, bool missing) {
  std::optional<MemoryLimit> l2;
  if (const Ceiling* ceiling = find_measured(ceilings, "l2_read")) l2 = limit_of(*ceiling);
  if (envelope.empty() || !missing) return l2;
  std::optional<MemoryLimit> limit = interpolate(envelope, std::log2(working_set_bytes));
  // Where all of a set hits, l2_read is what was measured with more care; nothing is faster.
  if (l2 && l2->bytes_per_s < limit->bytes_per_s) limit = l2;
  // Writing may be what DRAM does better; and no warm case is held to less than if it were cold.
  const std::optional<MemoryLimit> dram = dram_limit(ceilings, write_share);
  if (dram && dram->bytes_per_s > limit->bytes_per_s) limit = dram;
  return limit;
}

// A warm set that the caches of a host below the last level hold, all of it or to a good part. Up
// to the size of them it is read at the rate of core_l2_read, unless a good part of it is in the L1
// of the cores, for which a host has no ceiling; nor is there one for what is in part in each of
// two levels.
std::optional<MemoryLimit> inner_limit(std::span<const Ceiling> ceilings, double working_set_bytes,
                                       const DeviceFacts& facts) {
  const Ceiling* ceiling = find_measured(ceilings, "core_l2_read");
  const auto l1 = static_cast<double>(facts.core_l1_bytes.value_or(0));
  const auto inner = static_cast<double>(facts.inner_cache_bytes.value_or(0));
  if (!ceiling || !(l1 > 0) || working_set_bytes <= partly_held * l1 || working_set_bytes > inner)
    return std::nullopt;
  return limit_of(*ceiling);
}

}  // namespace

const Ceiling* find_measured(std::span<const Ceiling> ceilings, std::string_view name) {
  for (const Ceiling& ceiling : ceilings)
    if (ceiling.name == name && measured(ceiling)) return &ceiling;
  return nullptr;
}

MemoryTerm memory_term(const Work& work, CacheMode cache, std::span<const Ceiling> ceilings,
                       const DeviceFacts& facts) {
  const auto l2 = static_cast<double>(facts.l2_bytes.value_or(0));
  const auto inner = static_cast<double>(facts.inner_cache_bytes.value_or(0));
  const double set = work.working_set_bytes;
  double written = work.bytes_written;
  // Cold: what is written stays in L2 until the sample is over, if it fits.
  if (cache == CacheMode::cold && written <= l2) written = 0;
  MemoryTerm term;
  term.bytes = work.bytes_read + written;
  const double write_share = term.bytes > 0 ? written / term.bytes : 0;

  const bool warm = cache == CacheMode::warm && l2 > 0;
  term.inner = warm && set <= largest_l2_set * l2 && set <= partly_held * inner;
  const bool missing = warm && set > l2_holds * l2;
  term.in_transition = missing && set <= largest_l2_set * l2 && !term.inner;
  if (!(term.bytes > 0)) return term;
  if (term.inner) {
    term.limit = inner_limit(ceilings, set, facts);
    return term;
  }
  term.needed = true;
  const std::vector<Point> envelope = warm ? sweep_envelope(ceilings) : std::vector<Point>();
  const bool swept = !envelope.empty() && std::log2(set) <= envelope.back().at;
  if (warm && (set <= largest_l2_set * l2 || swept))
    term.limit = l2_limit(ceilings, envelope, set, write_share, missing);
  else
    term.limit = dram_limit(ceilings, write_share);
  return term;
}

}  // namespace gpubench
