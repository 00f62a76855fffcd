// The host variants against float64 written here, over sizes that are multiples of nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/devices.hpp"
#include "kernels/attention/problem.hpp"
#include "kernels/matmul/problem.hpp"
#include "kernels/reduction/problem.hpp"
#include "kernels/softmax/problem.hpp"
#include "kernels/vector_add/problem.hpp"

namespace gpubench {
namespace vector_add {
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);
}  // namespace vector_add
namespace reduction {
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);
}  // namespace reduction
namespace matmul {
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);
}  // namespace matmul
namespace softmax {
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);
}  // namespace softmax
namespace attention {
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);
}  // namespace attention

namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Inputs from the generator, an output full of NaN with a guard behind it.
class HostVariants : public ::testing::Test {
 protected:
  const float* input(std::size_t index, std::int64_t count, Generator generator = {}) {
    generator.seed = 5;
    generator.buffer = static_cast<std::int32_t>(index);
    memory_[index] = device_->allocate(at(count) * 4);
    device_->generate(memory_[index].data(), DType::f32, count, generator);
    buffers_.inputs[index] = memory_[index].data();
    return static_cast<const float*>(memory_[index].data());
  }
  float* output(std::int64_t count) {
    count_ = count;
    memory_[3] = device_->allocate(at(count + guard) * 4);
    buffers_.output = memory_[3].data();
    auto* y = static_cast<float*>(buffers_.output);
    for (std::int64_t i = 0; i < count; ++i) y[i] = nan_value;
    for (std::int64_t i = 0; i < guard; ++i) y[count + i] = 77.0f;
    return y;
  }
  void expect_guard() const {
    for (std::int64_t i = 0; i < guard; ++i)
      ASSERT_EQ(static_cast<float*>(buffers_.output)[count_ + i], 77.0f);
  }

  static constexpr std::int64_t guard = 64;
  std::unique_ptr<Device> device_ = open_host_device();
  Memory memory_[4];
  Buffers buffers_;
  std::int64_t count_ = 0;
};

TEST_F(HostVariants, VectorAddIsExact) {
  // The last one is larger than the last-level cache, and so written past it.
  for (const std::int64_t n : {1, 3, 16, 1023, 1025, 100003, 9000001}) {
    for (const auto launch :
         {vector_add::launch_single_thread, vector_add::launch_parallel_vectorized}) {
      const float* a = input(0, n);
      const float* b = input(1, n);
      const float* c = output(n);
      launch({n}, buffers_, {});
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << n << " " << i;
      expect_guard();
    }
  }
}

TEST_F(HostVariants, ReductionErrsNoMoreThanATree) {
  for (const std::int64_t n : {1, 2, 1023, 1024, 1025, 4097, 1000003, 20000003}) {
    for (const auto launch :
         {reduction::launch_single_thread, reduction::launch_parallel_vectorized}) {
      const float* x = input(0, n);
      const float* y = output(1);
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
      launch({n, reduction::Op::sum}, buffers_, {});
      EXPECT_NEAR(static_cast<double>(*y), sum,
                  0x1p-23 * (std::abs(sum) + 2 * std::sqrt(static_cast<double>(n))));
      expect_guard();
    }
  }
}

TEST_F(HostVariants, ReductionOfIntegersIsExactAndRepeats) {
  const std::int64_t n = 777777;
  const float* x = input(0, n, {.pattern = Pattern::integers, .scale = 3.0f});
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
  const float* y = output(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    reduction::launch_parallel_vectorized({n, reduction::Op::sum}, buffers_, {});
    ASSERT_EQ(static_cast<double>(*y), sum);
  }
}

TEST_F(HostVariants, MatmulOfIntegersIsExact) {
  const std::int64_t shapes[][3] = {{1, 1, 1},     {1, 1000, 3},   {1000, 1, 3},  {17, 33, 129},
                                    {14, 32, 256}, {15, 31, 257},  {97, 65, 513}, {1030, 5, 7},
                                    {5, 1030, 7},  {111, 600, 300}};
  for (const auto& [m, n, k] : shapes) {
    const Generator integers{.pattern = Pattern::integers, .scale = 4.0f};
    const float* a = input(0, m * k, integers);
    const float* b = input(1, k * n, integers);
    for (const auto launch : {matmul::launch_single_thread, matmul::launch_parallel_vectorized}) {
      const float* c = output(m * n);
      launch({m, n, k}, buffers_, {});
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (std::int64_t l = 0; l < k; ++l)
            sum += static_cast<double>(a[i * k + l]) * static_cast<double>(b[l * n + j]);
          ASSERT_EQ(static_cast<double>(c[i * n + j]), sum) << m << "x" << n << "x" << k;
        }
      }
      expect_guard();
    }
  }
}

void check_softmax(const float* x, const float* y, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t c = 0; c < columns; ++c)
      largest = std::max(largest, static_cast<double>(x[r * columns + c]));
    for (std::int64_t c = 0; c < columns; ++c)
      sum += std::exp(static_cast<double>(x[r * columns + c]) - largest);
    for (std::int64_t c = 0; c < columns; ++c) {
      const double below = static_cast<double>(x[r * columns + c]) - largest;
      const double exact = std::isinf(largest) ? 0.0 : std::exp(below) / sum;
      const double error = std::abs(static_cast<double>(y[r * columns + c]) - exact);
      // The subtraction rounds, and so does log2 e, which the exponential turns into a relative
      // error; the last term is for subnormals.
      const double relative = exact > 0 ? 1e-6 - 1.3 * 0x1p-24 * below : 0.0;
      ASSERT_TRUE(error <= relative * exact + 1e-44)
          << rows << "x" << columns << " at " << r << "," << c;
    }
  }
}

TEST_F(HostVariants, SoftmaxMatchesForEveryKindOfRow) {
  const std::int64_t shapes[][2] = {{1, 1},    {5, 1},     {1, 7},      {3, 255},  {2, 1024},
                                    {7, 1025}, {33, 4099}, {3, 140001}, {4097, 3}, {2500, 2049}};
  for (const auto& [rows, columns] : shapes) {
    for (const Pattern pattern :
         {Pattern::uniform, Pattern::outlier, Pattern::infinite_rows, Pattern::constant}) {
      const float scale = pattern == Pattern::outlier   ? 1e4f
                          : pattern == Pattern::uniform ? 60.0f
                                                        : 2.0f;
      const float* x =
          input(0, rows * columns, {.pattern = pattern, .scale = scale, .row_length = columns});
      for (const auto launch :
           {softmax::launch_single_thread, softmax::launch_parallel_vectorized}) {
        const float* y = output(rows * columns);
        launch({rows, columns}, buffers_, {});
        check_softmax(x, y, rows, columns);
        if (HasFatalFailure()) return;
        expect_guard();
      }
    }
  }
}

TEST_F(HostVariants, SoftmaxLetsNaNThrough) {
  const std::int64_t columns = 300;
  input(0, 2 * columns);
  static_cast<float*>(memory_[0].data())[columns + 299] = nan_value;
  for (const auto launch : {softmax::launch_single_thread, softmax::launch_parallel_vectorized}) {
    const float* y = output(2 * columns);
    launch({2, columns}, buffers_, {});
    for (std::int64_t c = 0; c < columns; ++c) {
      EXPECT_FALSE(std::isnan(y[c]));
      EXPECT_TRUE(std::isnan(y[columns + c]));
    }
  }
}

void check_attention(const attention::Problem& p, const float* q, const float* k, const float* v,
                     const float* out) {
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t h = 0; h < p.heads; ++h) {
      const std::int64_t h_kv = h / (p.heads / p.heads_kv);
      const float* keys = k + (b * p.heads_kv + h_kv) * p.n_k * p.d;
      const float* values = v + (b * p.heads_kv + h_kv) * p.n_k * p.d;
      for (std::int64_t i = 0; i < p.n_q; ++i) {
        const std::int64_t row = ((b * p.heads + h) * p.n_q + i) * p.d;
        std::vector<double> sum(at(p.d), 0.0), score(at(p.n_k));
        double largest = -std::numeric_limits<double>::infinity(), weights = 0;
        for (std::int64_t j = 0; j < p.n_k; ++j) {
          if (p.causal && j > i + p.n_k - p.n_q) continue;
          for (std::int64_t c = 0; c < p.d; ++c)
            score[at(j)] +=
                static_cast<double>(q[row + c]) * static_cast<double>(keys[j * p.d + c]);
          score[at(j)] /= std::sqrt(static_cast<double>(p.d));
          largest = std::max(largest, score[at(j)]);
        }
        for (std::int64_t j = 0; j < p.n_k; ++j) {
          if (p.causal && j > i + p.n_k - p.n_q) continue;
          const double weight = std::exp(score[at(j)] - largest);
          weights += weight;
          for (std::int64_t c = 0; c < p.d; ++c)
            sum[at(c)] += weight * static_cast<double>(values[j * p.d + c]);
        }
        for (std::int64_t c = 0; c < p.d; ++c) {
          const double exact = weights == 0 ? 0.0 : sum[at(c)] / weights;
          const double error = std::abs(static_cast<double>(out[row + c]) - exact);
          // The scores' own rounding, eps * |score|, comes through the exponential as a relative
          // error.
          const double bound = largest > 100 ? 2e-2 : 4e-6;
          ASSERT_TRUE(error <= bound) << "heads " << p.heads << " n_q " << p.n_q << " n_k " << p.n_k
                                      << " d " << p.d << " row " << i << " column " << c;
        }
      }
    }
  }
}

TEST_F(HostVariants, AttentionMatchesForOddShapesAndMasks) {
  const attention::Problem problems[] = {
      {1, 1, 1, 1, 1, 1, false},      {1, 1, 1, 1, 4096, 64, false}, {1, 1, 1, 239, 1, 64, false},
      {2, 2, 1, 113, 203, 80, false}, {1, 1, 1, 300, 300, 96, true}, {1, 3, 3, 3, 128, 63, true},
      {2, 4, 2, 5, 2, 64, true},      {1, 6, 2, 130, 513, 17, true}, {1, 1, 1, 20, 257, 300, false},
      {1, 8, 1, 1, 700, 128, true},   {1, 2, 2, 600, 10, 8, true},   {1, 1, 1, 511, 511, 256, true},
  };
  for (const auto& p : problems) {
    for (const float scale : {1.0f, 300.0f}) {
      const Generator wide{.scale = scale}, unit{};
      const float* q = input(0, p.batch * p.heads * p.n_q * p.d, wide);
      const float* k = input(1, p.batch * p.heads_kv * p.n_k * p.d, wide);
      const float* v = input(2, p.batch * p.heads_kv * p.n_k * p.d, unit);
      for (const auto launch :
           {attention::launch_single_thread, attention::launch_parallel_vectorized}) {
        const float* out = output(p.batch * p.heads * p.n_q * p.d);
        launch(p, buffers_, {});
        check_attention(p, q, k, v, out);
        if (HasFatalFailure()) return;
        expect_guard();
      }
    }
  }
}

TEST_F(HostVariants, AttentionKeepsScoresFarBelowZero) {
  // One key, and its score is about -5e4: its weight is 1 all the same.
  const attention::Problem p{1, 1, 1, 3, 1, 64, false};
  input(0, 3 * 64, {.pattern = Pattern::constant, .scale = 80.0f});
  input(1, 64, {.pattern = Pattern::constant, .scale = -80.0f});
  const float* v = input(2, 64);
  for (const auto launch :
       {attention::launch_single_thread, attention::launch_parallel_vectorized}) {
    const float* out = output(3 * 64);
    launch(p, buffers_, {});
    for (std::int64_t i = 0; i < 3 * 64; ++i) EXPECT_EQ(out[i], v[i % 64]);
  }
}

}  // namespace
}  // namespace gpubench
