#include "registry/suite.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace gpubench {
namespace {

class SuiteFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "gpubench-suite-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = (folder / "suite.json").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Suite read(const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return read_suite(path);
  }
  // One case with this text inside its braces.
  Suite read_case(const std::string& text) {
    return read(R"({"schema":"gpubench.suite/1","cases":[{)" + text + "}]}");
  }
  std::string refusal(const std::function<void()>& action, ExitCode code = ExitCode::usage) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      std::string what = error.what();
      if (what.starts_with(path + ": ")) what.erase(0, path.size() + 2);
      return what;
    }
    return "accepted";
  }
  std::string case_refusal(const std::string& text) {
    return refusal([&] { read_case(text); });
  }
  std::string text_refusal(const std::string& text) {
    return refusal([&] { read(text); });
  }

  std::filesystem::path folder;
  std::string path;
};

TEST_F(SuiteFile, is_read_with_every_form_of_value) {
  const Suite suite = read(R"({"schema":"gpubench.suite/1","description":"all","cases":[
    {"family":"matmul","parameters":{"M":4096,"N":"1024:4096:*2","K":[64,128]},
     "variants":"wgmma|tiled","dtypes":["f32","f16"],"cache":"cold"},
    {"family":"attention","parameters":{"causal":[true,false]}},
    {"family":"softmax"}]})");
  EXPECT_EQ(suite.description, "all");
  ASSERT_EQ(suite.cases.size(), 3u);
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(suite.cases[0].family, "matmul");
  EXPECT_EQ(suite.cases[0].parameters,
            (Parameters{{"M", "4096"}, {"N", "1024:4096:*2"}, {"K", "64,128"}}));
  EXPECT_EQ(suite.cases[0].variants, "wgmma|tiled");
  EXPECT_EQ(suite.cases[0].dtypes, (std::vector{DType::f32, DType::f16}));
  EXPECT_EQ(suite.cases[0].cache, CacheMode::cold);
  EXPECT_EQ(suite.cases[1].parameters, (Parameters{{"causal", "true,false"}}));
  EXPECT_TRUE(suite.cases[2].parameters.empty());
  EXPECT_TRUE(suite.cases[2].dtypes.empty());
  EXPECT_EQ(suite.cases[2].variants, "");
  EXPECT_EQ(suite.cases[2].cache, CacheMode::warm);
}

TEST_F(SuiteFile, names_the_place_and_the_nearest_key) {
  EXPECT_EQ(case_refusal(R"("famly":"matmul")"),
            "at cases[0]: unknown key 'famly'; did you mean 'family'?");
  EXPECT_EQ(text_refusal(R"({"schema":"gpubench.suite/1","case":[]})"),
            "unknown key 'case'; did you mean 'cases'?");
  EXPECT_EQ(case_refusal(R"("parameters":{})"), "at cases[0]: 'family' is missing");
  EXPECT_EQ(case_refusal(R"("family":3)"), "at cases[0].family: expected a string, found 3");
}

TEST_F(SuiteFile, refuses_values_that_are_no_parameter) {
  const auto parameter = [&](const std::string& value) {
    return case_refusal(R"("family":"f","parameters":{"N":)" + value + "}");
  };
  EXPECT_EQ(parameter("4096.5"), "at cases[0].parameters.N: expected a whole number, found 4096.5");
  EXPECT_EQ(parameter("9223372036854775808"),
            "at cases[0].parameters.N: 9223372036854775808 is out of range; allowed: "
            "-9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(parameter("[1,null]"),
            "at cases[0].parameters.N[1]: expected a number, true, false, a "
            "value, or a sweep such as '1024:4096:*2'");
  EXPECT_NE(parameter("[[1]]").find("at cases[0].parameters.N[0]: expected"), std::string::npos);
  EXPECT_NE(parameter("\"\"").find("at cases[0].parameters.N: expected"), std::string::npos);
  EXPECT_NE(parameter("{}").find("at cases[0].parameters.N: expected"), std::string::npos);
  EXPECT_EQ(parameter("[]"), "at cases[0].parameters.N: expected at least one value");
  EXPECT_EQ(case_refusal(R"("family":"f","parameters":[])"),
            "at cases[0].parameters: expected an object, found an array");
}

TEST_F(SuiteFile, refuses_wrong_variants_dtypes_and_cache_modes) {
  EXPECT_EQ(case_refusal(R"("family":"f","variants":["a"])"),
            "at cases[0].variants: expected a string, found an array");
  EXPECT_EQ(case_refusal(R"("family":"f","dtypes":["f32","fp8"])"),
            "at cases[0].dtypes[1]: 'fp8' is not allowed; allowed: f32, f16, bf16, f64");
  EXPECT_EQ(case_refusal(R"("family":"f","dtypes":"f32")"),
            "at cases[0].dtypes: expected an array, found the string 'f32'");
  EXPECT_EQ(case_refusal(R"("family":"f","dtypes":[])"),
            "at cases[0].dtypes: expected at least one dtype");
  EXPECT_EQ(case_refusal(R"("family":"f","dtypes":["f32","f32"])"),
            "at cases[0].dtypes[1]: 'f32' is given twice");
  EXPECT_EQ(case_refusal(R"("family":"f","cache":"hot")"),
            "at cases[0].cache: 'hot' is not allowed; allowed: warm, cold");
  EXPECT_EQ(case_refusal(R"("family":"f","cache":null)"),
            "at cases[0].cache: expected a string, found null");
}

TEST_F(SuiteFile, refuses_what_is_not_a_suite) {
  EXPECT_EQ(text_refusal(R"({"schema":"gpubench.suite/2","new":1,"cases":[]})"),
            "is 'gpubench.suite/2'; this gpubench reads gpubench.suite/1");
  EXPECT_EQ(text_refusal(R"({"cases":[]})"), "'schema' is missing");
  EXPECT_EQ(text_refusal(R"({"schema":"gpubench.suite/1"})"), "'cases' is missing");
  EXPECT_EQ(text_refusal(R"({"schema":"gpubench.suite/1","cases":[]})"),
            "at cases: expected at least one case");
  EXPECT_EQ(text_refusal(R"({"schema":"gpubench.suite/1","cases":{}})"),
            "at cases: expected an array, found an object");
  EXPECT_EQ(text_refusal("[]"), "expected an object, found an array");
  EXPECT_EQ(text_refusal(""), "is empty");
  EXPECT_EQ(case_refusal(R"("family":"f","family":"g")"), "the key 'family' is given twice");
  EXPECT_NE(text_refusal("{").find("is not valid JSON"), std::string::npos);
  EXPECT_EQ(text_refusal(std::string(1000, '[')), "is nested deeper than 64 levels");
}

TEST_F(SuiteFile, says_why_a_file_cannot_be_read) {
  EXPECT_EQ(refusal([&] { read_suite(path); }, ExitCode::io),
            "cannot read '" + path + "': No such file or directory");
  EXPECT_EQ(refusal([&] { read_suite(folder.string()); }, ExitCode::io),
            "cannot read '" + folder.string() + "': it is a folder");
}

TEST_F(SuiteFile, has_the_keys_of_the_schema) {
  std::ifstream file(GPUBENCH_SOURCE_DIR "/docs/suite.schema.json");
  const auto schema = nlohmann::json::parse(file);
  const auto keys_of = [](const nlohmann::json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.at("properties").items()) keys.push_back(key);
    return keys;  // in alphabetical order
  };
  const auto sorted = [](std::span<const std::string_view> keys) {
    std::vector<std::string> copy(keys.begin(), keys.end());
    std::sort(copy.begin(), copy.end());
    return copy;
  };
  EXPECT_EQ(keys_of(schema), sorted(suite_keys()));
  EXPECT_EQ(keys_of(schema.at("$defs").at("case")), sorted(suite_case_keys()));
  EXPECT_FALSE(schema.at("additionalProperties"));
  EXPECT_FALSE(schema.at("$defs").at("case").at("additionalProperties"));
  EXPECT_EQ(schema.at("properties").at("schema").at("const"), suite_schema);
}

TEST_F(SuiteFile, an_entry_may_be_for_one_kind_of_device) {
  const Suite suite = read(R"({"schema": "gpubench.suite/1", "cases": [
    {"family": "matmul", "device": "cuda"}, {"family": "matmul"}]})");
  EXPECT_EQ(suite.cases[0].device, DeviceKind::cuda);
  EXPECT_FALSE(suite.cases[1].device);
}

TEST(Configs, are_suites) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GPUBENCH_SOURCE_DIR "/configs")) {
    EXPECT_NO_THROW(read_suite(entry.path().string())) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 1);
}

}  // namespace
}  // namespace gpubench
