#include "kernels/softmax/family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace gpubench {
namespace {

const Family& family = softmax::family();

std::unique_ptr<Instance> instance(std::int64_t rows, std::int64_t columns,
                                   std::size_t variant = 0) {
  ParameterSet set;
  set.set("rows", rows);
  set.set("columns", columns);
  return family.instantiate(variant, set);
}

// One problem on one kind of input, with all that the oracle says of it.
struct Case {
  std::int64_t rows, columns;
  std::vector<float> x;
  std::vector<Expected> expected;

  Case(std::int64_t r, std::int64_t c, InputKind kind) : rows(r), columns(c) {
    const auto problem = instance(r, c);
    const Inputs inputs(kind, {problem->generator(0, kind, 3)}, {DType::f32});
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < r * c; ++i) {
      indices.push_back(i);
      x.push_back(static_cast<float>(inputs.at(0, i)));
    }
    expected.resize(indices.size());
    problem->oracle(inputs, indices, expected);
  }

  // The softmax in plain float, leaving out of the sum the columns that `skip` names.
  template <class Skip>
  std::vector<float> in_float(Skip skip) const {
    std::vector<float> y(x.size());
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* row = x.data() + r * columns;
      float* out = y.data() + r * columns;
      float maximum = *std::max_element(row, row + columns);
      if (std::isinf(maximum)) maximum = 0.0f;
      float sum = 0.0f;
      for (std::int64_t c = 0; c < columns; ++c)
        if (!skip(c)) sum += std::exp(row[c] - maximum);
      for (std::int64_t c = 0; c < columns; ++c)
        out[c] = sum == 0.0f ? 0.0f : std::exp(row[c] - maximum) / sum;
    }
    return y;
  }
  std::vector<float> in_float() const {
    return in_float([](std::int64_t) { return false; });
  }

  std::int64_t rejected(const std::vector<float>& y) const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      count += !(std::fabs(static_cast<double>(y[i]) - expected[i].value) <= expected[i].tolerance);
    return count;
  }
};

constexpr InputKind kinds[] = {InputKind::random, InputKind::integers, InputKind::large,
                               InputKind::equal,  InputKind::outlier,  InputKind::infinite_rows};

TEST(SoftmaxFamily, AnswersAreThoseOfTheDefinition) {
  const Case three(1, 3, InputKind::random);
  const double a = std::exp(static_cast<double>(three.x[0]));
  const double b = std::exp(static_cast<double>(three.x[1]));
  const double c = std::exp(static_cast<double>(three.x[2]));
  EXPECT_NEAR(three.expected[0].value, a / (a + b + c), 1e-15);
  EXPECT_NEAR(three.expected[2].value, c / (a + b + c), 1e-15);
}

TEST(SoftmaxFamily, OneColumnGivesOne) {
  for (const InputKind kind : {InputKind::random, InputKind::large, InputKind::outlier}) {
    const Case one(4, 1, kind);
    for (const Expected& e : one.expected) {
      EXPECT_EQ(e.value, 1.0);
      EXPECT_LT(e.tolerance, 1e-6);
    }
  }
}

TEST(SoftmaxFamily, RowsOfMinusInfinityGiveExactlyZero) {
  const Case c(5, 9, InputKind::infinite_rows);
  for (std::int64_t i = 0; i < 45; ++i) {
    const Expected& e = c.expected[static_cast<std::size_t>(i)];
    if (i / 9 % 3 == 1) {
      EXPECT_EQ(e.value, 0.0);
      EXPECT_EQ(e.tolerance, 0.0);
    } else {
      EXPECT_GT(e.value, 0.0);
    }
  }
}

TEST(SoftmaxFamily, EqualColumnsShareAlike) {
  const Case c(2, 131071, InputKind::equal);
  for (const Expected& e : c.expected) {
    EXPECT_NEAR(e.value, 1.0 / 131071, 1e-18);
    EXPECT_LT(e.tolerance, e.value * 16 * 0x1p-24);
  }
}

TEST(SoftmaxFamily, PlainFloatIsAccepted) {
  for (const InputKind kind : kinds)
    for (const auto& [rows, columns] :
         {std::pair{7, 1}, {6, 33}, {5, 1000}, {4, 4099}, {1, 131071}})
      EXPECT_EQ(Case(rows, columns, kind).rejected(Case(rows, columns, kind).in_float()), 0)
          << name(kind) << ' ' << columns;
}

TEST(SoftmaxFamily, ADroppedColumnIsRejectedInEveryOutputOfTheRow) {
  for (const std::int64_t columns : {33, 1000, 4099, 8192}) {
    const Case c(2, columns, InputKind::random);
    const auto y = c.in_float([&](std::int64_t at) { return at == columns - 1; });
    EXPECT_EQ(c.rejected(y), 2 * columns) << columns;
  }
  // Long rows of random numbers leave room for a float sum; equal ones do not.
  const Case longest(1, 131071, InputKind::equal);
  EXPECT_EQ(longest.rejected(longest.in_float([](std::int64_t at) { return at == 77; })), 131071);
}

TEST(SoftmaxFamily, AMissingMaximumIsRejected) {
  for (const InputKind kind : {InputKind::large, InputKind::outlier}) {
    const Case c(3, 100, kind);
    std::vector<float> y(c.x.size());
    for (std::int64_t r = 0; r < 3; ++r) {
      float sum = 0.0f;
      for (std::int64_t i = 100 * r; i < 100 * r + 100; ++i)
        sum += std::exp(c.x[static_cast<std::size_t>(i)]);
      for (std::int64_t i = 100 * r; i < 100 * r + 100; ++i)
        y[static_cast<std::size_t>(i)] = std::exp(c.x[static_cast<std::size_t>(i)]) / sum;
    }
    EXPECT_GT(c.rejected(y), 0) << name(kind);
  }
}

TEST(SoftmaxFamily, NaNIsRejected) {
  const Case c(2, 5, InputKind::random);
  EXPECT_EQ(c.rejected(std::vector<float>(10, std::numeric_limits<float>::quiet_NaN())), 10);
}

TEST(SoftmaxFamily, AnswersDoNotDependOnWhichOutputsAreAsked) {
  const Case all(3, 50, InputKind::random);
  const auto problem = instance(3, 50);
  const Inputs inputs(InputKind::random, {problem->generator(0, InputKind::random, 3)},
                      {DType::f32});
  const std::vector<std::int64_t> some = {0, 7, 49, 100, 149};
  std::vector<Expected> expected(some.size());
  problem->oracle(inputs, some, expected);
  for (std::size_t i = 0; i < some.size(); ++i)
    EXPECT_EQ(expected[i].value, all.expected[static_cast<std::size_t>(some[i])].value);
}

TEST(SoftmaxFamily, WorkCountsEachElementOnceInAndOnceOut) {
  const Work work = instance(10, 100)->work();
  EXPECT_EQ(work.flops, 4000);
  EXPECT_EQ(work.bytes_read, 4000);
  EXPECT_EQ(work.bytes_written, 4000);
  EXPECT_EQ(work.working_set_bytes, 8000);
  EXPECT_FALSE(work.convention.empty());
  EXPECT_EQ(instance(10, 100)->modelled_bytes(), 16000);
}

TEST(SoftmaxFamily, TheLargestProblemHasItsSizesInRange) {
  const std::int64_t rows = family.parameters()[0].maximum;
  const std::int64_t columns = family.parameters()[1].maximum;
  const auto problem = instance(rows, columns);
  EXPECT_EQ(problem->output().count, rows * columns);
  EXPECT_EQ(static_cast<double>(problem->output().bytes()),
            4.0 * static_cast<double>(rows) * static_cast<double>(columns));
  EXPECT_EQ(problem->output_shape().columns, columns);
}

TEST(SoftmaxFamily, EveryVerifyShapeIsComplete) {
  for (const VerifyShape& shape : family.verify_shapes()) {
    ParameterSet set;
    for (const auto& [parameter, value] : shape.parameters) set.set(parameter, value);
    EXPECT_EQ(complete(family.parameters(), set, DeviceKind::host), set);
    EXPECT_FALSE(shape.inputs.empty());
  }
}

}  // namespace
}  // namespace gpubench
