#include "kernels/softmax/family.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/softmax/problem.hpp"

namespace gpubench::softmax {

void launch_three_pass(const Problem&, const Buffers&, Stream);
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);

namespace {

// Together 2^60 elements, so that sizes in bytes fit 64 bits; a column index fits 32.
constexpr Parameter parameters[] = {
    {.name = "rows",
     .help = "rows of the matrix",
     .maximum = std::int64_t{1} << 32,
     .cuda_default = 8192,
     .host_default = 8192},
    {.name = "columns",
     .help = "elements of a row",
     .maximum = std::int64_t{1} << 28,
     .cuda_default = 8192,
     .host_default = 4096},
};

Problem make_problem(const ParameterSet& set) {
  return {.rows = set.integer("rows"), .columns = set.integer("columns")};
}

std::vector<BufferSpec> inputs(const Problem& p, DType dtype) {
  return {{.name = "x", .dtype = dtype, .count = p.rows * p.columns}};
}

BufferSpec output(const Problem& p, DType dtype) {
  return {.name = "y", .dtype = dtype, .count = p.rows * p.columns};
}

Generator generator(const Problem& p, DType, std::size_t input, InputKind kind,
                    std::uint64_t seed) {
  Generator g{.seed = seed,
              .buffer = static_cast<std::int32_t>(input),
              .scale = 1.0f,
              .row_length = p.columns};
  switch (kind) {
    case InputKind::random:
    case InputKind::integers:  // exponentials of integers are not exact: nothing to demand
      break;
    case InputKind::large:  // exp overflows unless the maximum is taken off; neighbours still count
      g.scale = 1000.0f;
      break;
    case InputKind::equal:
      g.pattern = Pattern::constant;
      g.scale = 7.25f;
      break;
    case InputKind::outlier:
      g.pattern = Pattern::outlier;
      g.scale = 1e4f;
      break;
    case InputKind::infinite_rows:
      g.pattern = Pattern::infinite_rows;
      break;
  }
  return g;
}

Work work(const Problem& p, DType dtype) {
  const double elements = static_cast<double>(p.rows) * static_cast<double>(p.columns);
  const double bytes = elements * static_cast<double>(size_of(dtype));
  return {.flops = 4 * elements,
          .bytes_read = bytes,
          .bytes_written = bytes,
          .working_set_bytes = 2 * bytes,
          .convention =
              "4 FLOPs an element: subtract, exp (counted as one), add, multiply; "
              "comparisons for the maximum not counted"};
}

// The row is read for the maximum, for the sum and for the result.
double three_pass_bytes(const Problem& p) {
  return 4 * 4.0 * static_cast<double>(p.rows) * static_cast<double>(p.columns);
}

OutputShape output_shape(const Problem& p) {
  // An element costs its hash in each of two passes and an exponential, about 30 multiply-adds.
  return {.rows = p.rows,
          .columns = p.columns,
          .row_cost = 30.0 * static_cast<double>(p.columns),
          .element_cost = 30};
}

// What all outputs of a row share.
struct RowFacts {
  double maximum = -std::numeric_limits<double>::infinity();
  double sum = 0;        // of exp(x - maximum)
  double sum_error = 0;  // relative, of the sum computed in float
};

// Errors are counted in u, the unit roundoff of f32, in which every variant computes.
//  - One weight exp(x - max): the difference is rounded (u |x - max|), then multiplied by log2 e
//  for
//    the hardware's exp2 (u |x - max| again); both are absolute errors of an exponent, hence
//    relative ones of the weight. The function itself is good to 2 ulp, 4 u.
//  - The sum, from its terms: their errors weighted with their shares. From its additions: in any
//    order no worse than one after the other, where the k-th of n roundings errs by at most u times
//    a partial sum of about k/n of the total, 0.58 u in the root mean square: 0.58 u sqrt(n / 3).
//    Six sigma of that. A term below u of the total errs by less than u; those do not count into n.
//    Where all terms are 1, every partial sum is exact (up to 2^24 columns).
//  - Reciprocal, product and the rounding of the output: 3 u.
constexpr double u = 0x1p-24;
double weight_error(double below_maximum) {
  return u * (2 * below_maximum + 4);
}

RowFacts row_facts(const Problem& p, const Inputs& in, std::int64_t row) {
  RowFacts facts;
  double minimum = std::numeric_limits<double>::infinity();
  for (std::int64_t c = 0; c < p.columns; ++c) {
    const double x = in.at(0, row * p.columns + c);
    facts.maximum = std::max(facts.maximum, x);
    minimum = std::min(minimum, x);
  }
  if (std::isinf(facts.maximum)) return facts;
  double error = 0;
  double counted = 0;
  for (std::int64_t c = 0; c < p.columns; ++c) {
    const double below = facts.maximum - in.at(0, row * p.columns + c);
    const double weight = std::exp(-below);
    facts.sum += weight;
    if (weight > 0) error += weight * weight_error(below);
    if (weight > u) ++counted;
  }
  const bool additions_exact = minimum == facts.maximum && p.columns <= (1 << 24);
  facts.sum_error =
      error / facts.sum + (additions_exact ? 0 : 6 * 0.58 * u * std::sqrt(counted / 3 + 1));
  return facts;
}

void oracle(const Problem& p, DType dtype, const Inputs& in, std::span<const std::int64_t> indices,
            std::span<Expected> expected) {
  std::int64_t row = -1;
  RowFacts facts;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] / p.columns != row) {
      row = indices[i] / p.columns;
      facts = row_facts(p, in, row);
    }
    if (facts.sum == 0) {  // minus infinity throughout: 0 by convention, exactly
      expected[i] = {0, 0};
      continue;
    }
    const double below = facts.maximum - in.at(0, indices[i]);
    const double value = std::exp(-below) / facts.sum;
    const double relative =
        std::isinf(below) ? 0
                          : weight_error(below) + facts.sum_error + 2 * u + unit_roundoff(dtype);
    // A result below the normal range may be flushed to 0.
    expected[i] = {value, value * relative + 0x1p-125};
  }
}

std::vector<VerifyShape> verify_shapes() {
  constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {
      {1, 1},   {3, 1},    {1, 2},    {5, 31},   {7, 32},    {7, 33},     {3, 127},    {2, 255},
      {4, 257}, {5, 1000}, {3, 1023}, {2, 1025}, {70000, 3}, {2, 131071}, {129, 4099},
  };
  std::vector<VerifyShape> all;
  for (const auto& [rows, columns] : shapes)
    all.push_back({{{"rows", rows}, {"columns", columns}},
                   {InputKind::random, InputKind::equal, InputKind::large, InputKind::outlier,
                    InputKind::infinite_rows}});
  return all;
}

constexpr std::array variants = {
    Variant<Problem>{
        .name = "three_pass",
        .technique = "a block a row: maximum, sum of exponentials, write, with warp shuffles",
        .predecessor = "",
        .modelled_bytes = three_pass_bytes,
        .launch = cuda_launch<launch_three_pass>()},
    Variant<Problem>{.name = "single_thread",
                     .technique = "one thread, one row after the other",
                     .predecessor = "",
                     .device = DeviceKind::host,
                     .launch = launch_single_thread},
    Variant<Problem>{.name = "parallel_vectorized",
                     .technique = "rows shared among all cores, vector instructions",
                     .predecessor = "single_thread",
                     .device = DeviceKind::host,
                     .launch = launch_parallel_vectorized},
};
static_assert(keys_are_unique(variants));

constexpr Manifest<Problem> manifest = {
    .name = "softmax",
    .summary = "softmax of each row of a matrix",
    .parameters = parameters,
    .problem = make_problem,
    .inputs = inputs,
    .output = output,
    .generator = generator,
    .work = work,
    .output_shape = output_shape,
    .oracle = oracle,
    .verify_shapes = verify_shapes,
    .variants = variants,
};

}  // namespace

const Family& family() {
  static const FamilyOf<Problem> instance(manifest);
  return instance;
}

}  // namespace gpubench::softmax
