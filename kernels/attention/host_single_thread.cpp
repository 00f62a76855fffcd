// One thread, one query after the other: its scores, their softmax, the weighted sum of the values.
//
// First of its ladder: the definition, with one row of scores in memory.
//
// Bound by the additions of the dot products, one number at a time, and the library's expf.
//
// Shapes: any.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/attention/problem.hpp"

namespace gpubench::attention {
namespace {

// Four sums, so that an addition need not wait for the one before it.
float dot(const float* a, const float* b, std::int64_t n) {
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

void launch_single_thread(const Problem& p, const Buffers& buffers, Stream) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float scale = 1.0f / std::sqrt(static_cast<float>(p.d));
  const std::int64_t group = p.heads / p.heads_kv;
  std::vector<float> weights(static_cast<std::size_t>(p.n_k));
  for (std::int64_t head = 0; head < p.batch * p.heads; ++head) {
    // Batches are whole multiples of both head counts, so that the division holds across them.
    const float* keys = buffers.input<float>(1) + head / group * p.n_k * p.d;
    const float* values = buffers.input<float>(2) + head / group * p.n_k * p.d;
    for (std::int64_t i = 0; i < p.n_q; ++i) {
      const float* query = buffers.input<float>(0) + (head * p.n_q + i) * p.d;
      float* out = buffers.out<float>() + (head * p.n_q + i) * p.d;
      const std::int64_t visible =
          p.causal ? std::clamp<std::int64_t>(i + p.n_k - p.n_q + 1, 0, p.n_k) : p.n_k;
      float largest = -infinity;
      for (std::int64_t j = 0; j < visible; ++j) {
        const float score = dot(query, keys + j * p.d, p.d) * scale;
        weights[static_cast<std::size_t>(j)] = score;
        largest = score > largest ? score : largest;
      }
      if (largest == -infinity) largest = 0;
      double sum = 0;
      std::fill(out, out + p.d, 0.0f);
      for (std::int64_t j = 0; j < visible; ++j) {
        const float weight = std::exp(weights[static_cast<std::size_t>(j)] - largest);
        sum += static_cast<double>(weight);
        const float* value = values + j * p.d;
        for (std::int64_t c = 0; c < p.d; ++c) out[c] += weight * value[c];
      }
      const float factor = sum == 0 ? 0.0f : static_cast<float>(1 / sum);
      for (std::int64_t c = 0; c < p.d; ++c) out[c] *= factor;
    }
  }
}

}  // namespace gpubench::attention
