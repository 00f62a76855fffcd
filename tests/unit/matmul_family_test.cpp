#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "kernels/matmul/family.hpp"
#include "kernels/matmul/oracle.hpp"

namespace gpubench::matmul {
namespace {

constexpr std::uint64_t seed = 7;

Inputs make_inputs(const Problem& p, DType dtype, InputKind kind) {
  return Inputs(kind, {generator(p, dtype, 0, kind, seed), generator(p, dtype, 1, kind, seed)},
                {dtype, dtype});
}

std::vector<Expected> expected(const Problem& p, DType dtype, InputKind kind,
                               const std::vector<std::int64_t>& indices) {
  std::vector<Expected> out(indices.size());
  oracle(p, dtype, make_inputs(p, dtype, kind), indices, out);
  return out;
}

// Indices of a diagonal, so that rows and columns both change.
std::vector<std::int64_t> diagonal(const Problem& p) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < std::min(p.m, p.n); ++i) indices.push_back(i * p.n + i);
  return indices;
}

// The factors of the output at `index`, as floats.
struct Factors {
  std::vector<float> a, b;
};

Factors factors(const Problem& p, const Inputs& inputs, std::int64_t index) {
  Factors f;
  for (std::int64_t i = 0; i < p.k; ++i) {
    f.a.push_back(static_cast<float>(inputs.at(0, index / p.n * p.k + i)));
    f.b.push_back(static_cast<float>(inputs.at(1, i * p.n + index % p.n)));
  }
  return f;
}

// A dot product as a kernel makes it: `lanes` float sums side by side, added at the end; `skip`
// elements from `at` on are left out.
double float_dot(const Factors& f, std::size_t lanes, std::size_t at = 0, std::size_t skip = 0) {
  std::vector<float> sums(lanes, 0.0f);
  for (std::size_t i = 0; i < f.a.size(); ++i)
    if (i < at || i >= at + skip) sums[i % lanes] += f.a[i] * f.b[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0f);
}

float towards_zero(double value) {
  const float near = static_cast<float>(value);
  return std::abs(static_cast<double>(near)) > std::abs(value) ? std::nextafter(near, 0.0f) : near;
}

// A dot product as a tensor core may make it: 8 exact products at a time, cut to a float.
double cut_dot(const Factors& f, std::size_t at = 0, std::size_t skip = 0) {
  float sum = 0;
  for (std::size_t start = 0; start < f.a.size(); start += 8) {
    double next = sum;
    for (std::size_t i = start; i < std::min(start + 8, f.a.size()); ++i)
      if (i < at || i >= at + skip) next += static_cast<double>(f.a[i]) * f.b[i];
    sum = towards_zero(next);
  }
  return sum;
}

bool accepts(const Expected& one, double output) {
  return std::abs(output - one.value) <= one.tolerance;
}

ParameterSet set_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  ParameterSet set;
  set.set("M", m);
  set.set("N", n);
  set.set("K", k);
  return set;
}

std::size_t variant_index(std::string_view name, DType dtype, DeviceKind device) {
  const auto all = family().variants();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == name && all[i].dtype == dtype && all[i].device == device) return i;
  ADD_FAILURE() << "no variant " << name;
  return 0;
}

TEST(MatmulOracle, MultipliesTwoByThreeByTwo) {
  const Problem p{2, 2, 3};
  const Inputs in = make_inputs(p, DType::f32, InputKind::random);
  const auto a = [&](int i) { return in.at(0, i); };
  const auto b = [&](int i) { return in.at(1, i); };
  const auto out = expected(p, DType::f32, InputKind::random, {0, 1, 2, 3});
  EXPECT_DOUBLE_EQ(out[0].value, a(0) * b(0) + a(1) * b(2) + a(2) * b(4));
  EXPECT_DOUBLE_EQ(out[1].value, a(0) * b(1) + a(1) * b(3) + a(2) * b(5));
  EXPECT_DOUBLE_EQ(out[2].value, a(3) * b(0) + a(4) * b(2) + a(5) * b(4));
  EXPECT_DOUBLE_EQ(out[3].value, a(3) * b(1) + a(4) * b(3) + a(5) * b(5));
}

TEST(MatmulOracle, GivesTheSameValueWhicheverOutputsAreAskedForWithIt) {
  const Problem p{90, 67, 300};  // more than one group of outputs, more than one piece of K
  std::vector<std::int64_t> all(static_cast<std::size_t>(p.m * p.n));
  std::iota(all.begin(), all.end(), 0);
  const auto full = expected(p, DType::f16, InputKind::random, all);
  for (const std::int64_t index : {0, 66, 67, 4095, 4096, 6029}) {
    const auto alone = expected(p, DType::f16, InputKind::random, {index});
    EXPECT_EQ(alone[0].value, full[index].value);
    const Factors f = factors(p, make_inputs(p, DType::f16, InputKind::random), index);
    double sum = 0;
    for (std::size_t i = 0; i < f.a.size(); ++i) sum += static_cast<double>(f.a[i]) * f.b[i];
    EXPECT_DOUBLE_EQ(alone[0].value, sum);
  }
}

TEST(MatmulOracle, DemandsEqualityOfIntegersAndOfEqualElements) {
  for (const DType dtype : {DType::f32, DType::f16})
    for (const InputKind kind : {InputKind::integers, InputKind::equal}) {
      const Problem p{40, 40, 4099};
      const Inputs inputs = make_inputs(p, dtype, kind);
      const auto indices = diagonal(p);
      const auto out = expected(p, dtype, kind, indices);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Factors f = factors(p, inputs, indices[i]);
        EXPECT_EQ(out[i].tolerance, 0);
        EXPECT_EQ(round_to(dtype, float_dot(f, 1)), out[i].value);
        EXPECT_EQ(round_to(dtype, cut_dot(f)), out[i].value);
      }
    }
}

TEST(MatmulOracle, SeesOneMissingElementOfIntegers) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    const Problem p{60, 60, 4099};
    const Inputs inputs = make_inputs(p, dtype, InputKind::integers);
    const auto indices = diagonal(p);
    const auto out = expected(p, dtype, InputKind::integers, indices);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Factors f = factors(p, inputs, indices[i]);
      const bool shows = f.a[4098] * f.b[4098] != 0;
      EXPECT_EQ(accepts(out[i], round_to(dtype, float_dot(f, 1, 4098, 1))), !shows);
    }
  }
}

TEST(MatmulTolerance, AcceptsFloatSumsInAnyOrder) {
  for (const std::int64_t k : {1, 2, 3, 17, 257, 4099})
    for (const InputKind kind : {InputKind::random, InputKind::large, InputKind::outlier}) {
      const Problem p{200, 200, k};
      const Inputs inputs = make_inputs(p, DType::f32, kind);
      const auto indices = diagonal(p);
      const auto out = expected(p, DType::f32, kind, indices);
      for (std::size_t i = 0; i < out.size(); ++i)
        for (const std::size_t lanes : {1, 8, 64})
          EXPECT_TRUE(accepts(out[i], float_dot(factors(p, inputs, indices[i]), lanes)))
              << name(kind) << " k " << k;
    }
}

TEST(MatmulTolerance, AcceptsCutSumsRoundedToF16) {
  for (const std::int64_t k : {1, 2, 3, 17, 257, 4099})
    for (const InputKind kind : {InputKind::random, InputKind::large, InputKind::outlier}) {
      const Problem p{200, 200, k};
      const Inputs inputs = make_inputs(p, DType::f16, kind);
      const auto indices = diagonal(p);
      const auto out = expected(p, DType::f16, kind, indices);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double sum = cut_dot(factors(p, inputs, indices[i]));
        EXPECT_TRUE(accepts(out[i], round_to(DType::f16, sum))) << name(kind) << " k " << k;
        EXPECT_LT(std::abs(sum), 65504);
      }
    }
}

TEST(MatmulTolerance, RefusesAMissingElementInF32AndAMissingTileInF16) {
  for (const std::int64_t k : {48, 257, 4096}) {
    const Problem p{400, 400, k};
    const auto at = static_cast<std::size_t>(k - 16);
    const auto indices = diagonal(p);
    int element_seen = 0, tile_seen = 0;
    const Inputs f32 = make_inputs(p, DType::f32, InputKind::random);
    const Inputs f16 = make_inputs(p, DType::f16, InputKind::random);
    const auto out32 = expected(p, DType::f32, InputKind::random, indices);
    const auto out16 = expected(p, DType::f16, InputKind::random, indices);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      element_seen += !accepts(out32[i], float_dot(factors(p, f32, indices[i]), 1, at, 1));
      const double sum = cut_dot(factors(p, f16, indices[i]), at, 16);
      tile_seen += !accepts(out16[i], round_to(DType::f16, sum));
    }
    EXPECT_GE(element_seen, 390) << "of 400, k " << k;
    EXPECT_GE(tile_seen, 380) << "of 400, k " << k;
  }
}

TEST(MatmulTolerance, RefusesNaN) {
  EXPECT_FALSE(accepts({0, tolerance({1, 1, 64}, DType::f32, InputKind::random, 0)}, std::nan("")));
}

TEST(MatmulFamily, ListsItsVariantsWithPredecessorsOfTheirOwnLadder) {
  const auto all = family().variants();
  EXPECT_EQ(all.size(), 10u);
  for (const VariantFacts& v : all) {
    EXPECT_EQ(v.built, built_with_cuda || v.device == DeviceKind::host) << v.name;
    EXPECT_EQ(v.role == Role::reference, v.needs.library == "cublas") << v.name;
    if (!v.predecessor.empty()) variant_index(v.predecessor, v.dtype, v.device);
  }
  for (const std::string_view name : {"naive", "coalesced", "register_blocked_4x4"})
    variant_index(name, DType::f32, DeviceKind::cuda);
  for (const std::string_view name : {"tiled_16", "wmma", "cublas"})
    variant_index(name, DType::f16, DeviceKind::cuda);
}

TEST(MatmulFamily, CountsItsWork) {
  const auto index = variant_index("tiled_16", DType::f16, DeviceKind::cuda);
  const auto instance = family().instantiate(index, set_of(20, 30, 40));
  const Work work = instance->work();
  EXPECT_EQ(work.flops, 2.0 * 20 * 30 * 40);
  EXPECT_EQ(work.bytes_read, 2.0 * (20 * 40 + 40 * 30));
  EXPECT_EQ(work.bytes_written, 2.0 * 20 * 30);
  EXPECT_EQ(work.working_set_bytes, 2.0 * (20 * 40 + 40 * 30 + 20 * 30));
  // Two blocks down and two across: A and B are each read twice.
  EXPECT_EQ(instance->modelled_bytes(), 2.0 * (2 * 20 * 40 + 2 * 40 * 30 + 20 * 30));
  EXPECT_EQ(instance->inputs()[0].count, 800);
  EXPECT_EQ(instance->inputs()[1].count, 1200);
  EXPECT_EQ(instance->output().bytes(), 1200u);
}

TEST(MatmulFamily, RefusesMatricesThatCannotBeCounted) {
  try {
    family().instantiate(0, set_of(std::int64_t{1} << 40, 1, 1 << 20));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("A of"), std::string::npos);
  }
}

TEST(MatmulFamily, SaysWhyAVariantCannotTakeAShape) {
  const auto naive = variant_index("naive", DType::f32, DeviceKind::cuda);
  const auto cublas = variant_index("cublas", DType::f32, DeviceKind::cuda);
  constexpr std::int64_t most = 2147483647;
  EXPECT_FALSE(family().instantiate(naive, set_of(32 * most, 1, 1))->unsupported());
  EXPECT_TRUE(family().instantiate(naive, set_of(32 * most + 1, 1, 1))->unsupported());
  EXPECT_TRUE(family().instantiate(naive, set_of(46341 * 32, 46341 * 32, 1))->unsupported());
  EXPECT_FALSE(family().instantiate(cublas, set_of(most, 1, 1))->unsupported());
  EXPECT_TRUE(family().instantiate(cublas, set_of(1, most + 1, 1))->unsupported());
  EXPECT_GT(family().instantiate(cublas, set_of(1, 1, 1))->workspace_bytes(), 0u);
}

TEST(MatmulFamily, HasOneVerifyShapeBeyondTwoToThe31) {
  int large = 0;
  for (const VerifyShape& shape : family().verify_shapes()) {
    ASSERT_EQ(shape.parameters.size(), 3u);
    large += std::get<std::int64_t>(shape.parameters[0].second) *
                 std::get<std::int64_t>(shape.parameters[1].second) >
             (std::int64_t{1} << 31);
  }
  EXPECT_EQ(large, 1);
}

}  // namespace
}  // namespace gpubench::matmul
