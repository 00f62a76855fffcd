#include "kernels/streams/family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/streams/staging.hpp"

namespace gpubench {
namespace {

const Family& family = streams::family();

std::unique_ptr<Instance> instance(std::size_t variant, std::int64_t n, std::int64_t chunks) {
  ParameterSet set;
  set.set("N", n);
  set.set("chunks", chunks);
  return family.instantiate(variant, set);
}

TEST(StreamsChunks, CoverEveryElementOnceAndBeginAligned) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 31, 33, 257, 1023, 4099, 65537}) {
    for (const std::int64_t chunks : {1, 2, 3, 7, 16, 300, 4096}) {
      std::int64_t reached = 0;
      std::int64_t shortest = n, longest = 0;
      for (std::int64_t k = 0; k < chunks; ++k) {
        const streams::Chunk chunk = streams::chunk({.n = n, .chunks = chunks}, k);
        ASSERT_GE(chunk.count, 0);
        if (chunk.count == 0) continue;
        ASSERT_EQ(chunk.begin, reached) << n << " in " << chunks;
        ASSERT_EQ(chunk.begin % 4, 0);
        reached += chunk.count;
        shortest = std::min(shortest, chunk.count);
        longest = std::max(longest, chunk.count);
      }
      EXPECT_EQ(reached, n) << chunks;
      EXPECT_LT(longest - shortest, 8) << n << " in " << chunks;
    }
  }
}

TEST(StreamsChunks, AreRightWhereIndicesPass32Bits) {
  const streams::Problem p{.n = (std::int64_t{1} << 38) - 1, .chunks = 4096};
  const streams::Chunk last = streams::chunk(p, 4095);
  EXPECT_EQ(last.begin + last.count, p.n);
  EXPECT_EQ(last.begin, std::int64_t{4095} << 26);
}

TEST(StreamsStaging, KeepsThreeArraysApartAndAligned) {
  std::vector<float> memory(3 * 64);
  Buffers buffers;
  buffers.workspace = memory.data();
  const streams::Problem p{.n = 33, .chunks = 1};
  const streams::Staging staging = streams::staging(p, buffers);
  EXPECT_EQ(staging.a, memory.data());
  EXPECT_EQ(staging.b - staging.a, 64);
  EXPECT_EQ(staging.c - staging.b, 64);
  EXPECT_EQ(streams::staging_bytes(p), memory.size() * sizeof(float));
  EXPECT_EQ(instance(1, 65, 1)->workspace_bytes(), 3u * 128 * 4);
}

TEST(StreamsFamily, SaysWhereItsBuffersLiveAndHowItIsQueued) {
  const auto pageable = instance(0, 1000, 16);
  EXPECT_EQ(pageable->memory(), MemoryKind::host_pageable);
  EXPECT_EQ(pageable->submission(), Submission::blocking);
  const auto pinned = instance(1, 1000, 16);
  EXPECT_EQ(pinned->memory(), MemoryKind::host_pinned);
  EXPECT_EQ(pinned->submission(), Submission::graph);
}

TEST(StreamsFamily, NamesItsStagesAndWhichOfThemAreTransfer) {
  const auto described = [](const Instance& instance) {
    std::string text;
    for (const Instance::StageFacts& stage : instance.stages())
      text += std::string(stage.name) + (stage.host_transfer ? "* " : " ");
    return text;
  };
  EXPECT_EQ(described(*instance(0, 10, 1)), "copy_in* add copy_out* ");
  EXPECT_EQ(described(*instance(1, 10, 1)), "transfers* add ");
}

TEST(StreamsFamily, CountsBytesThatCrossTheBus) {
  const Work work = instance(1, 1'000'000, 16)->work();
  EXPECT_TRUE(work.host_transfer);
  EXPECT_EQ(work.flops, 1e6);
  EXPECT_EQ(work.bytes_read, 8e6);
  EXPECT_EQ(work.bytes_written, 4e6);
}

TEST(StreamsFamily, ExpectsTheSumOfItsInputs) {
  const auto small = instance(0, 100, 3);
  const Inputs inputs(
      InputKind::random,
      {small->generator(0, InputKind::random, 1), small->generator(1, InputKind::random, 1)},
      {DType::f32, DType::f32});
  const std::vector<std::int64_t> indices = {0, 99};
  std::vector<Expected> answers(2);
  small->oracle(inputs, indices, answers);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(answers[i].value,
              static_cast<float>(inputs.at(0, indices[i]) + inputs.at(1, indices[i])));
    EXPECT_EQ(answers[i].tolerance, 0.0);
  }
}

TEST(StreamsFamily, RunsOnGpusOnlyAndVerifiesMoreChunksThanElements) {
  ASSERT_EQ(family.variants().size(), 2u);
  for (const VariantFacts& facts : family.variants()) EXPECT_EQ(facts.device, DeviceKind::cuda);
  bool more_chunks_than_elements = false;
  for (const VerifyShape& shape : family.verify_shapes())
    more_chunks_than_elements |= std::get<std::int64_t>(shape.parameters.at(0).second) <
                                 std::get<std::int64_t>(shape.parameters.at(1).second);
  EXPECT_TRUE(more_chunks_than_elements);
}

}  // namespace
}  // namespace gpubench
