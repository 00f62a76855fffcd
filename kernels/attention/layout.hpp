// What the attention kernels share with their manifest: which head reads which, how many keys a
// query sees, and how scores lie in the workspace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/generator.hpp"
#include "kernels/attention/problem.hpp"

namespace gpubench::attention {

// Keys 0 .. visible_keys - 1 are those that query `query` sees (0 under the mask for the first
// queries when n_q > n_k).
GPUBENCH_HOST_DEVICE inline std::int64_t visible_keys(const Problem& p, std::int64_t query) {
  if (!p.causal) return p.n_k;
  const std::int64_t keys = query + 1 + p.n_k - p.n_q;
  return keys < 0 ? 0 : keys;
}

// Row `head_row` counts [batch, heads]; the answer counts [batch, heads_kv].
GPUBENCH_HOST_DEVICE inline std::int64_t kv_head(const Problem& p, std::int64_t head_row) {
  const std::int64_t batch = head_row / p.heads;
  const std::int64_t head = head_row - batch * p.heads;
  return batch * p.heads_kv + head / (p.heads / p.heads_kv);
}

// Elements from one row of scores to the next: whole 16-byte pieces.
GPUBENCH_HOST_DEVICE inline std::int64_t scores_pitch(const Problem& p) {
  return (p.n_k + 3) / 4 * 4;
}

// Elements of all scores: [batch, heads, n_q, scores_pitch]. At the sizes that the parameters allow
// this can pass 2^63; then nothing can be launched, because no memory holds it.
inline double scores_elements(const Problem& p) {
  return static_cast<double>(p.batch * p.heads * p.n_q) * static_cast<double>(scores_pitch(p));
}

}  // namespace gpubench::attention
