// All cores, each on its own rows. A row is read once: its exponentials, relative to the largest
// value of their block, wait in a ring in the cache until the row's sum is known, and go to memory
// while the next row is computed.
//
// Against single_thread: a vectorised exponential, one read and one write of memory for three
// passes that overlap, all cores.
//
// Bound by DRAM and, close behind it, by the exponential: about 13 clocks for 16 elements.
//
// Shapes: any; with fewer rows than cores the other cores have nothing to do.
#include <algorithm>
#include <limits>

#include "base/simd.hpp"
#include "device/host/last_level.hpp"
#include "device/host/scratch.hpp"
#include "device/host/team.hpp"
#include "kernels/softmax/host_span.hpp"
#include "kernels/softmax/problem.hpp"

namespace gpubench::softmax {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
// Columns that share a maximum.
constexpr std::int64_t block = 1024;
// Longer rows do not fit the second-level cache: their exponentials wait where the output goes.
constexpr std::int64_t longest_waiting = 1 << 17;
// Rows whose factors are kept: the one being computed and those that the ring can hold parts of.
constexpr std::int64_t rows_kept = 4;

// Elements of the ring: how far the output lags behind the input. At least a row, and half a page
// off a multiple of pages: an output address that agrees in its low twelve bits with an input's
// makes loads of x wait for earlier stores of y, which costs half of the speed. Short rows keep
// away from each other by themselves.
std::int64_t lag_for(std::int64_t columns) {
  return columns <= 512 ? columns : (columns + 511) / 1024 * 1024 + 512;
}

// Turns a row's blocks' largest values into the factors their exponentials are scaled by, given
// their sums.
void finish(float* factors, const float* sums, std::int64_t blocks) {
  float largest = -infinity;
  for (std::int64_t b = 0; b < blocks; ++b) largest = factors[b] > largest ? factors[b] : largest;
  // A row of minus infinities: measured from 0, every block's share is 0, and so is every output.
  const float from = largest == -infinity ? 0.0f : largest;
  const float floor = simd::exp_floor();
  double sum = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    factors[b] = simd::exp_nonpositive(factors[b] - from, floor);
    sum += static_cast<double>(sums[b]) * static_cast<double>(factors[b]);
  }
  for (std::int64_t b = 0; b < blocks; ++b)
    factors[b] = sum == 0 ? 0.0f : static_cast<float>(static_cast<double>(factors[b]) / sum);
}

// One thread's rows as a stream of elements: element e is computed into the ring, over element
// e - lag, which goes to the output.
class Rows {
 public:
  Rows(const float* x, float* y, std::int64_t rows, std::int64_t columns, bool past_cache)
      : x_(x),
        y_(y),
        rows_(rows),
        columns_(columns),
        blocks_((columns + block - 1) / block),
        lag_(lag_for(columns)),
        functions_(span_functions(past_cache)) {
    thread_local host::Scratch scratch;
    // The ring lies a quarter of a page off x, for the reason given above.
    const auto memory = static_cast<std::size_t>(page + lag_ + (rows_kept + 1) * blocks_);
    ring_ = scratch.floats(memory);
    factors_ = ring_ + page + lag_;
    sums_ = factors_ + rows_kept * blocks_;
    const auto offset = reinterpret_cast<std::uintptr_t>(x) + quarter_page_bytes -
                        reinterpret_cast<std::uintptr_t>(ring_);
    ring_ += offset / sizeof(float) % page / 16 * 16;
  }

  void compute() {
    for (std::int64_t r = 0; r < rows_; ++r) {
      float* factors = factors_of(r);
      for (std::int64_t b = 0; b < blocks_; ++b)
        sums_[b] = compute_block(r * columns_ + b * block, std::min(block, columns_ - b * block),
                                 factors[b]);
      finish(factors, sums_, blocks_);
    }
    // What is still in the ring.
    for (std::int64_t e = std::max<std::int64_t>(0, rows_ * columns_ - lag_);
         e < rows_ * columns_;) {
      const std::int64_t n = std::min(left_of_block(e), lag_ - e % lag_);
      functions_.write(ring_ + e % lag_, factor_of(e), y_ + e, n);
      e += n;
    }
  }

 private:
  static constexpr std::int64_t page = 1024;  // floats
  static constexpr std::uintptr_t quarter_page_bytes = page * sizeof(float) / 4;

  float* factors_of(std::int64_t row) const { return factors_ + row % rows_kept * blocks_; }
  float factor_of(std::int64_t e) const { return factors_of(e / columns_)[e % columns_ / block]; }
  std::int64_t left_of_block(std::int64_t e) const {
    const std::int64_t column = e % columns_;
    return std::min(columns_, (column / block + 1) * block) - column;
  }

  // Returns the sum of the exponentials of n elements from e on, and their largest value.
  float compute_block(std::int64_t e, std::int64_t n, float& largest) {
    largest = functions_.largest(x_ + e, n);
    const float from = largest == -infinity ? 0.0f : largest;
    float sum = 0;
    for (const std::int64_t end = e + n; e < end;) {
      // Up to where the ring ends, and the block that is written.
      const std::int64_t w = e - lag_;
      std::int64_t step = std::min(end - e, lag_ - e % lag_);
      float* values = ring_ + e % lag_;
      if (w < 0) {
        step = std::min(step, -w);
        sum += functions_.compute(x_ + e, from, values, step);
      } else {
        step = std::min(step, left_of_block(w));
        sum += functions_.compute_and_write(x_ + e, from, values, factor_of(w), y_ + w, step);
      }
      e += step;
    }
    return sum;
  }

  const float* x_;
  float* y_;
  std::int64_t rows_, columns_, blocks_, lag_;
  SpanFunctions functions_;
  float *ring_, *factors_, *sums_;
};

// Rows that no ring can hold: the exponentials go where the output belongs, and are scaled there.
void compute_long_row(const float* x, float* y, std::int64_t columns) {
  const std::int64_t blocks = (columns + block - 1) / block;
  const SpanFunctions functions = span_functions(false);
  thread_local host::Scratch scratch;
  float* factors = scratch.floats(static_cast<std::size_t>(2 * blocks));
  float* sums = factors + blocks;
  const auto size = [&](std::int64_t b) { return std::min(block, columns - b * block); };
  for (std::int64_t b = 0; b < blocks; ++b) {
    factors[b] = functions.largest(x + b * block, size(b));
    sums[b] = functions.compute(x + b * block, factors[b] == -infinity ? 0.0f : factors[b],
                                y + b * block, size(b));
  }
  finish(factors, sums, blocks);
  for (std::int64_t b = 0; b < blocks; ++b)
    functions.write(y + b * block, factors[b], y + b * block, size(b));
}

}  // namespace

void launch_parallel_vectorized(const Problem& problem, const Buffers& buffers, Stream) {
  const std::int64_t columns = problem.columns;
  const bool past_cache = 8 * problem.rows * columns > host::last_level_bytes();
#pragma omp parallel
  {
    const host::Range mine = host::my_part(problem.rows, 1);
    const float* x = buffers.input<float>(0) + mine.begin * columns;
    float* y = buffers.out<float>() + mine.begin * columns;
    if (columns <= longest_waiting) {
      if (mine.size() > 0) Rows(x, y, mine.size(), columns, past_cache).compute();
    } else {
      for (std::int64_t r = 0; r < mine.size(); ++r)
        compute_long_row(x + r * columns, y + r * columns, columns);
    }
    if (past_cache) simd::stream_fence();
  }
}

}  // namespace gpubench::softmax
