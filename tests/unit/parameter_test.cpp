#include "registry/parameter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"

namespace gpubench {
namespace {

constexpr std::array<std::string_view, 2> ops = {"sum", "maximum"};
constexpr Parameter n = {.name = "N",
                         .help = "elements",
                         .maximum = std::int64_t{1} << 40,
                         .cuda_default = 4096,
                         .host_default = 512};
constexpr Parameter n_k = {.name = "N_k", .help = "keys", .maximum = 65536, .default_same_as = "N"};
constexpr Parameter causal = {
    .name = "causal", .help = "mask", .kind = Parameter::Kind::boolean, .cuda_default = 1};
constexpr Parameter op = {
    .name = "op", .help = "operation", .kind = Parameter::Kind::choice, .choices = ops};
constexpr std::array<Parameter, 4> all = {n, n_k, causal, op};

std::vector<std::int64_t> integers(const Parameter& parameter, std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const ParameterValue& value : parse_values(parameter, text))
    numbers.push_back(std::get<std::int64_t>(value));
  return numbers;
}

std::string refusal(const Parameter& parameter, std::string_view text) {
  try {
    parse_values(parameter, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

std::string refusal(const ParameterSet& given) {
  try {
    complete(all, given, DeviceKind::cuda);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

using Numbers = std::vector<std::int64_t>;

TEST(ParseValues, takes_a_value_a_list_and_sweeps) {
  EXPECT_EQ(integers(n, "4096"), Numbers{4096});
  EXPECT_EQ(integers(n, "1,2,3"), (Numbers{1, 2, 3}));
  EXPECT_EQ(integers(n, "1024:4096:1024"), (Numbers{1024, 2048, 3072, 4096}));
  EXPECT_EQ(integers(n, "1:8:3"), (Numbers{1, 4, 7}));
  EXPECT_EQ(integers(n, "256:2048:*2"), (Numbers{256, 512, 1024, 2048}));
  EXPECT_EQ(integers(n, "3:20:*3"), (Numbers{3, 9}));
  EXPECT_EQ(integers(n, "5:5:1"), Numbers{5});
  EXPECT_EQ(integers(n, "7,1:4:*2"), (Numbers{7, 1, 2, 4}));
}

TEST(ParseValues, measures_a_repeated_value_once) {
  EXPECT_EQ(integers(n, "4,1:8:*2,4"), (Numbers{4, 1, 2, 8}));
}

TEST(ParseValues, does_not_overflow_at_the_end_of_the_range) {
  constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();
  constexpr Parameter wide = {
      .name = "w", .help = "", .minimum = std::numeric_limits<std::int64_t>::min(), .maximum = top};
  EXPECT_EQ(integers(wide, "9223372036854775800:9223372036854775807:5"),
            (Numbers{top - 7, top - 2}));
  EXPECT_EQ(integers(wide, "4611686018427387904:9223372036854775807:*2"),
            Numbers{std::int64_t{1} << 62});
  EXPECT_EQ(integers(wide, "-9223372036854775808:9223372036854775807:9223372036854775807").size(),
            3u);
}

TEST(ParseValues, refuses_numbers_out_of_range_with_the_range) {
  for (const char* text : {"0", "-1", "1099511627777", "9223372036854775808",
                           "99999999999999999999", "1:9223372036854775808:1", "0:8:1"})
    EXPECT_NE(
        refusal(n, text).find("is out of range; allowed: whole numbers from 1 to 1099511627776"),
        std::string::npos)
        << refusal(n, text);
  EXPECT_EQ(refusal(n, "0"),
            "N: 0 is out of range; allowed: whole numbers from 1 to 1099511627776");
}

TEST(ParseValues, refuses_what_is_not_a_whole_number) {
  for (const char* text :
       {"abc", "1e3", "4096.5", " 4096", "+5", "0x10", "2^28", "1;2", "--5", "-", "1,x"})
    EXPECT_NE(refusal(n, text).find("is not a whole number; allowed: "), std::string::npos)
        << refusal(n, text);
  for (const char* text : {"", "1,,2", ",", "1,", ":8:1"})
    EXPECT_EQ(refusal(n, text),
              "N: a value is missing; allowed: whole numbers from 1 to 1099511627776");
}

TEST(ParseValues, refuses_sweeps_that_make_no_sense) {
  EXPECT_EQ(refusal(n, "8:4:1"), "N: '8:4:1' ends before it starts");
  for (const char* text : {"1:8:0", "1:8:*1", "1:8:*0", "1:8:-1", "1:8:", "1:8:*", "1:8:x"})
    EXPECT_NE(refusal(n, text).find("allowed: a whole number from 1, or * and a factor from 2"),
              std::string::npos)
        << refusal(n, text);
  for (const char* text : {"1:8", "1:2:3:4", ":"})
    EXPECT_NE(
        refusal(n, text).find("is not a sweep; allowed: start:stop:step or start:stop:*factor"),
        std::string::npos)
        << refusal(n, text);
  constexpr Parameter from_zero = {.name = "z", .help = "", .minimum = 0};
  EXPECT_EQ(refusal(from_zero, "0:8:*2"), "z: '0:8:*2' multiplies 0; allowed: a start from 1");
}

TEST(ParseValues, refuses_more_than_ten_thousand_values) {
  EXPECT_EQ(parse_values(n, "1:10000:1").size(), 10000u);
  EXPECT_EQ(refusal(n, "1:10001:1"), "N: more than 10000 values; allowed: at most 10000");
  EXPECT_EQ(refusal(n, "1:1099511627776:1"), "N: more than 10000 values; allowed: at most 10000");
  EXPECT_EQ(refusal(n, "1:9999:1,20000:20002:1"),
            "N: more than 10000 values; allowed: at most 10000");
}

TEST(ParseValues, takes_booleans_and_choices_by_name) {
  EXPECT_EQ(parse_values(causal, "true,false"), (std::vector<ParameterValue>{true, false}));
  EXPECT_EQ(refusal(causal, "yes"), "causal: 'yes' is neither true nor false");
  EXPECT_EQ(refusal(causal, ""), "causal: '' is neither true nor false");
  EXPECT_EQ(parse_values(op, "sum"), (std::vector<ParameterValue>{std::string("sum")}));
  EXPECT_EQ(refusal(op, "summ"), "op: 'summ' is not one of its values; did you mean 'sum'?");
  EXPECT_EQ(refusal(op, "qqq"), "op: 'qqq' is not one of its values; allowed: sum, maximum");
}

TEST(Complete, fills_in_the_defaults_of_the_device_in_the_order_of_the_family) {
  ParameterSet given;
  given.set("op", std::string("maximum"));
  const ParameterSet cuda = complete(all, given, DeviceKind::cuda);
  ASSERT_EQ(cuda.values().size(), 4u);
  EXPECT_EQ(cuda.values()[0].first, "N");
  EXPECT_EQ(cuda.integer("N"), 4096);
  EXPECT_EQ(cuda.integer("N_k"), 4096);
  EXPECT_TRUE(cuda.boolean("causal"));
  EXPECT_EQ(cuda.values()[3].first, "op");
  EXPECT_EQ(cuda.choice("op"), "maximum");
  const ParameterSet host = complete(all, {}, DeviceKind::host);
  EXPECT_EQ(host.integer("N_k"), 512);
  EXPECT_FALSE(host.boolean("causal"));
  EXPECT_EQ(host.choice("op"), "sum");
}

TEST(Complete, gives_a_parameter_the_value_of_another_unless_it_has_its_own) {
  ParameterSet given;
  given.set("N", std::int64_t{77});
  EXPECT_EQ(complete(all, given, DeviceKind::cuda).integer("N_k"), 77);
  given.set("N_k", std::int64_t{5});
  EXPECT_EQ(complete(all, given, DeviceKind::cuda).integer("N_k"), 5);
}

TEST(Complete, refuses_unknown_names_wrong_kinds_and_ranges) {
  const auto with = [](std::string_view name, ParameterValue value) {
    ParameterSet set;
    set.set(name, std::move(value));
    return refusal(set);
  };
  EXPECT_EQ(with("caussal", true), "there is no parameter 'caussal'; did you mean 'causal'?");
  EXPECT_EQ(with("columns", std::int64_t{1}),
            "there is no parameter 'columns'; allowed: N, N_k, causal, op");
  EXPECT_EQ(with("N", true),
            "N: 'true' is not a whole number; allowed: whole numbers from 1 to 1099511627776");
  EXPECT_EQ(with("N", std::int64_t{0}),
            "N: 0 is out of range; allowed: whole numbers from 1 to 1099511627776");
  EXPECT_EQ(with("causal", std::int64_t{1}), "causal: '1' is neither true nor false");
  EXPECT_EQ(with("op", std::int64_t{1}), "op: '1' is not one of its values; allowed: sum, maximum");
  // What is taken over from another parameter is held to its own range.
  EXPECT_EQ(with("N", std::int64_t{65537}),
            "N_k: 65537 is out of range; allowed: whole numbers from 1 to 65536");
}

TEST(ParameterSet, replaces_and_throws_where_there_is_nothing) {
  ParameterSet set;
  set.set("a", std::int64_t{1});
  set.set("a", std::int64_t{2});
  EXPECT_EQ(set.values().size(), 1u);
  EXPECT_EQ(set.integer("a"), 2);
  EXPECT_FALSE(set.has("b"));
  EXPECT_THROW(set.get("b"), std::out_of_range);
  EXPECT_EQ(text(ParameterValue(true)), "true");
  EXPECT_EQ(text(ParameterValue(std::int64_t{-3})), "-3");
  EXPECT_EQ(text(ParameterValue(std::string("sum"))), "sum");
}

}  // namespace
}  // namespace gpubench
