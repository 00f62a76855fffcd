#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "measure/statistics.hpp"
#include "statistics_reference.hpp"

namespace gpubench {
namespace {

TEST(StudentT, QuantilesAgreeWithTheReferenceToTwelveDigits) {
  const auto rows = statistics_reference("student_t_quantile");
  ASSERT_GT(rows.size(), 100u);
  double worst = 0;
  for (const auto& row : rows) {
    const double p = row[0], degrees = row[1], expected = row[2];
    const double error = std::fabs(student_t_quantile(p, degrees) / expected - 1);
    EXPECT_TRUE(error < 1e-12) << "p " << p << ", degrees " << degrees << ", error " << error;
    worst = std::fmax(worst, error);
  }
  RecordProperty("worst_relative_error", std::to_string(worst * 1e15) + "e-15");
}

// One degree is Cauchy's distribution; two and four have closed forms as well (Hill, 1970).
TEST(StudentT, QuantilesOfOneTwoAndFourDegreesAreTheClosedForms) {
  for (const double p : {1e-6, 0.01, 0.3, 0.49, 0.6, 0.975, 0.999999}) {
    const double spread = 4 * p * (1 - p);
    const double cosine = std::cos(std::acos(std::sqrt(spread)) / 3) / std::sqrt(spread);
    const auto near = [&](double degrees, double expected) {
      EXPECT_NEAR(student_t_quantile(p, degrees) / expected, 1, 1e-11) << p << ' ' << degrees;
    };
    near(1,
         p < 0.5 ? -1 / std::tan(std::numbers::pi * p) : 1 / std::tan(std::numbers::pi * (1 - p)));
    near(2, (2 * p - 1) * std::sqrt(2 / spread));
    near(4, std::copysign(2 * std::sqrt(cosine - 1), p - 0.5));
  }
}

TEST(StudentT, QuantilesAreSymmetricAndZeroAtTheMedian) {
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
  // Probabilities whose complement is exact.
  for (const double p : {0.25, 0.125, 0.375, 0x1p-20})
    for (const double degrees : {0.5, 1.0, 4.4, 1000.0})
      EXPECT_EQ(student_t_quantile(p, degrees), -student_t_quantile(1 - p, degrees));
}

TEST(StudentT, OfManyDegreesIsNormal) {
  // scipy.special.ndtri(0.975)
  EXPECT_NEAR(student_t_quantile(0.975, 1e12), 1.959963984540054, 1e-11);
  EXPECT_NEAR(student_t_quantile(0.975, 1e300), 1.959963984540054, 1e-14);
}

// Of next to no degrees nearly all quantiles are beyond the largest double.
TEST(StudentT, OfHardlyAnyDegreesIsInfiniteNotNaN) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double degrees : {1e-4, 1e-9, 1e-20, 1e-300}) {
    EXPECT_EQ(student_t_quantile(0.975, degrees), infinity) << degrees;
    EXPECT_EQ(student_t_quantile(0.4, degrees), -infinity) << degrees;
  }
}

TEST(StudentT, RefusesWhatIsNoProbabilityAndNoDegrees) {
  for (const double p : {0.0, 1.0, -0.1, 1.1, double{NAN}})
    EXPECT_THROW(student_t_quantile(p, 3), std::invalid_argument) << p;
  for (const double degrees : {0.0, -1.0, double{NAN}, double{INFINITY}})
    EXPECT_THROW(student_t_quantile(0.9, degrees), std::invalid_argument) << degrees;
}

}  // namespace
}  // namespace gpubench
