#include "kernels/matmul/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace gpubench::matmul {
namespace {

constexpr float outlier = 100;
constexpr float equal = 0.5f;

// Half-width of the random elements of `large`. In f16 the sum must stay below 65504: it has the
// standard deviation s^2 sqrt(k) / 3, and this makes six of it 32000 (and k s^2, the largest sum
// there is, 65504 at most up to k = 16).
float large_scale(const Problem& p, DType dtype) {
  if (dtype == DType::f32) return 1000;
  return static_cast<float>(std::sqrt(16000.0 / std::sqrt(static_cast<double>(p.k))));
}

// Magnitude s of the elements of `integers`, at most 8. In f32 the largest sum, k s^2, must not
// pass 2^24. In f16 six standard deviations, each product having s (s + 1) / 3, must not pass 2048,
// so that nearly every output is an integer that f16 holds and one product too few shows.
float integer_magnitude(const Problem& p, DType dtype) {
  const double k = static_cast<double>(p.k);
  const auto exact = [&](double s) {
    return dtype == DType::f32 ? k * s * s <= 0x1p24 : 2 * s * (s + 1) * std::sqrt(k) <= 2048;
  };
  float s = 8;
  while (s > 1 && !exact(s)) --s;
  return s;
}

// The float64 sums of one small group of outputs. Elements come from the generator in pieces along
// K, each once for all outputs of the group that use it.
void sums(const Problem& p, const Inputs& inputs, std::span<const std::int64_t> indices,
          std::span<Expected> expected) {
  constexpr std::int64_t piece = 128;
  std::vector<std::int64_t> rows, columns;
  for (const std::int64_t index : indices) {
    rows.push_back(index / p.n);
    columns.push_back(index % p.n);
  }
  const auto make_unique = [](std::vector<std::int64_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  make_unique(rows);
  make_unique(columns);
  const auto place = [](const std::vector<std::int64_t>& values, std::int64_t value) {
    return std::lower_bound(values.begin(), values.end(), value) - values.begin();
  };
  struct Place {
    std::ptrdiff_t row, column;
  };
  std::vector<Place> places;
  for (const std::int64_t index : indices)
    places.push_back({place(rows, index / p.n), place(columns, index % p.n)});

  std::vector<double> a(rows.size() * piece), b(columns.size() * piece);
  for (Expected& one : expected) one.value = 0;
  for (std::int64_t start = 0; start < p.k; start += piece) {
    const std::int64_t length = std::min(piece, p.k - start);
    auto to = a.begin();
    for (const std::int64_t row : rows) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = inputs.at(0, row * p.k + start + i);
      to += piece;
    }
    to = b.begin();
    for (const std::int64_t column : columns) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = inputs.at(1, (start + i) * p.n + column);
      to += piece;
    }
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto row = a.begin() + places[i].row * piece;
      const auto column = b.begin() + places[i].column * piece;
      expected[i].value = std::inner_product(row, row + length, column, expected[i].value);
    }
  }
}

}  // namespace

Generator generator(const Problem& p, DType dtype, std::size_t input, InputKind kind,
                    std::uint64_t seed) {
  Generator g;
  g.seed = seed;
  g.buffer = static_cast<std::int32_t>(input);
  switch (kind) {
    case InputKind::integers:
      g.pattern = Pattern::integers;
      g.scale = integer_magnitude(p, dtype);
      break;
    case InputKind::equal:
      g.pattern = Pattern::constant;
      g.scale = equal;
      break;
    case InputKind::large:
      g.scale = large_scale(p, dtype);
      break;
    case InputKind::outlier:
      // In the rows of A alone: each output meets one.
      if (input == 0) {
        g.pattern = Pattern::outlier;
        g.scale = outlier;
        g.row_length = p.k;
      }
      break;
    case InputKind::random:
    case InputKind::infinite_rows:  // means nothing here
      break;
  }
  return g;
}

// Rounding errors of f32 sums, u = 2^-24. A product of two numbers uniform in [-1, 1] has standard
// deviation 1/3, so that the partial sum of i products has sqrt(i)/3. Adding one more makes an
// error of at most u times the partial sum, of about 0.4 times that on average. Over k additions
// one after the other, the order with the largest partial sums, the errors add up to a standard
// deviation below 0.4 u sqrt(sum of i/9) = 0.1 u k. The bound is 3 u k: far out, because a walk
// that strays makes all its errors larger at once (the sum of its squares has an exponential tail),
// and 4 u sqrt(k) for rounding the products where they are not fused. An element of [-1, 1] that is
// left out changes the sum by 1/3 on average: a thousand times the bound at k = 4096.
//
// Tensor cores add 8 or 16 products at once to the sum, with bits below its last one or two cut
// off. Cut products err at random: 4 times the bound above. The cut sum errs towards zero every
// time: k/8 times 2 u times 2/3 (the mean of sqrt(i/k)) of the final sum, which is within 6
// sqrt(k)/3; u k sqrt(k) / 2 is more than that.
//
// An outlier of S in each row of A stays in the partial sums: up to k errors of u S, S u sqrt(k) in
// all, six times; and where they are cut k/8 times 2 u S.
//
// f16 outputs are rounded once more: 2^-11 of the value, or half the smallest subnormal.
double tolerance(const Problem& p, DType dtype, InputKind kind, double value) {
  const double k = static_cast<double>(p.k);
  const double u = unit_roundoff(DType::f32);
  // Sums of these are exact in f32: integers by their magnitude, equal ones as k quarters.
  const bool exact = kind == InputKind::integers || kind == InputKind::equal;
  if (exact && k <= 0x1p24) return 0;

  double sum_bound = 3 * u * k + 4 * u * std::sqrt(k);
  if (dtype == DType::f16) sum_bound = 4 * sum_bound + u * k * std::sqrt(k) / 2;
  if (kind == InputKind::large) {
    const double scale = large_scale(p, dtype);
    sum_bound *= scale * scale;
  }
  if (kind == InputKind::outlier) {
    sum_bound += 6 * u * outlier * std::sqrt(k);
    if (dtype == DType::f16) sum_bound += u * outlier * k / 4;
  }
  if (exact) sum_bound = u * k * std::abs(value);  // beyond 2^24 terms: the bound of any order
  if (dtype == DType::f32) return sum_bound;
  return sum_bound + unit_roundoff(dtype) * (std::abs(value) + sum_bound) + 0x1p-25;
}

void oracle(const Problem& p, DType dtype, const Inputs& inputs,
            std::span<const std::int64_t> indices, std::span<Expected> expected) {
  constexpr std::size_t group = 4096;  // bounds the memory: at most 4096 rows or columns a group
  for (std::size_t start = 0; start < indices.size(); start += group) {
    const std::size_t count = std::min(group, indices.size() - start);
    sums(p, inputs, indices.subspan(start, count), expected.subspan(start, count));
  }
  for (Expected& one : expected) {
    one.tolerance = tolerance(p, dtype, inputs.kind(), one.value);
    if (one.tolerance == 0) one.value = round_to(dtype, one.value);
  }
}

}  // namespace gpubench::matmul
