// Student's t quantile: Newton's iteration on the logarithm of the probability as a function of
// log t. That function is concave and monotone on either side of the middle, so the iteration
// converges from wherever it starts. The relative error is below 1e-12 from half a degree on.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "measure/statistics.hpp"

namespace gpubench {
namespace {

constexpr double precision = std::numeric_limits<double>::epsilon();

// log(gamma(a + 1/2) / gamma(a)). A difference of two lgamma would lose most digits of a large `a`:
// the asymptotic series (DLMF 5.11.13) from 32 on, the recurrence below.
double log_gamma_step(double a) {
  double log_factor = 0;
  for (; a < 32; ++a) log_factor += std::log(a / (a + 0.5));
  const double square = 1 / (a * a);
  return log_factor + std::log(a) / 2 - (1.0 / 8 - square * (1.0 / 192 - square / 640)) / a;
}

// The probability beyond +-t is t f(t) times this, f being the density: the continued fraction of
// the incomplete beta function I_x(degrees / 2, 1/2) after Didonato and Morris (ACM TOMS 18,
// 1992), whose terms do not cancel for many degrees. By Lentz's method.
double tail_factor(double t_squared, double degrees) {
  const double a = degrees / 2, b = 0.5;
  const double x = 1 / (1 + t_squared / degrees), y = 1 / (1 + degrees / t_squared);
  const double lambda = x * (t_squared - 1) / 2;  // a y - b x
  double beta = a / (a + 1) * (lambda + 1);
  double value = 1 / beta, numerator = beta, denominator = 0;
  for (int n = 1;; ++n) {
    const double alpha =
        (a + n - 1) / (a + 2 * n - 1) * ((a + b + n - 1) / (a + 2 * n - 1)) * n * (b - n) * x * x;
    beta = n + n * (b - n) * x / (a + 2 * n - 1) +
           (a + n) / (a + 2 * n + 1) * (lambda + 1 + n * (1 + y));
    denominator = 1 / (beta + alpha * denominator);
    numerator = beta + alpha / numerator;
    const double change = numerator * denominator;
    value /= change;
    if (!(std::fabs(change - 1) > 4 * precision)) return value;
  }
}

// The probability within +-t is 2 t f(t) times this: the power series of the incomplete beta
// function I_y(1/2, degrees / 2) (DLMF 8.17.8), all of whose terms are positive.
double center_factor(double t_squared, double degrees) {
  const double y = 1 / (1 + degrees / t_squared);
  double term = 1, sum = 1;
  for (int k = 0; term > precision / 8 * sum; ++k) {
    term *= y * (degrees / 2 + 0.5 + k) / (1.5 + k);
    sum += term;
  }
  return sum;
}

// Logarithm of the probability beyond +-t or within it, and its derivative by log t.
struct LogProbability {
  double value, slope;
};
LogProbability log_probability(bool beyond, double log_t, double degrees) {
  const double t_squared = std::exp(2 * log_t);
  const double log_t_density = log_t + log_gamma_step(degrees / 2) -
                               std::log(degrees * std::numbers::pi) / 2 -
                               (degrees + 1) / 2 * std::log1p(t_squared / degrees);
  // Each converges fast on its side of this border; what is not computed there is the complement,
  // which is large enough for the subtraction to be harmless.
  const bool computed_beyond = t_squared > std::min(2.0, 9 * degrees);
  const double factor =
      computed_beyond ? tail_factor(t_squared, degrees) : 2 * center_factor(t_squared, degrees);
  if (computed_beyond == beyond)
    return {log_t_density + std::log(factor), (beyond ? -2 : 2) / factor};
  const double probability = -std::expm1(log_t_density + std::log(factor));
  return {std::log(probability), (beyond ? -2 : 2) * std::exp(log_t_density) / probability};
}

}  // namespace

double student_t_quantile(double p, double degrees) {
  if (!(p > 0 && p < 1)) throw std::invalid_argument("a probability lies between 0 and 1");
  if (!(degrees > 0 && std::isfinite(degrees)))
    throw std::invalid_argument("degrees of freedom are finite and above 0");
  if (p == 0.5) return 0;
  const double one_side = std::min(p, 1 - p);
  // The smaller of the two probabilities, so that neither the tail nor the middle loses digits; of
  // next to no degrees the tail, which is nearly all there is.
  const bool beyond = one_side < 0.25 || degrees < 0.1;
  const double target = std::log(beyond ? 2 * one_side : std::fabs(2 * p - 1));
  // Short of where t^2 / degrees overflows. The tail of so few degrees that their quantile lies
  // beyond is a power of t there, and a step from here is exact.
  const double largest_log_t = 300 + std::min(0.0, std::log(degrees) / 2);
  double log_t = 0;
  for (int step = 0; step < 200; ++step) {
    const double from = std::min(log_t, largest_log_t);
    const LogProbability at = log_probability(beyond, from, degrees);
    const double next = from + (target - at.value) / at.slope;
    const bool converged =
        std::fabs(next - log_t) <= 8 * precision * std::max(1.0, std::fabs(next));
    log_t = next;
    if (converged) break;
  }
  return std::copysign(std::exp(log_t), p - 0.5);
}

}  // namespace gpubench
