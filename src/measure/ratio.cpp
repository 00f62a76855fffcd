// Intervals of a ratio: between processes (Welch's t on logarithms) and within one (bootstrap).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/generator.hpp"
#include "measure/statistics.hpp"

namespace gpubench {
namespace {

void require_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw std::invalid_argument("a confidence lies between 0 and 1");
}

void require_positive(std::span<const double> values, std::size_t least) {
  if (values.size() < least) throw std::invalid_argument("too few values for an interval");
  for (double value : values)
    if (!(value > 0 && std::isfinite(value)))
      throw std::invalid_argument("a ratio needs finite values above 0");
}

// The mean of the logarithms is that of `reference`, the first value, plus `mean`. Taken so, equal
// values vary by exactly nothing, and a ratio of unvarying sides is not rounded twice.
struct Logarithms {
  double reference = 0;
  double mean = 0;
  double mean_variance = 0;  // of the mean: the squared standard error
  double degrees = 0;        // n - 1
};

Logarithms logarithms(std::span<const double> values) {
  require_positive(values, 2);
  const auto n = static_cast<double>(values.size());
  Logarithms logs{.reference = values.front(), .degrees = n - 1};
  const double reference = std::log(values.front());
  for (double value : values) logs.mean += (std::log(value) - reference) / n;
  double squares = 0;
  for (double value : values) {
    const double deviation = std::log(value) - reference - logs.mean;
    squares += deviation * deviation;
  }
  logs.mean_variance = squares / (n - 1) / n;
  return logs;
}

// exp of center +- the half width of a two-sided t interval, times `scale`.
Interval exponential_interval(double scale, double center, double standard_error, double degrees,
                              double confidence) {
  const double half_width = student_t_quantile((1 + confidence) / 2, degrees) * standard_error;
  return {scale * std::exp(center - half_width), scale * std::exp(center + half_width)};
}

// The two order statistics, counted from 0, whose mean is a median; one and the same of an odd
// count.
struct MiddleRanks {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

MiddleRanks middle_ranks(std::size_t n) {
  return {static_cast<std::uint32_t>((n - 1) / 2), static_cast<std::uint32_t>(n / 2)};
}

// The middle order statistics of n uniform draws, without drawing n numbers: how many of the draws
// have a leading 0 bit is binomial, which is the number of ones among n random bits. Only the half
// that holds the wanted order statistics is split further, so a resample takes some 2 n bits, and
// integers alone: the same ranks with every compiler and library.
class MiddleDraw {
 public:
  explicit MiddleDraw(std::uint64_t seed) : state_(seed) {}

  // The ranks, among n samples, of the middle ones of n draws with replacement. A draw is a 32-bit
  // fraction u that stands for rank floor(n u); no rank is favoured by more than n / 2^32.
  MiddleRanks operator()(std::size_t n) {
    auto [low, high] = middle_ranks(n);
    Node node{.draws = n};
    while (node.bits > 0 && node.draws > 1) {
      const auto [lower, upper] = split(node);
      if (high < lower.draws) {
        node = lower;
      } else if (low >= lower.draws) {
        low -= static_cast<std::uint32_t>(lower.draws);
        high -= static_cast<std::uint32_t>(lower.draws);
        node = upper;
      } else {  // neighbours part: the last of the lower half, the first of the upper
        const std::uint64_t last = descend(lower, low), first = descend(upper, 0);
        return {rank(last, n), rank(first, n)};
      }
    }
    const std::uint32_t same = rank(descend(node, low), n);
    return {same, same};
  }

 private:
  // Draws that share all but their lowest `bits` bits.
  struct Node {
    std::uint32_t prefix = 0;
    int bits = 32;
    std::size_t draws = 0;
  };

  static std::uint32_t rank(std::uint64_t fraction, std::size_t n) {
    return static_cast<std::uint32_t>(fraction * n >> 32);
  }

  // SplitMix64.
  std::uint64_t next() {
    const std::uint64_t value = mix64(state_);
    state_ += 0x9e3779b97f4a7c15u;
    return value;
  }

  std::pair<Node, Node> split(const Node& node) {
    std::size_t zeros = 0, left = node.draws;
    for (; left > 64; left -= 64) zeros += static_cast<std::size_t>(std::popcount(next()));
    zeros += static_cast<std::size_t>(std::popcount(next() >> (64 - left)));
    const int bits = node.bits - 1;
    return {{node.prefix, bits, zeros}, {node.prefix | 1u << bits, bits, node.draws - zeros}};
  }

  // The order statistic `index` of a node's draws.
  std::uint32_t descend(Node node, std::size_t index) {
    while (node.bits > 0) {
      if (node.draws == 1)  // nothing left to count: its other bits in one go
        return node.prefix | static_cast<std::uint32_t>(next() >> (64 - node.bits));
      const auto [lower, upper] = split(node);
      if (index < lower.draws) {
        node = lower;
      } else {
        index -= lower.draws;
        node = upper;
      }
    }
    return node.prefix;
  }

  std::uint64_t state_;
};

// The draws of one side at one number of samples.
struct RankTable {
  std::vector<MiddleRanks> resamples;
  MiddleRanks reach;  // the lowest and the highest rank that occur, or that the median itself has
};

RankTable draw_ranks(std::uint64_t seed, std::size_t n, std::size_t resamples) {
  RankTable table{std::vector<MiddleRanks>(resamples), middle_ranks(n)};
  MiddleDraw draw(seed);
  for (MiddleRanks& ranks : table.resamples) {
    ranks = draw(n);
    table.reach.low = std::min(table.reach.low, ranks.low);
    table.reach.high = std::max(table.reach.high, ranks.high);
  }
  return table;
}

// The values with those in order that the table reaches: of many samples a few around the median.
std::vector<double> ordered(std::span<const double> values, const RankTable& table) {
  std::vector<double> copy(values.begin(), values.end());
  const auto low = copy.begin() + table.reach.low, high = copy.begin() + table.reach.high;
  std::nth_element(copy.begin(), low, copy.end());
  std::nth_element(low, high, copy.end());
  std::sort(low, high + 1);
  return copy;
}

// Twice the median.
double doubled_median(const std::vector<double>& ordered, MiddleRanks ranks) {
  return ordered[ranks.low] + ordered[ranks.high];
}

// quantile() at both ends of a two-sided interval. Only the ends are sorted, which for a usual
// confidence takes a fifth of the time of sorting all, and half that of std::nth_element. Reorders.
Interval percentile_interval(std::vector<double>& values, double confidence) {
  const std::size_t last = values.size() - 1;
  const double position = (1 - confidence) / 2 * static_cast<double>(last);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, last);
  const double fraction = position - static_cast<double>(below);
  const auto count = static_cast<std::ptrdiff_t>(above + 1);
  std::partial_sort(values.begin(), values.begin() + count, values.end());
  const double low = values[below] + fraction * (values[above] - values[below]);
  std::partial_sort(values.rbegin(), values.rbegin() + count, values.rend(), std::greater<>());
  const double outer = values[last - below], inner = values[last - above];
  return {low, outer - fraction * (outer - inner)};
}

}  // namespace

RatioEstimate welch_log_ratio(std::span<const double> base, std::span<const double> fresh,
                              double confidence) {
  require_confidence(confidence);
  const Logarithms b = logarithms(base), f = logarithms(fresh);
  const double scale = f.reference / b.reference, center = f.mean - b.mean;
  const double ratio = scale * std::exp(center);
  const double variance = b.mean_variance + f.mean_variance;
  if (variance == 0) return {ratio, {ratio, ratio}};
  // Welch-Satterthwaite, divided by the square of `variance` so that nothing underflows.
  const double b_share = b.mean_variance / variance, f_share = f.mean_variance / variance;
  const double degrees = 1 / (b_share * b_share / b.degrees + f_share * f_share / f.degrees);
  return {ratio, exponential_interval(scale, center, std::sqrt(variance), degrees, confidence)};
}

Interval log_mean_interval(std::span<const double> values, double confidence) {
  require_confidence(confidence);
  const Logarithms logs = logarithms(values);
  return exponential_interval(logs.reference, logs.mean, std::sqrt(logs.mean_variance),
                              logs.degrees, confidence);
}

struct MedianRatioBootstrap::Ranks {
  // Of the two sides: different draws, so that equal sizes are independent of each other.
  enum Side : std::uint64_t { base_side, fresh_side };

  explicit Ranks(int count) : resamples(static_cast<std::size_t>(count)) {}

  // A function of (side, n) alone: whoever asks first changes nothing.
  std::shared_ptr<const RankTable> of(Side side, std::size_t n) {
    const std::lock_guard lock(mutex);
    std::shared_ptr<const RankTable>& table = tables[{side, n}];
    if (!table) {
      const std::uint64_t seed = mix64(mix64(side) ^ n);
      table = std::make_shared<const RankTable>(draw_ranks(seed, n, resamples));
    }
    return table;
  }

  const std::size_t resamples;
  std::mutex mutex;
  std::map<std::pair<Side, std::size_t>, std::shared_ptr<const RankTable>> tables;
};

MedianRatioBootstrap::MedianRatioBootstrap(int resamples) {
  if (resamples < 1) throw std::invalid_argument("a bootstrap of no resamples");
  ranks_ = std::make_unique<Ranks>(resamples);
}

MedianRatioBootstrap::~MedianRatioBootstrap() = default;

RatioEstimate MedianRatioBootstrap::operator()(std::span<const double> base,
                                               std::span<const double> fresh,
                                               double confidence) const {
  require_confidence(confidence);
  require_positive(base, 1);
  require_positive(fresh, 1);
  const auto base_ranks = ranks_->of(Ranks::base_side, base.size());
  const auto fresh_ranks = ranks_->of(Ranks::fresh_side, fresh.size());
  const std::vector<double> b = ordered(base, *base_ranks), f = ordered(fresh, *fresh_ranks);
  std::vector<double> ratios(ranks_->resamples);
  for (std::size_t i = 0; i < ratios.size(); ++i)
    ratios[i] =
        doubled_median(f, fresh_ranks->resamples[i]) / doubled_median(b, base_ranks->resamples[i]);
  const double ratio =
      doubled_median(f, middle_ranks(f.size())) / doubled_median(b, middle_ranks(b.size()));
  return {ratio, percentile_interval(ratios, confidence)};
}

}  // namespace gpubench
