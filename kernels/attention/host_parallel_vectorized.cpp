// All cores; blocks of queries against blocks of 256 keys, both products by the register-tiled
// kernel of matmul, the softmax kept up to date as blocks pass (online).
//
// Against single_thread: no row of scores in memory (a panel's lie in the first-level cache), keys
// and values read once for a block of queries, vectors, all cores.
//
// Bound by the FMA units; packing the keys and the exponential take about a fifth of the time each.
//
// Shapes: any. Queries that share keys (grouped heads) lie one after the other and are treated as
// one long list. A launch with fewer key heads and blocks of queries than cores leaves some idle.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/simd.hpp"
#include "device/host/micro_kernel.hpp"
#include "device/host/scratch.hpp"
#include "device/host/team.hpp"
#include "kernels/attention/problem.hpp"

namespace gpubench::attention {
namespace {

using host::MicroKernel;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t block_keys = MicroKernel::max_depth;
constexpr std::int64_t most_rows = 112;  // queries of a task: packing the keys is shared by them
constexpr std::int64_t pitch = MicroKernel::a_pitch;

std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

// What a query has seen so far: largest score, and the sum of exponentials relative to it.
struct Seen {
  float largest = -infinity;
  float sum = 0;
};

// One row of scores becomes weights: exp(score - largest) for the `visible` ones, 0 up to `count`.
// Returns what the row's earlier output and sum must be multiplied by.
GPUBENCH_SIMD_CLONES float weigh(float* scores, std::int64_t visible, std::int64_t count,
                                 Seen& seen) {
  const float found = simd::largest_of(scores, visible);
  const float largest = found > seen.largest ? found : seen.largest;
  // Nothing but minus infinity so far: every weight is 0, as measured from 0.
  const float from = largest == -infinity ? 0.0f : largest;
  alignas(64) float lane[simd::lanes];
  simd::set_lanes(lane, 0.0f);
  simd::exponentials(scores, from, scores, visible, lane);
  const float sum = simd::sum_of_lanes(lane);
#pragma omp simd
  for (std::int64_t j = visible; j < count; ++j) scores[j] = 0.0f;
  const float factor = simd::exp_nonpositive(seen.largest - from, simd::exp_floor());
  seen.largest = largest;
  seen.sum = seen.sum * factor + sum;
  return factor;
}

GPUBENCH_SIMD_CLONES void add_scaled(float* to, float factor, const float* tile, std::int64_t n) {
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) to[c] = to[c] * factor + tile[c];
}

GPUBENCH_SIMD_CLONES void scale(const float* from, float factor, float* to, std::int64_t n) {
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) to[c] = from[c] * factor;
}

// One task: some rows of one key head against all its keys.
class RowBlock {
 public:
  RowBlock(const Problem& p, host::Scratch& scratch)
      : p_(p),
        kernel_(host::micro_kernel()),
        pieces_(round_up(p.d, block_keys) / block_keys),
        width_(round_up(p.d, kernel_.columns)) {
    const std::int64_t rows = round_up(most_rows, kernel_.rows);
    const std::int64_t columns = MicroKernel::max_columns;
    const std::int64_t sizes[] = {rows * pitch * pieces_,        block_keys * pieces_ * block_keys,
                                  block_keys * width_,           rows * width_,
                                  MicroKernel::max_rows * pitch, MicroKernel::max_rows * columns};
    float** parts[] = {&queries_, &keys_, &values_, &out_, &scores_, &tile_};
    std::int64_t total = 0;
    for (std::int64_t size : sizes) total += round_up(size, 16);
    float* next = scratch.floats(static_cast<std::size_t>(total));
    for (int i = 0; i < 6; ++i) {
      *parts[i] = next;
      next += round_up(sizes[i], 16);
    }
  }

  // `q`, `out`: the rows; `k`, `v`: the head; `first` is the number of the first row among the
  // head's.
  void run(const float* q, const float* k, const float* v, float* out, std::int64_t first,
           std::int64_t rows) {
    const float factor = 1.0f / std::sqrt(static_cast<float>(p_.d));
    const std::int64_t panels = round_up(rows, kernel_.rows) / kernel_.rows;
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      const std::int64_t row = panel * kernel_.rows;
      for (std::int64_t piece = 0; piece < pieces_; ++piece)
        host::pack_a(q + row * p_.d + piece * block_keys, p_.d,
                     std::min<std::int64_t>(kernel_.rows, rows - row), kernel_.rows, depth(piece),
                     factor, panel_of_queries(panel, piece));
    }
    std::int64_t last_visible = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      visible_[row] = visible_keys(first + row);
      last_visible = std::max(last_visible, visible_[row]);
      seen_[row] = Seen{};
    }
    std::fill(out_, out_ + panels * kernel_.rows * width_, 0.0f);
    for (std::int64_t j0 = 0; j0 < last_visible; j0 += block_keys) {
      const std::int64_t count = std::min(block_keys, last_visible - j0);
      pack_keys_and_values(k + j0 * p_.d, v + j0 * p_.d, count);
      for (std::int64_t panel = 0; panel < panels; ++panel)
        take_block(panel, std::min<std::int64_t>(kernel_.rows, rows - panel * kernel_.rows), j0,
                   count);
    }
    for (std::int64_t row = 0; row < rows; ++row)
      scale(out_ + row * width_, seen_[row].sum == 0 ? 0.0f : 1.0f / seen_[row].sum,
            out + row * p_.d, p_.d);
  }

 private:
  std::int64_t depth(std::int64_t piece) const {
    return std::min(block_keys, p_.d - piece * block_keys);
  }
  float* panel_of_queries(std::int64_t panel, std::int64_t piece) {
    return queries_ + (panel * pieces_ + piece) * kernel_.rows * pitch;
  }
  // Keys of one block, one piece of d deep: panels of `columns` keys.
  float* panel_of_keys(std::int64_t piece, std::int64_t key) {
    return keys_ + piece * block_keys * block_keys + key * depth(piece);
  }
  std::int64_t visible_keys(std::int64_t row) const {
    if (!p_.causal) return p_.n_k;
    return std::clamp<std::int64_t>(row % p_.n_q + p_.n_k - p_.n_q + 1, 0, p_.n_k);
  }

  void pack_keys_and_values(const float* k, const float* v, std::int64_t count) {
    for (std::int64_t piece = 0; piece < pieces_; ++piece)
      for (std::int64_t j = 0; j < count; j += kernel_.columns)
        host::pack_b_transposed(k + j * p_.d + piece * block_keys, p_.d, depth(piece),
                                std::min<std::int64_t>(kernel_.columns, count - j), kernel_.columns,
                                panel_of_keys(piece, j));
    for (std::int64_t c = 0; c < p_.d; c += kernel_.columns)
      host::pack_b(v + c, p_.d, count, std::min<std::int64_t>(kernel_.columns, p_.d - c),
                   kernel_.columns, values_ + c * count);
  }

  void take_block(std::int64_t panel, std::int64_t rows, std::int64_t j0, std::int64_t count) {
    const std::int64_t row0 = panel * kernel_.rows;
    if (*std::max_element(visible_ + row0, visible_ + row0 + rows) <= j0) return;
    for (std::int64_t j = 0; j < count; j += kernel_.columns) {
      for (std::int64_t piece = 0; piece < pieces_; ++piece) {
        kernel_.run(depth(piece), panel_of_queries(panel, piece), panel_of_keys(piece, j), tile_);
        for (std::int64_t r = 0; r < kernel_.rows; ++r) {
          float* to = scores_ + r * pitch + j;
          const float* from = tile_ + r * kernel_.columns;
          if (piece == 0)
            scale(from, 1.0f, to, kernel_.columns);
          else
            add_scaled(to, 1.0f, from, kernel_.columns);
        }
      }
    }
    float factors[MicroKernel::max_rows];
    for (std::int64_t r = 0; r < rows; ++r)
      factors[r] =
          weigh(scores_ + r * pitch, std::clamp<std::int64_t>(visible_[row0 + r] - j0, 0, count),
                count, seen_[row0 + r]);
    for (std::int64_t c = 0; c < p_.d; c += kernel_.columns) {
      kernel_.run(count, scores_, values_ + c * count, tile_);
      for (std::int64_t r = 0; r < rows; ++r)
        add_scaled(out_ + (row0 + r) * width_ + c, factors[r], tile_ + r * kernel_.columns,
                   kernel_.columns);
    }
  }

  const Problem& p_;
  const MicroKernel& kernel_;
  std::int64_t pieces_;  // of d, each at most the kernel's depth
  std::int64_t width_;   // d in whole tiles
  float *queries_, *keys_, *values_, *out_, *scores_, *tile_;
  std::int64_t visible_[most_rows + MicroKernel::max_rows];
  Seen seen_[most_rows + MicroKernel::max_rows];
};

}  // namespace

void launch_parallel_vectorized(const Problem& p, const Buffers& buffers, Stream) {
  const std::int64_t heads = p.batch * p.heads_kv;
  const std::int64_t rows = p.heads / p.heads_kv * p.n_q;  // that share one key head
  const std::int64_t panel = host::micro_kernel().rows;
  // Smaller tasks where there would be fewer than four for a core.
  const std::int64_t share = heads * rows / (4 * omp_get_max_threads());
  const std::int64_t task_rows =
      std::clamp(share / panel * panel, panel, most_rows / panel * panel);
  const std::int64_t tasks_a_head = (rows + task_rows - 1) / task_rows;
#pragma omp parallel
  {
    thread_local host::Scratch scratch;
    RowBlock block(p, scratch);
    // From the last: with a causal mask the last queries see the most, and long tasks should not
    // come last.
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t task = 0; task < heads * tasks_a_head; ++task) {
      const std::int64_t head = task % heads;
      const std::int64_t first = (tasks_a_head - 1 - task / heads) * task_rows;
      const std::int64_t offset = (head * rows + first) * p.d;
      const std::int64_t keys = head * p.n_k * p.d;
      block.run(buffers.input<float>(0) + offset, buffers.input<float>(1) + keys,
                buffers.input<float>(2) + keys, buffers.out<float>() + offset, first,
                std::min(task_rows, rows - first));
    }
  }
}

}  // namespace gpubench::attention
