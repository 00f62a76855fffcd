#include "kernels/reduction/oracle.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

namespace gpubench::reduction {

namespace {

// Partial sums must stay below 2^24 to be exact in float in every order. A sum S of k <= n random
// integers in [-m, m] has P(|S| >= t) <= 2 exp(-t^2 / (2 n m^2)) (Hoeffding): with t = 2^24, m =
// 16, n = 2^31 that is 2 exp(-256) = 1e-111. Zeros, which could be dropped unseen, are 1 in 33.
constexpr float integer_magnitude = 16.0f;
constexpr float large_magnitude =
    1e30f;  // 2^38 of them of one sign would just overflow; random ones never do
constexpr float equal_value = 0.1f;
constexpr float outlier_value = 1e4f;

// Sum of all inputs: plain double sums of pieces, each in order, so that the answer does not depend
// on the number of threads. The error, below 2^-53 * sqrt(n) of a partial sum, is nothing beside a
// float's.
double exact_sum(const Inputs& inputs, std::int64_t n) {
  constexpr std::int64_t piece = std::int64_t{1} << 20;
  const std::int64_t pieces = (n + piece - 1) / piece;
  std::vector<double> sums(static_cast<std::size_t>(pieces));
  std::atomic<std::int64_t> next = 0;
  const auto sum_pieces = [&] {
    for (std::int64_t k = next++; k < pieces; k = next++) {
      double sum = 0;
      const std::int64_t end = std::min(n, (k + 1) * piece);
      for (std::int64_t i = k * piece; i < end; ++i) sum += inputs.at(0, i);
      sums[static_cast<std::size_t>(k)] = sum;
    }
  };
  {
    const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;  // joined at the end of the block, also on an exception
    for (std::int64_t t = 1; t < std::min(cores, pieces); ++t) helpers.emplace_back(sum_pieces);
    sum_pieces();
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace

Generator generator(const Problem& p, DType, std::size_t input, InputKind kind,
                    std::uint64_t seed) {
  Generator g;
  g.seed = seed;
  g.buffer = static_cast<std::int32_t>(input);
  g.row_length = p.n;  // one outlier in all
  switch (kind) {
    case InputKind::random:
      break;
    case InputKind::integers:
      g.pattern = Pattern::integers;
      g.scale = integer_magnitude;
      break;
    case InputKind::large:
      g.scale = large_magnitude;
      break;
    case InputKind::equal:
      g.pattern = Pattern::constant;
      g.scale = equal_value;
      break;
    case InputKind::outlier:
      g.pattern = Pattern::outlier;
      g.scale = outlier_value;
      break;
    case InputKind::infinite_rows:
      g.pattern = Pattern::infinite_rows;
      g.row_length = std::max<std::int64_t>(1, p.n / 3);
      break;
  }
  return g;
}

// An addition with result s errs by at most u |s|, u = 2^-24, and by 0.425 u |s| root mean square
// (the error is uniform within half a unit in the last place, s log-uniform within its binade:
// sqrt(3 / (8 ln 2) / 3) = 0.425). Inputs of root mean square r and random sign make partial sums
// of k terms sqrt(k) r large. So a tree's level of n / k additions gives the error's variance (n /
// k) (0.425 u)^2 k r^2 = n (0.425 u r)^2, whatever k is: each of the log2(n) levels the same. An
// accumulator that takes m terms one after another gives m^2 / 2 (0.425 u r)^2, all n / m of them n
// m / 2 (...)^2. Together
//   sigma = 0.425 u r sqrt(n (log2(n) + m / 2)),   and the tolerance is 6 sigma,
// with m = max(1024, n / 2^18): a persistent kernel's 2^18 threads (128 SMs of 2048), or the blocks
// of a host loop. At n = 2^28 that is 0.033, where elements are 0.5 large on average, a tree's
// sigma is 0.0013, and one float running through all n has 0.425 u r n / sqrt(2) = 2.8.
//   outlier V: the additions that it goes through, up to m + log2(n), each err by 0.425 u V more.
//   equal: errors share their sign, so no root helps: u times the longest path times the sum of
//   magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
double tolerance(std::int64_t n, DType dtype, InputKind kind) {
  if (n == 1 || kind == InputKind::integers) return 0;
  const double u = unit_roundoff(dtype);
  const double count = static_cast<double>(n);
  const double chain = std::min(count, std::max(1024.0, count * 0x1p-18));
  const double path = chain + std::log2(count);
  if (kind == InputKind::equal) return path * u * count * static_cast<double>(equal_value);
  const double scale = kind == InputKind::large ? static_cast<double>(large_magnitude) : 1.0;
  const double mean_square = scale * scale / 3;  // of uniform in [-scale, scale]
  double variance = count * mean_square * (chain / 2 + std::log2(count));
  if (kind == InputKind::outlier) variance += path * std::pow(outlier_value, 2);
  return 6 * 0.425 * u * std::sqrt(variance);
}

void oracle(const Problem& p, DType dtype, const Inputs& inputs,
            std::span<const std::int64_t> indices, std::span<Expected> out) {
  if (indices.empty()) return;
  const double sum = exact_sum(inputs, p.n);
  for (std::size_t i = 0; i < indices.size(); ++i)
    out[i] = {sum, tolerance(p.n, dtype, inputs.kind())};
}

}  // namespace gpubench::reduction
