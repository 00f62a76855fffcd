// Calibration of the noise between processes.
#include "compare/noise.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "compare_documents.hpp"

namespace gpubench {
namespace {

using testing::empty_document;
using testing::Folder;
using testing::timed_case;

class CompareNoise : public ::testing::Test {
 protected:
  // One process a document, all samples of a process alike.
  Side side_of(const std::vector<double>& seconds) {
    std::vector<std::string> paths;
    for (const double one : seconds) {
      Document document = empty_document();
      document.cases = {timed_case(1, {std::vector<double>(20, one)})};
      paths.push_back(folder.write(std::to_string(paths.size()) + ".json", document));
    }
    return read_side(paths, std::nullopt, false);
  }
  Folder folder;
};

TEST_F(CompareNoise, is_the_95th_percentile_over_pairs_of_processes) {
  // Ratios of pairs: 1.01, 1.05, 1.05/1.01; the quantile lies at 0.95 * 2 between the upper two.
  const double second = 1.05 / 1.01 - 1;
  const double expected = second + 0.9 * (0.05 - second);
  const Noise noise = calibrate(side_of({1e-3, 1.01e-3, 1.05e-3}));
  ASSERT_EQ(noise.cases.size(), 1u);
  EXPECT_NEAR(*noise.cases[0].time, expected, 1e-9);
  EXPECT_NEAR(*noise.cases[0].percent_of_roof, expected, 1e-9);
  EXPECT_FALSE(noise.cases[0].energy);
  EXPECT_EQ(noise.cases[0].processes, 3);
}

TEST_F(CompareNoise, warns_of_cases_under_ceilings_that_differ_and_not_of_ceilings) {
  const auto warnings = [&](bool with_case) {
    std::vector<std::string> paths;
    for (const double value : {66e12, 60e12}) {
      Document document = empty_document();
      document.ceilings = {testing::timed_ceiling("fp32_fma", "flop/s", value)};
      document.started_at = std::to_string(paths.size());
      if (with_case) document.cases = {timed_case(1, {std::vector<double>(20, 1e-3)})};
      paths.push_back(folder.write(document.started_at + ".json", document));
    }
    return calibrate(read_side(paths, std::nullopt, false)).warnings;
  };
  ASSERT_EQ(warnings(true).size(), 1u);
  EXPECT_NE(warnings(true)[0].find("fp32_fma by 10"), std::string::npos) << warnings(true)[0];
  EXPECT_TRUE(warnings(false).empty());
}

TEST_F(CompareNoise, needs_two_processes) {
  EXPECT_THROW(calibrate(side_of({1e-3})), Error);
}

TEST_F(CompareNoise, comes_back_from_its_file) {
  const Noise noise = calibrate(side_of({1e-3, 1.03e-3}));
  std::ofstream(folder.path("noise.json")) << noise_json(noise);
  const Noise back = read_noise(folder.path("noise.json"));
  EXPECT_EQ(back.device, "Test GPU");
  ASSERT_EQ(back.cases.size(), 1u);
  EXPECT_EQ(back.cases[0].id, noise.cases[0].id);
  EXPECT_DOUBLE_EQ(*back.cases[0].of(Metric::time), *noise.cases[0].time);
  EXPECT_FALSE(back.cases[0].of(Metric::energy));
}

TEST_F(CompareNoise, refuses_what_is_no_noise_file) {
  const auto refusal = [&](const std::string& text) -> std::string {
    std::ofstream(folder.path("noise.json")) << text;
    try {
      read_noise(folder.path("noise.json"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::not_comparable);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("{}").find("'schema' is missing"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": "gpubench.results/1"})").find("--calibrate"), std::string::npos);
  const std::string head = R"({"schema": "gpubench.noise/1", "device": "", "created_at": "", )";
  EXPECT_NE(
      refusal(head + R"("cases": [{"id": "a", "processes": 2, "time": -1}]})").find("negative"),
      std::string::npos);
  EXPECT_NE(refusal(head + R"("cases": [{"id": "a", "processes": 1}]})").find("processes"),
            std::string::npos);
}

TEST_F(CompareNoise, says_whether_the_clock_explains_it) {
  Noise noise = calibrate(side_of({1e-3, 1.06e-3}));
  EXPECT_NE(noise_table(noise, 100).find("no case"), std::string::npos);
  noise.cases[0].percent_of_roof_at_clock = 0.006;
  EXPECT_NE(noise_table(noise, 100).find("shrinks the floor of 1 of 1 cases"), std::string::npos);
}

}  // namespace
}  // namespace gpubench
