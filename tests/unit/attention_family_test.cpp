#include "kernels/attention/family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace gpubench {
namespace {

using attention::Problem;

const Family& family = attention::family();
constexpr float infinity = std::numeric_limits<float>::infinity();

std::size_t variant_index(std::string_view wanted, DeviceKind device) {
  const auto facts = family.variants();
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (facts[i].name == wanted && facts[i].device == device) return i;
  throw std::out_of_range(std::string(wanted));
}

std::unique_ptr<Instance> instance(const Problem& p, std::size_t variant = 0) {
  ParameterSet set;
  set.set("B", p.batch);
  set.set("H", p.heads);
  set.set("H_kv", p.heads_kv);
  set.set("N_q", p.n_q);
  set.set("N_k", p.n_k);
  set.set("D", p.d);
  set.set("causal", p.causal);
  return family.instantiate(variant, set);
}

// One problem on one kind of input, and what the oracle says of some of its rows.
struct Case {
  Problem p;
  Inputs inputs;
  std::vector<std::int64_t> rows;
  std::vector<Expected> expected;  // d for each row

  // Every `stride`-th row.
  Case(const Problem& problem, InputKind kind, std::int64_t stride = 1)
      : p(problem), inputs(make(problem, kind)) {
    std::vector<std::int64_t> indices;
    for (std::int64_t r = 0; r < p.batch * p.heads * p.n_q; r += stride) {
      rows.push_back(r);
      for (std::int64_t t = 0; t < p.d; ++t) indices.push_back(r * p.d + t);
    }
    expected.resize(indices.size());
    instance(p)->oracle(inputs, indices, expected);
  }
  static Inputs make(const Problem& p, InputKind kind) {
    std::vector<Generator> generators;
    for (std::size_t i = 0; i < 3; ++i) generators.push_back(instance(p)->generator(i, kind, 5));
    return {kind, generators, {DType::f32, DType::f32, DType::f32}};
  }

  float at(std::size_t input, std::int64_t row, std::int64_t t) const {
    return static_cast<float>(inputs.at(input, row * p.d + t));
  }
  std::int64_t rejected(const std::vector<float>& o) const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < o.size(); ++i)
      count += !(std::fabs(static_cast<double>(o[i]) - expected[i].value) <= expected[i].tolerance);
    return count;
  }
};

// How to go wrong, for the emulations below. None of it: an honest computation in float.
struct Fault {
  std::int64_t dropped_key = -1;    // left out
  std::int64_t zero_keys = 0;       // that weigh e^0 though they do not exist
  float first_maximum = -infinity;  // of an online softmax
  std::int64_t mask_shift = 0;      // keys that a query sees too many
  bool mixes_heads = false;         // query head h reads key head h % heads_kv
};

// Attention in plain float, one key after the other with an online softmax.
std::vector<float> online(const Case& c, const Fault& fault = {}) {
  const Problem& p = c.p;
  const float scale = 1.0f / std::sqrt(static_cast<float>(p.d));
  std::vector<float> o;
  for (const std::int64_t row : c.rows) {
    const std::int64_t head = row / p.n_q % p.heads;
    const std::int64_t kv = fault.mixes_heads ? head % p.heads_kv : head * p.heads_kv / p.heads;
    const std::int64_t first = (row / p.n_q / p.heads * p.heads_kv + kv) * p.n_k;
    std::int64_t keys = p.n_k;
    if (p.causal)
      keys = std::clamp<std::int64_t>(row % p.n_q + p.n_k - p.n_q + 1 + fault.mask_shift, 0, p.n_k);
    std::vector<float> out(static_cast<std::size_t>(p.d), 0.0f);
    float maximum = fault.first_maximum;
    float sum = 0.0f;
    for (std::int64_t j = 0; j < keys + fault.zero_keys; ++j) {
      if (j == fault.dropped_key) continue;
      float score = 0.0f;
      for (std::int64_t t = 0; t < p.d && j < keys; ++t)
        score += c.at(0, row, t) * c.at(1, first + j, t);
      score *= scale;
      const float next = std::max(maximum, score);
      const float factor = maximum == -infinity ? 0.0f : std::exp(maximum - next);
      const float weight = std::exp(score - next);
      maximum = next;
      sum = sum * factor + weight;
      for (std::int64_t t = 0; t < p.d; ++t) {
        float& element = out[static_cast<std::size_t>(t)];
        element = element * factor + (j < keys ? weight * c.at(2, first + j, t) : 0.0f);
      }
    }
    for (const float element : out) o.push_back(sum == 0.0f ? 0.0f : element / sum);
  }
  return o;
}

// Attention in plain float as three loops: probabilities are rounded before they meet V.
std::vector<float> three_loops(const Case& c) {
  const Problem& p = c.p;
  std::vector<float> o;
  for (const std::int64_t row : c.rows) {
    const std::int64_t head = row / p.n_q % p.heads;
    const std::int64_t first =
        (row / p.n_q / p.heads * p.heads_kv + head * p.heads_kv / p.heads) * p.n_k;
    std::int64_t keys = p.n_k;
    if (p.causal) keys = std::clamp<std::int64_t>(row % p.n_q + p.n_k - p.n_q + 1, 0, p.n_k);
    std::vector<float> weight;
    float maximum = -infinity;
    for (std::int64_t j = 0; j < keys; ++j) {
      float score = 0.0f;
      for (std::int64_t t = 0; t < p.d; ++t) score += c.at(0, row, t) * c.at(1, first + j, t);
      weight.push_back(score / std::sqrt(static_cast<float>(p.d)));
      maximum = std::max(maximum, weight.back());
    }
    float sum = 0.0f;
    for (float& w : weight) sum += w = std::exp(w - maximum);
    for (std::int64_t t = 0; t < p.d; ++t) {
      float element = 0.0f;
      for (std::int64_t j = 0; j < keys; ++j)
        element += weight[static_cast<std::size_t>(j)] / sum * c.at(2, first + j, t);
      o.push_back(element);
    }
  }
  return o;
}

constexpr InputKind kinds[] = {InputKind::random, InputKind::integers, InputKind::equal,
                               InputKind::large, InputKind::outlier};

TEST(AttentionFamily, OneKeyGivesItsValue) {
  const Case c({.n_q = 3, .n_k = 1, .d = 4}, InputKind::random);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(c.expected[i].value, c.at(2, 0, static_cast<std::int64_t>(i % 4)), 1e-15);
}

TEST(AttentionFamily, TwoKeysWeighAsTheirScoresSay) {
  const Case c({.n_q = 1, .n_k = 2, .d = 1}, InputKind::random);
  const double q = c.at(0, 0, 0);
  const double a = std::exp(q * c.at(1, 0, 0)), b = std::exp(q * c.at(1, 1, 0));
  EXPECT_NEAR(c.expected[0].value, (a * c.at(2, 0, 0) + b * c.at(2, 1, 0)) / (a + b), 1e-15);
}

TEST(AttentionFamily, ScoresAreDividedByTheRootOfD) {
  const Case c({.n_q = 1, .n_k = 2, .d = 4}, InputKind::random);
  double score[2] = {};
  for (std::int64_t j = 0; j < 2; ++j)
    for (std::int64_t t = 0; t < 4; ++t) score[j] += c.at(0, 0, t) * double{c.at(1, j, t)} / 2;
  const double share = 1 / (1 + std::exp(score[1] - score[0]));
  EXPECT_NEAR(c.expected[3].value, share * c.at(2, 0, 3) + (1 - share) * c.at(2, 1, 3), 1e-15);
}

TEST(AttentionFamily, EqualScoresGiveTheMeanOfTheValuesSeen) {
  const Case c({.n_q = 4, .n_k = 6, .d = 2, .causal = true}, InputKind::equal);
  // Query 1 sees keys 0 .. 1 + 6 - 4.
  double mean = 0;
  for (std::int64_t j = 0; j < 4; ++j) mean += c.at(2, j, 0) / 4.0;
  EXPECT_NEAR(c.expected[2].value, mean, 1e-15);
}

TEST(AttentionFamily, GroupedHeadsReadTheirKeyHead) {
  const Case c({.batch = 2, .heads = 4, .heads_kv = 2, .n_q = 1, .n_k = 1, .d = 1},
               InputKind::random);
  const std::int64_t key_head[] = {0, 0, 1, 1, 2, 2, 3, 3};
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(c.expected[i].value, c.at(2, key_head[i], 0), 1e-15) << i;
}

TEST(AttentionFamily, QueriesThatSeeNothingGiveExactlyZero) {
  const Case c({.n_q = 5, .n_k = 2, .d = 8, .causal = true}, InputKind::random);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(c.expected[i].value == 0, i < 24) << i;
    EXPECT_EQ(c.expected[i].tolerance == 0, i < 24) << i;
  }
}

TEST(AttentionFamily, VisiblePairsAreCountedExactly) {
  for (const bool causal : {false, true})
    for (std::int64_t n_q = 1; n_q < 14; ++n_q)
      for (std::int64_t n_k = 1; n_k < 14; ++n_k) {
        std::int64_t counted = 0;
        for (std::int64_t i = 0; i < n_q; ++i)
          for (std::int64_t j = 0; j < n_k; ++j) counted += !causal || j <= i + n_k - n_q;
        EXPECT_EQ(attention::visible_pairs({.n_q = n_q, .n_k = n_k, .d = 1, .causal = causal}),
                  counted)
            << n_q << ' ' << n_k;
      }
}

TEST(AttentionFamily, WorkCountsVisiblePairsAndEachTensorOnce) {
  const Problem p{
      .batch = 2, .heads = 6, .heads_kv = 3, .n_q = 10, .n_k = 30, .d = 16, .causal = true};
  const Work work = instance(p)->work();
  EXPECT_EQ(work.flops, 4.0 * 2 * 6 * (20 * 10 + 55) * 16);
  EXPECT_EQ(work.bytes_read, 4.0 * (2 * 6 * 10 * 16 + 2 * 2 * 3 * 30 * 16));
  EXPECT_EQ(work.bytes_written, 4.0 * 2 * 6 * 10 * 16);
  EXPECT_EQ(work.working_set_bytes, work.bytes_read + work.bytes_written);
}

TEST(AttentionFamily, FusedRowIsModelledToReadKeysAndValuesForEveryRow) {
  const Problem p{.n_q = 64, .n_k = 32, .d = 8};
  const auto fused = instance(p, variant_index("fused_row", DeviceKind::cuda));
  EXPECT_EQ(fused->modelled_bytes(), 4.0 * (2 * 64 * 8 + 2 * 64 * 32 * 8));
  EXPECT_EQ(fused->workspace_bytes(), 0u);
}

TEST(AttentionFamily, TheWorkspaceHoldsScoresAndProbabilitiesBeyond32Bits) {
  const std::size_t three = variant_index("scores_softmax_output", DeviceKind::cuda);
  EXPECT_EQ(instance({.n_q = 3, .n_k = 5, .d = 8}, three)->workspace_bytes(), 2u * 4 * 3 * 8);
  EXPECT_EQ(
      instance({.batch = 4, .heads = 16, .heads_kv = 16, .n_q = 16384, .n_k = 16384, .d = 8}, three)
          ->workspace_bytes(),
      std::size_t{2} * 4 * 64 * 16384 * 16384);
  const Problem largest{.batch = 1 << 16,
                        .heads = 1 << 12,
                        .heads_kv = 1 << 12,
                        .n_q = 1 << 24,
                        .n_k = 1 << 24,
                        .d = 256};
  EXPECT_EQ(instance(largest, three)->workspace_bytes(), std::size_t{1} << 63);
  EXPECT_EQ(instance(largest)->output().count, std::int64_t{1} << 60);
  EXPECT_EQ(instance(largest, three)->stages().size(), 3u);
}

TEST(AttentionFamily, HeadsThatDoNotDivideAreRefused) {
  try {
    instance({.heads = 4, .heads_kv = 3, .n_q = 1, .n_k = 1, .d = 1});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::usage);
    EXPECT_NE(std::string(e.what()).find("3 does not divide 4"), std::string::npos) << e.what();
  }
}

TEST(AttentionFamily, DBeyond256IsRefused) {
  ParameterSet set;
  set.set("D", std::int64_t{257});
  try {
    complete(family.parameters(), set, DeviceKind::cuda);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::usage);
    EXPECT_NE(std::string(e.what()).find("256"), std::string::npos) << e.what();
  }
}

TEST(AttentionFamily, KeyHeadsFollowHeadsUnlessGiven) {
  ParameterSet set;
  set.set("H", std::int64_t{6});
  EXPECT_EQ(complete(family.parameters(), set, DeviceKind::cuda).integer("H_kv"), 6);
}

TEST(AttentionFamily, FloatComputationsAreAccepted) {
  const Problem problems[] = {
      {.n_q = 1, .n_k = 1, .d = 64},
      {.n_q = 1, .n_k = 4096, .d = 128},
      {.batch = 2, .heads = 3, .n_q = 19, .n_k = 23, .d = 63},
      {.heads = 4, .heads_kv = 2, .n_q = 11, .n_k = 203, .d = 256},
      {.n_q = 60, .n_k = 60, .d = 80, .causal = true},
      {.n_q = 9, .n_k = 4, .d = 1, .causal = true},
  };
  for (const InputKind kind : kinds)
    for (const Problem& p : problems) {
      const Case c(p, kind);
      EXPECT_EQ(c.rejected(online(c)), 0) << name(kind) << ' ' << p.n_k;
      EXPECT_EQ(c.rejected(three_loops(c)), 0) << name(kind) << ' ' << p.n_k;
    }
}

TEST(AttentionFamily, ADroppedKeyIsRejectedInAlmostEveryOutput) {
  // One key of 4096 moves an output by about 0.6 / 4096 = 1.5e-4.
  const Case c({.n_q = 4096, .n_k = 4096, .d = 128}, InputKind::random, 1365);
  for (const Expected& e : c.expected) EXPECT_LT(e.tolerance, 2e-6);
  EXPECT_GT(c.rejected(online(c, {.dropped_key = 4095})), 4 * 128 * 95 / 100);
  EXPECT_GT(c.rejected(online(c, {.dropped_key = 0})), 4 * 128 * 95 / 100);
}

TEST(AttentionFamily, PaddedKeysThatWeighOneAreRejected) {
  const Case c({.n_q = 4, .n_k = 1000, .d = 64}, InputKind::random);
  EXPECT_GT(c.rejected(online(c, {.zero_keys = 24})), 4 * 64 * 95 / 100);
}

TEST(AttentionFamily, AFiniteFirstMaximumIsRejected) {
  // The score of the one key reaches -5e4: a start at 0 or -1e4 leaves it no weight.
  const Case c({.n_q = 60, .n_k = 1, .d = 64}, InputKind::large);
  EXPECT_GT(c.rejected(online(c, {.first_maximum = 0.0f})), 0);
  EXPECT_GT(c.rejected(online(c, {.first_maximum = -1e4f})), 0);
}

TEST(AttentionFamily, AMaskOffByOneIsRejected) {
  for (const InputKind kind : kinds) {
    const Case c({.n_q = 30, .n_k = 20, .d = 16, .causal = true}, kind);
    EXPECT_GT(c.rejected(online(c, {.mask_shift = 1})), 0) << name(kind);
    EXPECT_GT(c.rejected(online(c, {.mask_shift = -1})), 0) << name(kind);
    EXPECT_GT(c.rejected(online(c, {.mask_shift = 10})), 0) << name(kind);  // aligned top-left
  }
}

TEST(AttentionFamily, TheWrongKeyHeadIsRejected) {
  const Case c({.heads = 4, .heads_kv = 2, .n_q = 8, .n_k = 16, .d = 16}, InputKind::random);
  EXPECT_GT(c.rejected(online(c, {.mixes_heads = true})), 0);
}

TEST(AttentionFamily, AnswersDoNotDependOnWhichOutputsAreAsked) {
  const Problem p{.heads = 2, .heads_kv = 2, .n_q = 5, .n_k = 9, .d = 7, .causal = true};
  const Case all(p, InputKind::random);
  const std::vector<std::int64_t> some = {0, 6, 20, 34, 35, 69};
  std::vector<Expected> expected(some.size());
  instance(p)->oracle(all.inputs, some, expected);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(expected[i].value, all.expected[static_cast<std::size_t>(some[i])].value);
    EXPECT_EQ(expected[i].tolerance, all.expected[static_cast<std::size_t>(some[i])].tolerance);
  }
}

TEST(AttentionFamily, EveryVerifyShapeIsComplete) {
  for (const VerifyShape& shape : family.verify_shapes()) {
    ParameterSet set;
    for (const auto& [parameter, value] : shape.parameters) set.set(parameter, value);
    EXPECT_EQ(complete(family.parameters(), set, DeviceKind::host), set);
    EXPECT_NO_THROW(family.instantiate(0, set));
  }
}

}  // namespace
}  // namespace gpubench
