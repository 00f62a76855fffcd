// The reports that other programs read: JUnit, JSON, github-action-benchmark.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "compare/report.hpp"
#include "compare/report_parts.hpp"
#include "comparison_fixture.hpp"
#include "xml_reader.hpp"

namespace gpubench {
namespace {

using Json = nlohmann::ordered_json;
using test::around;
using test::judged;
using test::XmlElement;
using test::XmlReader;

TEST(ComparisonJunit, ReportsEveryCaseWithItsResult) {
  const XmlElement root = XmlReader::read(comparison_junit(test::every_verdict()));
  EXPECT_EQ(root.name, "testsuites");
  const XmlElement& suite = *root.child("testsuite");
  EXPECT_EQ(suite.attributes.at("name"), "gpubench compare");
  std::map<std::string, std::string> results;
  for (const XmlElement* one : suite.all("testcase")) {
    const std::string& name = one->attributes.at("name");
    EXPECT_EQ(one->attributes.at("classname"), name.substr(0, name.find('?')));
    ASSERT_EQ(one->children.size(), 1u);
    const XmlElement& result = one->children[0];
    results[name] = result.name;
    if (result.name != "system-out") results[name] += ": " + result.attributes.at("type");
  }
  const std::map<std::string, std::string> expected = {
      {"add/worst?n=1", "failure: regression"},
      {"add/regression?n=1", "failure: regression"},
      {"add/missing?n=1", "failure: missing"},
      {"add/incomparable?n=1", "error: not comparable"},
      {"add/inconclusive?n=1", "skipped: inconclusive"},
      {"add/insufficient?n=1", "skipped: insufficient"},
      {"add/new?n=1", "skipped: new"},
      {"add/improvement?n=1", "system-out"},
      {"add/same?n=1", "system-out"}};
  EXPECT_EQ(results, expected);
}

TEST(ComparisonJunit, FollowsTheOptions) {
  Comparison comparison = test::every_verdict();
  comparison.strict = comparison.allow_missing = true;
  const XmlElement root = XmlReader::read(comparison_junit(comparison));
  std::map<std::string, std::string> results;
  for (const XmlElement* one : root.child("testsuite")->all("testcase")) {
    const std::string& name = one->attributes.at("name");
    results[name] = one->children.at(0).name;
  }
  EXPECT_EQ(results["add/inconclusive?n=1"], "failure");
  EXPECT_EQ(results["add/insufficient?n=1"], "failure");
  EXPECT_EQ(results["add/missing?n=1"], "skipped");
}

TEST(ComparisonJunit, SaysTheFiguresInOneSentence) {
  const XmlElement root = XmlReader::read(comparison_junit(test::every_verdict()));
  const XmlElement& regression = *root.child("testsuite")->all("testcase").at(3);
  EXPECT_EQ(regression.attributes.at("name"), "add/regression?n=1");
  EXPECT_EQ(regression.child("failure")->attributes.at("message"),
            "+10.0 % [+9.5, +10.5], from 1.000 ms to 1.100 ms, threshold 2 %; power_limited; "
            "SM clock -5.2 %");
}

void expect_counts(const Comparison& comparison) {
  const XmlElement root = XmlReader::read(comparison_junit(comparison));
  const XmlElement& suite = *root.child("testsuite");
  std::map<std::string, int> counts = {
      {"tests", 0}, {"failures", 0}, {"errors", 0}, {"skipped", 0}};
  for (const XmlElement* one : suite.all("testcase")) {
    ++counts["tests"];
    counts["failures"] += one->child("failure") != nullptr;
    counts["errors"] += one->child("error") != nullptr;
    counts["skipped"] += one->child("skipped") != nullptr;
  }
  for (const auto& [name, number] : counts) {
    EXPECT_EQ(suite.attributes.at(name), std::to_string(number)) << name;
    EXPECT_EQ(root.attributes.contains(name), name != "skipped");
    if (root.attributes.contains(name)) {
      EXPECT_EQ(root.attributes.at(name), std::to_string(number)) << name;
    }
  }
}

TEST(ComparisonJunit, CountsAreThoseOfItsCases) {
  for (const Comparison& comparison :
       {test::every_verdict(), test::hostile(), test::many(100), Comparison{}})
    expect_counts(comparison);
}

TEST(ComparisonJunit, NothingComparedIsAnError) {
  Compared insufficient = judged("add/x?n=1", Verdict::insufficient, 1);
  for (const Comparison& comparison : {Comparison{}, around({insufficient})}) {
    const XmlElement root = XmlReader::read(comparison_junit(comparison));
    EXPECT_EQ(root.attributes.at("errors"), "1");
  }
}

TEST(ComparisonJunit, HostileTextsComeBackWhole) {
  Comparison comparison = test::hostile();
  const XmlElement root = XmlReader::read(comparison_junit(comparison));
  const auto cases = root.child("testsuite")->all("testcase");
  ASSERT_EQ(cases.size(), comparison.cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string expected;
    for (const char32_t point : code_points(comparison.cases[i].id)) {
      const bool allowed = point == '\n' || point == '\r' || point == '\t' ||
                           (point >= 0x20 && point < 0x7f) ||
                           (point >= 0xa0 && point != 0xfffe && point != 0xffff);
      append_utf8(expected, allowed ? point : 0xfffd);
    }
    EXPECT_EQ(cases[i]->attributes.at("name"), expected);
  }
}

TEST(CodePoints, OfWhatIsNotUtf8AreReplaced) {
  EXPECT_EQ(code_points("a\xc2\xb5\xe2\x82\xac\xf0\x9f\x98\x80"), U"a\u00b5\u20ac\U0001f600");
  for (const std::string_view invalid :
       {"\x80", "\xff", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf8\x88\x80\x80", "\xe2\x82"})
    EXPECT_EQ(code_points(invalid), std::u32string(invalid.size(), 0xfffd));
  // What follows a sequence that breaks off is not lost with it.
  EXPECT_EQ(code_points("\xe2\x82<"), U"\ufffd\ufffd<");
}

TEST(ComparisonJson, HasEverything) {
  Comparison comparison = test::every_verdict();
  const Json json = Json::parse(comparison_json(comparison));
  EXPECT_EQ(json["schema"], "gpubench.comparison/1");
  EXPECT_EQ(json["outcome"], "fail");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["metric"], "time");
  EXPECT_EQ(json["min_effect"], 0.02);
  EXPECT_EQ(json["base"]["git_commit"], "0123456789abcdef0123");
  EXPECT_TRUE(json["new"]["git_commit"].is_null());
  EXPECT_EQ(json["new"]["files"], Json::array({"c.json"}));
  EXPECT_EQ(json["warnings"].size(), 1u);
  EXPECT_EQ(json["remarks"].size(), 1u);
  EXPECT_EQ(json["counts"]["regression"], 2);
  EXPECT_EQ(json["counts"]["not_comparable"], 1);
  EXPECT_EQ(json["counts"].size(), 8u);
  ASSERT_EQ(json["cases"].size(), comparison.cases.size());
  const Json& worst = json["cases"][4];
  EXPECT_EQ(worst["id"], "add/worst?n=1");
  EXPECT_EQ(worst["verdict"], "regression");
  EXPECT_EQ(worst["fails"], true);
  EXPECT_EQ(worst["base"], Json({{"value", 1e-3}, {"processes", 5}, {"samples", 100}}));
  EXPECT_EQ(worst["ratio"], 1.3);
  EXPECT_EQ(worst["ratio_interval"], Json::array({1.3 * 0.995, 1.3 * 1.005}));
  EXPECT_EQ(worst["method"], "bootstrap");
  EXPECT_EQ(worst["threshold"], 0.043);
  EXPECT_EQ(worst["floor"], 0.043);
  EXPECT_EQ(worst["floor_source"], "launch-sized");
}

TEST(ComparisonJson, WhatAVerdictLeavesUndefinedIsNull) {
  const Json json = Json::parse(comparison_json(test::every_verdict()));
  const Json& missing = json["cases"][5];
  EXPECT_EQ(missing["verdict"], "missing");
  EXPECT_EQ(missing["reason"], "not in the new documents");
  for (const char* key :
       {"new", "ratio", "ratio_interval", "method", "threshold", "floor", "floor_source"})
    EXPECT_TRUE(missing.at(key).is_null()) << key;
  const Json undefined = Json::parse(comparison_json(test::not_finite()));
  for (const char* key : {"ratio", "threshold", "floor"})
    EXPECT_TRUE(undefined["cases"][0].at(key).is_null()) << key;
  for (const Json& found : undefined["cases"]) EXPECT_TRUE(found["ratio_interval"].is_null());
  EXPECT_TRUE(undefined["cases"][0]["base"]["value"].is_null());
}

TEST(ComparisonJson, EmptyAndHostileComparisonsAreJson) {
  const Json empty = Json::parse(comparison_json({}));
  EXPECT_EQ(empty["cases"], Json::array());
  EXPECT_EQ(empty["outcome"], "not_comparable");
  EXPECT_EQ(empty["exit_code"], 4);
  const Comparison comparison = test::hostile();
  const Json hostile = Json::parse(comparison_json(comparison));
  EXPECT_EQ(hostile["cases"].size(), comparison.cases.size());
  EXPECT_EQ(hostile["cases"][9]["id"], comparison.cases[9].id);
}

TEST(ComparisonGithubAction, HasAnEntryForEveryFreshFigure) {
  const Json json = Json::parse(comparison_github_action_benchmark(test::every_verdict()));
  ASSERT_EQ(json.size(), 6u);  // all but missing, not comparable and insufficient
  EXPECT_EQ(json[3], Json({{"name", "add/regression?n=1"},
                           {"unit", "s"},
                           {"value", 1e-3 * 1.1},
                           {"range", "± 0.50 %"},
                           {"extra",
                            "regression: +10.0 % [+9.5, +10.5], from 1.000 ms to 1.100 ms, "
                            "threshold 2 %; power_limited; SM clock -5.2 %"}}));
  EXPECT_EQ(json[5]["name"], "add/new?n=1");
  EXPECT_FALSE(json[5].contains("range"));
}

TEST(ComparisonGithubAction, HasOneDirection) {
  Compared rate = judged("dram_read", Verdict::same, 1);
  rate.unit = "byte/s";
  rate.less_is_better = false;
  const Compared latency = judged("latency_launch", Verdict::same, 1);
  const Json ceilings =
      Json::parse(comparison_github_action_benchmark(around({latency, rate, latency})));
  ASSERT_EQ(ceilings.size(), 1u);
  EXPECT_EQ(ceilings[0]["name"], "dram_read");
  EXPECT_EQ(Json::parse(comparison_github_action_benchmark(around({latency}))).size(), 1u);
}

TEST(ComparisonGithubAction, EmptyAndUndefinedComparisonsAreArrays) {
  EXPECT_EQ(Json::parse(comparison_github_action_benchmark({})), Json::array());
  for (const Json& entry : Json::parse(comparison_github_action_benchmark(test::not_finite()))) {
    EXPECT_TRUE(entry["value"].is_number());
    EXPECT_FALSE(entry.contains("range")) << entry;
  }
}

}  // namespace
}  // namespace gpubench
