#include "verify/verification.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "fake_device.hpp"

namespace gpubench {
namespace {

// y[i] = 2 x[i], as rows by columns, with a cost that decides whether it is checked in full.
class Doubling : public Instance {
 public:
  Doubling(std::int64_t rows, std::int64_t columns, double element_cost, double tolerance)
      : rows_(rows), columns_(columns), element_cost_(element_cost), tolerance_(tolerance) {}
  std::optional<std::string> unsupported() const override { return std::nullopt; }
  std::vector<BufferSpec> inputs() const override { return {{"x", DType::f32, rows_ * columns_}}; }
  BufferSpec output() const override { return {"y", DType::f32, rows_ * columns_}; }
  std::size_t workspace_bytes() const override { return 0; }
  Generator generator(std::size_t, InputKind, std::uint64_t seed) const override {
    return {.seed = seed};
  }
  Work work() const override { return {}; }
  std::optional<double> modelled_bytes() const override { return std::nullopt; }
  OutputShape output_shape() const override { return {rows_, columns_, 0, element_cost_}; }
  void oracle(const Inputs& inputs, std::span<const std::int64_t> indices,
              std::span<Expected> out) const override {
    for (std::size_t i = 0; i < indices.size(); ++i)
      out[i] = {2 * inputs.at(0, indices[i]), tolerance_};
  }
  Submission submission() const override { return Submission::graph; }
  MemoryKind memory() const override { return MemoryKind::device; }
  void launch(const Buffers&, Stream) const override {}
  std::vector<StageFacts> stages() const override { return {}; }
  void launch_stage(std::size_t, const Buffers&, Stream) const override {}

 private:
  std::int64_t rows_, columns_;
  double element_cost_, tolerance_;
};

std::vector<float> right_answer(const Instance& instance) {
  std::vector<float> output(static_cast<std::size_t>(instance.output().count));
  const Generator g = instance.generator(0, InputKind::random, 7);
  for (std::size_t i = 0; i < output.size(); ++i)
    output[i] = 2 * element(g, static_cast<std::int64_t>(i));
  return output;
}

Verification verify(const Instance& instance, const std::vector<float>& output,
                    VerifyMode mode = VerifyMode::sampled) {
  FakeDevice device;
  return Verifier(instance, InputKind::random, 7, mode).check(device, output.data());
}

constexpr double costly = 1e6;  // forces a sample

TEST(Verification, ChecksEveryOutputOfASmallProblem) {
  const Doubling instance(37, 53, 1, 0);
  std::vector<float> output = right_answer(instance);
  const Verification good = verify(instance, output);
  EXPECT_TRUE(good.passed);
  EXPECT_TRUE(good.full);
  EXPECT_EQ(good.checked, 37 * 53);
  EXPECT_EQ(good.max_abs_error, 0.0);
  for (std::size_t i = 0; i < output.size(); ++i) {
    const float was = output[i];
    output[i] = std::nextafter(was, 3.0f);
    EXPECT_FALSE(verify(instance, output).passed) << i;
    output[i] = was;
  }
}

TEST(Verification, NaNFailsAndHasNoErrorFigure) {
  const Doubling instance(4, 5, 1, 1e9);
  std::vector<float> output = right_answer(instance);
  output[7] = std::numeric_limits<float>::quiet_NaN();
  const Verification bad = verify(instance, output);
  EXPECT_FALSE(bad.passed);
  EXPECT_FALSE(bad.max_abs_error);
  EXPECT_NE(bad.failure.find("output 7"), std::string::npos) << bad.failure;
}

TEST(Verification, InfinityFailsWhereAFiniteValueIsExpected) {
  const Doubling instance(4, 5, 1, 1e9);
  std::vector<float> output = right_answer(instance);
  output[3] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(verify(instance, output).passed);
}

TEST(Verification, ASampleHasTheFirstTheLastAndTheTileEdges) {
  const Doubling instance(3000, 3001, costly, 0);
  const std::vector<float> right = right_answer(instance);
  const Verification good = verify(instance, right);
  EXPECT_TRUE(good.passed);
  EXPECT_FALSE(good.full);
  const auto wrong_at = [&](std::size_t row, std::size_t column) {
    std::vector<float> output = right;
    output[row * 3001 + column] += 1;
    return !verify(instance, output).passed;
  };
  EXPECT_TRUE(wrong_at(0, 0));
  EXPECT_TRUE(wrong_at(2999, 3000));
  EXPECT_TRUE(wrong_at(0, 3000));
  EXPECT_TRUE(wrong_at(2999, 0));
  EXPECT_TRUE(wrong_at(15, 16));
}

TEST(Verification, AnUnwrittenOutputOutsideTheSampleIsSeen) {
  const Doubling instance(3000, 3001, costly, 0);
  std::vector<float> output = right_answer(instance);
  for (const std::size_t i : {1234567u, 8000001u}) {
    const float was = output[i];
    output[i] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(verify(instance, output).passed) << i;
    output[i] = was;
  }
}

TEST(Verification, FullComparesEveryOutputOfALargeProblem) {
  const Doubling instance(2200, 2201, 1, 0);  // more outputs than are kept between checks
  std::vector<float> output = right_answer(instance);
  EXPECT_EQ(verify(instance, output, VerifyMode::full).checked, 2200 * 2201);
  output[2345678] += 1;
  EXPECT_FALSE(verify(instance, output, VerifyMode::full).passed);
}

TEST(Verification, ReportsTheToleranceOfTheWorstOutput) {
  const Doubling instance(2, 2, 1, 0.25);
  std::vector<float> output = right_answer(instance);
  output[1] += 0.125f;
  const Verification good = verify(instance, output);
  EXPECT_TRUE(good.passed);
  EXPECT_NEAR(*good.max_abs_error, 0.125, 1e-6);
  EXPECT_EQ(good.bound, 0.25);
}

TEST(Poison, IsNaNInEveryType) {
  FakeDevice device;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    std::vector<unsigned char> data(8 * size_of(type));
    poison(device, data.data(), 8 * size_of(type));
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_TRUE(std::isnan(load(type, data.data(), i))) << name(type);
  }
}

}  // namespace
}  // namespace gpubench
