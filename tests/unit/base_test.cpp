#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/generator.hpp"
#include "base/text.hpp"

namespace gpubench {
namespace {

TEST(DType, EveryHalfSurvivesTheTripThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = f16_bits_to_f32(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f16_bits_to_f32(f32_to_f16_bits(value))));
    } else {
      ASSERT_EQ(f32_to_f16_bits(value), half) << bits;
    }
  }
}

TEST(DType, HalvesRoundToTheNearestTiesToEven) {
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = f16_bits_to_f32(bits);
    const float high = f16_bits_to_f32(static_cast<std::uint16_t>(bits + 1));
    const float middle = (low + high) / 2;  // exact in float
    const std::uint16_t even = bits % 2 == 0 ? bits : static_cast<std::uint16_t>(bits + 1);
    ASSERT_EQ(f32_to_f16_bits(middle), even) << bits;
    ASSERT_EQ(f32_to_f16_bits(std::nextafter(middle, low)), bits);
    ASSERT_EQ(f32_to_f16_bits(std::nextafter(middle, high)), bits + 1);
  }
  EXPECT_EQ(f32_to_f16_bits(65519.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16_bits(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16_bits(-1e10f), 0xfc00);
}

TEST(DType, Bfloat16RoundsToTheNearestTiesToEven) {
  EXPECT_EQ(f32_to_bf16_bits(1.0f), 0x3f80);
  EXPECT_EQ(f32_to_bf16_bits(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(f32_to_bf16_bits(1.0f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(f32_to_bf16_bits(std::nextafter(1.0f + 0x1p-8f, 2.0f)), 0x3f81);
  EXPECT_TRUE(std::isnan(bf16_bits_to_f32(f32_to_bf16_bits(std::bit_cast<float>(0x7f800001u)))));
}

TEST(DType, UnitRoundoffIsTheLargestRelativeErrorOfRounding) {
  for (const DType type : {DType::f32, DType::f16, DType::bf16}) {
    const double u = unit_roundoff(type);
    EXPECT_EQ(round_to(type, 1 + u), 1) << name(type);
    EXPECT_EQ(round_to(type, 1 + 3 * u), 1 + 4 * u) << name(type);
  }
}

TEST(Generator, UniformFillsTheIntervalAndIsExactInFloat) {
  const Generator g{.seed = 1};
  double sum = 0, squares = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double value = element(g, i);
    ASSERT_LE(std::fabs(value), 1);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / n, 0, 6 / std::sqrt(3.0 * n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.01);
}

TEST(Generator, BuffersAndSeedsDiffer) {
  const Generator a{.seed = 1, .buffer = 0}, b{.seed = 1, .buffer = 1}, c{.seed = 2, .buffer = 0};
  int same = 0;
  for (int i = 0; i < 1000; ++i)
    same += (element(a, i) == element(b, i)) + (element(a, i) == element(c, i));
  EXPECT_LE(same, 2);
}

TEST(Generator, IntegersAreWholeAndBounded) {
  const Generator g{.pattern = Pattern::integers, .seed = 3, .scale = 2};
  std::vector<int> counts(5);
  for (int i = 0; i < 10000; ++i) {
    const float value = element(g, i);
    ASSERT_EQ(value, std::floor(value));
    ASSERT_LE(std::fabs(value), 2);
    ++counts[static_cast<std::size_t>(value + 2)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 2000, 300);
}

TEST(Generator, EachRowHasOneOutlier) {
  const Generator g{.pattern = Pattern::outlier, .seed = 3, .scale = 1e4f, .row_length = 17};
  for (int row = 0; row < 50; ++row) {
    int outliers = 0;
    for (int i = 0; i < 17; ++i) outliers += element(g, row * 17 + i) == 1e4f;
    EXPECT_EQ(outliers, 1) << row;
  }
}

TEST(Generator, EveryThirdRowIsMinusInfinity) {
  const Generator g{.pattern = Pattern::infinite_rows, .seed = 3, .row_length = 5};
  for (int i = 0; i < 45; ++i)
    EXPECT_EQ(element(g, i) == -std::numeric_limits<float>::infinity(), i / 5 % 3 == 1) << i;
}

TEST(Text, NumbersKeepTheirSignificantDigits) {
  EXPECT_EQ(significant(1234.5678, 4), "1235");
  EXPECT_EQ(significant(0.0012345, 3), "0.00123");
  EXPECT_EQ(significant(99.96, 3), "100");
  EXPECT_EQ(significant(0, 3), "0");
  EXPECT_EQ(significant(1e-9, 2), "1.0e-09");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(significant(infinity, 4), "inf");
  EXPECT_EQ(significant(-infinity, 4), "-inf");
  EXPECT_EQ(significant(-std::numeric_limits<double>::quiet_NaN(), 4), "nan");
  EXPECT_EQ(fixed(2.345, 1), "2.3");
  EXPECT_EQ(shortest(0.1), "0.1");
}

TEST(Text, IntegersAreStrict) {
  EXPECT_EQ(parse_integer("4096"), 4096);
  EXPECT_EQ(parse_integer("-5"), -5);
  for (const char* wrong :
       {"", "1e3", " 1", "1 ", "0x10", "4096.5", "9223372036854775808", "+1", "abc"})
    EXPECT_FALSE(parse_integer(wrong)) << wrong;
  for (const char* wrong : {"", "nan", "inf", "1e999", "1,5"})
    EXPECT_FALSE(parse_number(wrong)) << wrong;
}

TEST(Text, NearestNameIsNearOrNone) {
  const std::vector<std::string> names = {"matmul", "attention", "softmax"};
  EXPECT_EQ(nearest("matmull", names), "matmul");
  EXPECT_EQ(nearest("atention", names), "attention");
  EXPECT_EQ(nearest("xyz", names), "");
  EXPECT_EQ(suggestion("xyz", names), "; allowed: matmul, attention, softmax");
}

TEST(Text, UnitsOfBytesAndSeconds) {
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(1 << 20), "1 MiB");
  EXPECT_EQ(seconds_text(0.00123), "1.230 ms");
  EXPECT_EQ(seconds_text(2.5e-6), "2.500 µs");
}

TEST(Text, PrintableShowsControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7f"), "a\\x1b[31m\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");  // the one-character form of ESC [
  EXPECT_EQ(printable("\xc2\xb5s \xc3\xa9 \xc2"), "\xc2\xb5s \xc3\xa9 \xc2");
}

}  // namespace
}  // namespace gpubench
