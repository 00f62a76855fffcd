#include "kernels/reduction/family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "kernels/reduction/levels.hpp"
#include "kernels/reduction/oracle.hpp"

namespace gpubench {
namespace {

const Family& family = reduction::family();

std::unique_ptr<Instance> instance(std::int64_t n, std::size_t variant = 0) {
  ParameterSet set;
  set.set("N", n);
  set.set("op", std::string("sum"));
  return family.instantiate(variant, set);
}

Inputs inputs_of(const Instance& instance, InputKind kind, std::uint64_t seed = 1) {
  return {kind, {instance.generator(0, kind, seed)}, {DType::f32}};
}

Expected ask(const Instance& instance, const Inputs& inputs) {
  const std::vector<std::int64_t> first = {0};
  std::vector<Expected> answers(1);
  instance.oracle(inputs, first, answers);
  return answers[0];
}

std::vector<float> values_of(const Inputs& inputs, std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<float>(inputs.at(0, i));
  return values;
}

float pairwise(const float* x, std::size_t n) {
  return n == 1 ? x[0] : pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}

// `accumulators` chains over strided elements, then a tree: what a persistent kernel does.
float strided(const std::vector<float>& x, std::size_t accumulators) {
  std::vector<float> sums(accumulators, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % accumulators] += x[i];
  return pairwise(sums.data(), accumulators);
}

float one_after_another(const std::vector<float>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0f);
}

bool accepted(double value, const Expected& expected) {
  return std::abs(value - expected.value) <= expected.tolerance;
}

constexpr InputKind finite_kinds[] = {InputKind::random, InputKind::integers, InputKind::large,
                                      InputKind::equal, InputKind::outlier};

TEST(ReductionOracle, GivesHandComputedSums) {
  const Generator quarter{.pattern = Pattern::constant, .scale = 0.25f};
  const Inputs inputs(InputKind::equal, {quarter}, {DType::f32});
  EXPECT_EQ(ask(*instance(1), inputs).value, 0.25);
  EXPECT_EQ(ask(*instance(1), inputs).tolerance, 0.0);
  EXPECT_EQ(ask(*instance(3), inputs).value, 0.75);
  EXPECT_EQ(ask(*instance((1 << 21) + 1), inputs).value,
            524288.25);  // three pieces, on several threads
}

TEST(ReductionOracle, SumsWhatTheGeneratorGives) {
  const auto thousand = instance(1000);
  for (const InputKind kind : finite_kinds) {
    const Inputs inputs = inputs_of(*thousand, kind);
    double sum = 0;
    for (std::int64_t i = 0; i < 1000; ++i) sum += inputs.at(0, i);
    EXPECT_EQ(ask(*thousand, inputs).value, sum) << name(kind);
  }
  EXPECT_EQ(ask(*thousand, inputs_of(*thousand, InputKind::infinite_rows)).value, -HUGE_VAL);
}

TEST(ReductionOracle, DemandsEqualityOfIntegersInEveryOrder) {
  const auto million = instance((1 << 20) + 3);
  const Inputs inputs = inputs_of(*million, InputKind::integers);
  const Expected expected = ask(*million, inputs);
  EXPECT_EQ(expected.tolerance, 0.0);
  const std::vector<float> x = values_of(inputs, (1 << 20) + 3);
  EXPECT_EQ(one_after_another(x), expected.value);
  EXPECT_EQ(pairwise(x.data(), x.size()), expected.value);
  EXPECT_EQ(strided(x, 4096), expected.value);
  EXPECT_EQ(one_after_another({x.rbegin(), x.rend()}), expected.value);
}

TEST(ReductionOracle, AcceptsTreesOnEveryKindOfInput) {
  for (const std::int64_t n : {2, 3, 33, 257, 4099, 65537, (1 << 20) + 3}) {
    const auto sized = instance(n);
    for (const InputKind kind : finite_kinds) {
      const Inputs inputs = inputs_of(*sized, kind);
      const Expected expected = ask(*sized, inputs);
      const std::vector<float> x = values_of(inputs, n);
      EXPECT_TRUE(accepted(pairwise(x.data(), x.size()), expected)) << n << " " << name(kind);
      EXPECT_TRUE(accepted(strided(x, std::max<std::size_t>(1, x.size() / 1024)), expected))
          << n << " " << name(kind);
    }
  }
}

TEST(ReductionOracle, SeesOneDroppedElement) {
  for (const std::int64_t n : {3, 257, 4099, 65537, (1 << 20) + 3}) {
    const auto sized = instance(n);
    for (const InputKind kind : {InputKind::random, InputKind::outlier}) {
      const Inputs inputs = inputs_of(*sized, kind);
      const Expected expected = ask(*sized, inputs);
      std::vector<float> x = values_of(inputs, n);
      const auto dropped =
          std::find_if(x.begin(), x.end(), [](float v) { return std::abs(v) > 0.25f; });
      ASSERT_NE(dropped, x.end());
      *dropped = 0.0f;
      EXPECT_FALSE(accepted(pairwise(x.data(), x.size()), expected)) << n << " " << name(kind);
    }
  }
}

TEST(ReductionOracle, SeesADroppedTileOfEqualElements) {
  const auto sized = instance((1 << 20) + 3);
  const Expected expected = ask(*sized, inputs_of(*sized, InputKind::equal));
  EXPECT_LT(expected.tolerance, 256 * 0.1);
}

TEST(ReductionOracle, HasSixSigmaForAPersistentKernelsChains) {
  // 0.425 * 2^-24 / sqrt(3) * sqrt(2^28 * (28 + 1024 / 2)) * 6
  EXPECT_NEAR(reduction::tolerance(std::int64_t{1} << 28, DType::f32, InputKind::random), 0.03341,
              1e-5);
}

TEST(ReductionOracle, RefusesOneFloatRunningThroughAll) {
  const std::int64_t n = std::int64_t{1} << 26;
  const auto large = instance(n);
  const Inputs inputs = inputs_of(*large, InputKind::random);
  const Expected expected = ask(*large, inputs);
  float naive = 0;
  for (std::int64_t i = 0; i < n; ++i) naive += static_cast<float>(inputs.at(0, i));
  EXPECT_FALSE(accepted(naive, expected)) << naive - expected.value << " " << expected.tolerance;
}

TEST(ReductionLevels, LeaveOneSumOfEveryElementInTheOutput) {
  for (const std::int64_t tile : {2, 3, 256, 512}) {
    for (const std::int64_t n :
         {1, 2, 3, 4, 5, 255, 256, 257, 511, 512, 513, 4099, 65536, 65537, 262144, 262145}) {
      const std::vector<float> x(static_cast<std::size_t>(n), 1.0f);
      std::vector<float> workspace(static_cast<std::size_t>(reduction::partials(n, tile)) + 1, NAN);
      float output = NAN;
      std::int64_t moved = 0;
      reduction::reduce_in_levels(
          x.data(), n, tile, workspace.data(), &output,
          [&](const float* from, std::int64_t count, float* to, std::int64_t blocks) {
            if (to != &output) {
              ASSERT_GE(to, workspace.data());
              ASSERT_LT(to + blocks, workspace.data() + workspace.size());
              ASSERT_TRUE(to + blocks <= from || from + count <= to)
                  << "a level overwrites its input";
              moved += 2 * blocks;
            }
            for (std::int64_t b = 0; b < blocks; ++b)
              to[b] =
                  std::accumulate(from + b * tile, from + std::min(count, (b + 1) * tile), 0.0f);
          });
      EXPECT_EQ(output, static_cast<float>(n)) << tile;
      EXPECT_EQ(moved, reduction::partial_traffic(n, tile));
      EXPECT_TRUE(std::isnan(workspace.back())) << "written past the workspace";
    }
  }
}

TEST(ReductionFamily, NeedsWorkspaceOnlyWhereOneBlockIsNotEnough) {
  EXPECT_EQ(instance(256, 0)->workspace_bytes(), 0u);
  EXPECT_EQ(instance(257, 0)->workspace_bytes(), 2u * 4);
  EXPECT_EQ(instance(512, 1)->workspace_bytes(), 0u);
  EXPECT_EQ(instance(1 << 28, 0)->workspace_bytes(), (1048576u + 4096u) * 4);
  EXPECT_EQ(instance(1 << 28, 2)->workspace_bytes(), (524288u + 1024u) * 4);
}

TEST(ReductionFamily, CountsItsWorkAndTheTrafficOfItsBlockSums) {
  const auto sized = instance(65536, 0);
  const Work work = sized->work();
  EXPECT_EQ(work.flops, 65535);
  EXPECT_EQ(work.bytes_read, 262144);
  EXPECT_EQ(work.bytes_written, 4);
  EXPECT_EQ(sized->modelled_bytes(), 262144 + 4 + 2 * 256 * 4);
  EXPECT_EQ(sized->output().count, 1);
  EXPECT_EQ(sized->output_shape().row_cost, 65536);
}

TEST(ReductionFamily, ClimbsFromTreeToShuffle) {
  std::vector<std::string> steps;
  for (const VariantFacts& facts : family.variants())
    steps.push_back(std::string(facts.predecessor) + ">" + std::string(facts.name));
  EXPECT_EQ(steps, (std::vector<std::string>{">v1_tree", "v1_tree>v2_halved_threads",
                                             "v2_halved_threads>v3_warp_shuffle", ">single_thread",
                                             "single_thread>parallel_vectorized"}));
}

TEST(ReductionFamily, OffersTheSumAndVerifiesAroundItsTiles) {
  ASSERT_EQ(family.parameters().size(), 2u);
  EXPECT_EQ(family.parameters()[1].choices[0], "sum");
  std::set<std::int64_t> sizes;
  for (const VerifyShape& shape : family.verify_shapes()) {
    sizes.insert(std::get<std::int64_t>(shape.parameters.at(0).second));
    EXPECT_EQ(std::get<std::string>(shape.parameters.at(1).second), "sum");
  }
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{255}, std::int64_t{257},
                               std::int64_t{513}, (std::int64_t{1} << 31) + 3})
    EXPECT_TRUE(sizes.contains(n)) << n;
}

}  // namespace
}  // namespace gpubench
