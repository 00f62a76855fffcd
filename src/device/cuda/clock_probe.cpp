#include "device/cuda/clock_probe.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace gpubench::cuda {
namespace {

constexpr double shortest_ns = 50e3;
constexpr double ticks_in_span = 50;  // an edge is missed by a part of a tick: 2 % at the very most
// Outside of this a counter stood still or was reset between the probes.
constexpr double slowest_hz = 5e7;
constexpr double fastest_hz = 1e10;

double middle(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2 == 1) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

// What most blocks saw: now and then a block is held up for several ticks.
double granularity(std::span<const ClockStamp> start, std::span<const ClockStamp> end) {
  std::vector<double> ticks;
  for (const auto& stamps : {start, end})
    for (const ClockStamp& stamp : stamps)
      if (stamp.tick > 0) ticks.push_back(stamp.tick);
  return ticks.empty() ? 0 : middle(ticks);
}

}  // namespace

std::optional<double> clock_between(std::span<const ClockStamp> start,
                                    std::span<const ClockStamp> end) {
  const double least_ns = std::max(shortest_ns, ticks_in_span * granularity(start, end));
  std::unordered_map<std::uint32_t, const ClockStamp*> first;
  for (const ClockStamp& stamp : start)
    if (stamp.tick > 0) first.try_emplace(stamp.multiprocessor, &stamp);
  std::vector<double> clocks;
  for (const ClockStamp& stamp : end) {
    const auto match = first.find(stamp.multiprocessor);
    if (stamp.tick == 0 || match == first.end()) continue;
    const ClockStamp& from = *match->second;
    if (stamp.nanoseconds <= from.nanoseconds || stamp.cycles <= from.cycles) continue;
    const auto nanoseconds = static_cast<double>(stamp.nanoseconds - from.nanoseconds);
    const double hz = static_cast<double>(stamp.cycles - from.cycles) / nanoseconds * 1e9;
    if (nanoseconds >= least_ns && hz >= slowest_hz && hz <= fastest_hz) clocks.push_back(hz);
  }
  if (clocks.empty()) return std::nullopt;
  return middle(clocks);
}

}  // namespace gpubench::cuda
