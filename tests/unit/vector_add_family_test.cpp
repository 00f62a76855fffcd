#include "kernels/vector_add/family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/vector_add/oracle.hpp"

namespace gpubench {
namespace {

const Family& family = vector_add::family();

std::unique_ptr<Instance> instance(std::int64_t n) {
  ParameterSet set;
  set.set("N", n);
  return family.instantiate(0, set);
}

Inputs inputs_of(const Instance& instance, InputKind kind) {
  return {kind,
          {instance.generator(0, kind, 1), instance.generator(1, kind, 1)},
          {DType::f32, DType::f32}};
}

std::vector<Expected> ask(const Instance& instance, const Inputs& inputs,
                          const std::vector<std::int64_t>& indices) {
  std::vector<Expected> answers(indices.size());
  instance.oracle(inputs, indices, answers);
  return answers;
}

TEST(VectorAddOracle, GivesHandComputedSums) {
  const Generator one{.pattern = Pattern::constant, .scale = 1.5f};
  const Generator two{.pattern = Pattern::constant, .scale = -4.0f};
  const Inputs inputs(InputKind::equal, {one, two}, {DType::f32, DType::f32});
  for (const Expected& answer : ask(*instance(5), inputs, {0, 4})) {
    EXPECT_EQ(answer.value, -2.5);
    EXPECT_EQ(answer.tolerance, 0.0);
  }
}

TEST(VectorAddOracle, AgreesWithOneFloatAdditionOnEveryKindOfInput) {
  const auto five_thousand = instance(5000);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < 5000; i += 7) indices.push_back(i);
  for (const InputKind kind : {InputKind::random, InputKind::integers, InputKind::large,
                               InputKind::equal, InputKind::outlier, InputKind::infinite_rows}) {
    const Inputs inputs = inputs_of(*five_thousand, kind);
    const std::vector<Expected> answers = ask(*five_thousand, inputs, indices);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const volatile float a = static_cast<float>(inputs.at(0, indices[i]));
      const volatile float b = static_cast<float>(inputs.at(1, indices[i]));
      const volatile float c = a + b;
      ASSERT_EQ(answers[i].value, static_cast<double>(c)) << name(kind) << " " << indices[i];
      ASSERT_EQ(answers[i].tolerance, 0.0);
    }
  }
}

TEST(VectorAddOracle, ToldTheNeighbouringFloatRefusesIt) {
  const auto small = instance(100);
  const Expected answer = ask(*small, inputs_of(*small, InputKind::random), {42})[0];
  const float next = std::nextafter(static_cast<float>(answer.value), 2.0f);
  EXPECT_GT(std::abs(next - answer.value), answer.tolerance);
}

TEST(VectorAddFamily, GivesInputsDifferentElements) {
  const auto small = instance(100);
  const Inputs inputs = inputs_of(*small, InputKind::random);
  EXPECT_NE(inputs.at(0, 3), inputs.at(1, 3));
  EXPECT_NE(inputs.at(0, 3), inputs.at(0, 4));
}

TEST(VectorAddFamily, HasAnOutlierInEveryRow) {
  const auto two_rows = instance(2048);
  const Inputs inputs = inputs_of(*two_rows, InputKind::outlier);
  for (const std::int64_t row : {0, 1}) {
    int outliers = 0;
    for (std::int64_t i = 0; i < 1024; ++i) outliers += inputs.at(0, row * 1024 + i) > 1.0;
    EXPECT_EQ(outliers, 1) << row;
  }
}

TEST(VectorAddFamily, CountsItsWork) {
  const auto million = instance(1'000'000);
  const Work work = million->work();
  EXPECT_EQ(work.flops, 1e6);
  EXPECT_EQ(work.bytes_read, 8e6);
  EXPECT_EQ(work.bytes_written, 4e6);
  EXPECT_EQ(work.working_set_bytes, 12e6);
  EXPECT_FALSE(work.host_transfer);
  EXPECT_EQ(million->inputs().size(), 2u);
  EXPECT_EQ(million->inputs()[1].bytes(), 4'000'000u);
  EXPECT_EQ(million->output().count, 1'000'000);
  EXPECT_EQ(million->output_shape().rows * million->output_shape().columns, 1'000'000);
  EXPECT_EQ(million->workspace_bytes(), 0u);
}

TEST(VectorAddFamily, ListsItsVariantsOnBothDevices) {
  std::vector<std::string> names;
  for (const VariantFacts& facts : family.variants()) {
    names.push_back(std::string(name(facts.device)) + "/" + std::string(facts.name));
    EXPECT_EQ(facts.dtype, DType::f32);
    EXPECT_EQ(facts.built, facts.device == DeviceKind::host || built_with_cuda);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"cuda/scalar", "cuda/vectorized_16B",
                                             "host/single_thread", "host/parallel_vectorized"}));
}

TEST(VectorAddFamily, VerifiesEveryTailOfAVectorAndPast32BitIndices) {
  std::set<std::int64_t> tails;
  std::int64_t largest = 0;
  for (const VerifyShape& shape : family.verify_shapes()) {
    ASSERT_EQ(shape.parameters.size(), 1u);
    const auto n = std::get<std::int64_t>(shape.parameters[0].second);
    tails.insert(n % 4);
    largest = std::max(largest, n);
    EXPECT_EQ(shape.inputs.at(0), InputKind::random);
  }
  EXPECT_EQ(tails.size(), 4u);
  EXPECT_GT(largest, std::numeric_limits<std::uint32_t>::max() / 2);
}

}  // namespace
}  // namespace gpubench
