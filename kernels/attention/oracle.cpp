#include "kernels/attention/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gpubench::attention {
namespace {

// Tolerance. Variants compute in f32, with unit roundoff u. Rounding errors are taken as
// independent with a root mean square of at most 0.58 u of the rounded value, and six sigma are
// allowed.
//
// Adding n terms one after the other, which no other order is worse than, rounds partial sums. The
// k-th is about k/n of the result r, plus a random walk of k steps of the terms' root mean square,
// so that the squares of all of them add to (|r| sqrt(n / 3) + R sqrt(n / 2))^2, with R the root of
// the terms' summed squares.
//
//  1. A score s = sum of q k / sqrt(D) errs by that, by the rounding of its terms (R), and by a few
//     roundings of s itself and of s - max (the scale, the logarithms' base, the difference).
//  2. An error e of a score multiplies its weight by exp(e); exp itself and the weight's rounding
//  add
//     4 u. An output o = sum of p v is a mean, so that a weight's relative error a moves it by
//     a p (v - o): independent over the keys, the root of the summed squares.
//  3. The sums of p v and of p, over as many keys as have a weight above u: adding less than half a
//     unit in the last place errs by less than that.
//  4. Quotient and rounding of the output: 3 u, and the output type's roundoff.
constexpr double u = 0x1p-24;
constexpr double rounding = 0.58 * u;
constexpr double sigmas = 6;

double summation(double result, double root_square, double terms) {
  return rounding *
         (std::fabs(result) * std::sqrt(terms / 3) + root_square * (std::sqrt(terms / 2) + 1));
}

struct Key {
  std::int64_t index;  // in its head
  double probability;
  double error;  // of the probability, six sigma, absolute
};

// The keys that one query sees, with their probabilities.
struct Row {
  std::int64_t value_row = 0;  // of the head's first key in v
  std::vector<Key> keys;
  double heavy = 0;  // keys with a weight above u
};

Row attend(const Problem& p, const Inputs& in, std::int64_t flat_row) {
  const std::int64_t query = flat_row % p.n_q;
  const std::int64_t head = flat_row / p.n_q % p.heads;
  const std::int64_t batch = flat_row / p.n_q / p.heads;
  const std::int64_t sharing = p.heads / p.heads_kv;  // query heads to a key head
  Row row;
  row.value_row = (batch * p.heads_kv + head / sharing) * p.n_k;

  std::vector<double> q(static_cast<std::size_t>(p.d));
  for (std::int64_t t = 0; t < p.d; ++t)
    q[static_cast<std::size_t>(t)] = in.at(0, flat_row * p.d + t);

  const double depth = static_cast<double>(p.d);
  double maximum = -std::numeric_limits<double>::infinity();
  // `probability` holds the score and `error` its sigma, until the maximum is known.
  for (std::int64_t j = 0; j < p.n_k; ++j) {
    // Counted from the last query and the last key, a query never looks past its own position.
    if (p.causal && p.n_k - j < p.n_q - query) continue;
    double score = 0;
    double squares = 0;
    for (std::int64_t t = 0; t < p.d; ++t) {
      const double term = q[static_cast<std::size_t>(t)] * in.at(1, (row.value_row + j) * p.d + t);
      score += term;
      squares += term * term;
    }
    score /= std::sqrt(depth);
    const double sigma =
        summation(score, std::sqrt(squares / depth), depth) + 2 * rounding * std::fabs(score);
    maximum = std::max(maximum, score);
    row.keys.push_back({j, score, sigma});
  }
  double sum = 0;
  for (Key& key : row.keys) {
    const double below = maximum - key.probability;
    const double sigma = key.error + rounding * below;
    key.probability = std::exp(-below);
    key.error = key.probability * (std::expm1(sigmas * sigma) + 4 * u);
    sum += key.probability;
  }
  for (Key& key : row.keys) {
    key.probability /= sum;
    key.error /= sum;
    if (key.probability > u) ++row.heavy;
  }
  return row;
}

Expected output(const Problem& p, DType dtype, const Inputs& in, const Row& row, std::int64_t t) {
  if (row.keys.empty()) return {0, 0};
  double value = 0;
  double squares = 0;  // of p v
  double error_v2 = 0, error_v = 0, error = 0;
  for (const Key& key : row.keys) {
    const double v = in.at(2, (row.value_row + key.index) * p.d + t);
    const double term = key.probability * v;
    value += term;
    squares += term * term;
    const double error2 = key.error * key.error;
    error_v2 += error2 * v * v;
    error_v += error2 * v;
    error += error2;
  }
  // The sum of (error (v - value))^2, multiplied out, for value is known only now.
  const double weights =
      std::sqrt(std::max(0.0, error_v2 - 2 * value * error_v + value * value * error));
  const double terms = row.heavy + 2;
  const double sums = summation(value, std::sqrt(squares), terms) + summation(value, 0, terms);
  return {value, weights + sigmas * sums + (3 * u + unit_roundoff(dtype)) * std::fabs(value)};
}

}  // namespace

void oracle(const Problem& p, DType dtype, const Inputs& in, std::span<const std::int64_t> indices,
            std::span<Expected> expected) {
  std::int64_t flat_row = -1;
  Row row;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] / p.d != flat_row) {
      flat_row = indices[i] / p.d;
      row = attend(p, in, flat_row);
    }
    expected[i] = output(p, dtype, in, row, indices[i] % p.d);
  }
}

}  // namespace gpubench::attention
