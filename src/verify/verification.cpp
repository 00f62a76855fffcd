#include "verify/verification.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <span>
#include <thread>

#include "base/interrupt.hpp"
#include "base/text.hpp"

namespace gpubench {
namespace {

// Effort of the oracle, in multiply-adds, up to which a problem is checked in full, and what a
// sample may cost.
constexpr double full_cost = 1 << 28;
constexpr double sample_cost = 1 << 27;
// Outputs that are kept with their expected values between the two checks (16 bytes each).
constexpr std::int64_t most_kept = 1 << 22;
// Outputs and bytes handled at a time, so that host memory does not grow with N.
constexpr std::int64_t piece_outputs = 1 << 20;
constexpr std::size_t piece_bytes = std::size_t{64} << 20;

double cost(const OutputShape& shape, double rows, double columns) {
  return rows * (shape.row_cost + columns * shape.element_cost);
}

// Positions along one axis: the first, the last, both sides of every multiple of a usual tile edge
// near the start, the middle and the end, and random ones in between.
std::vector<std::int64_t> positions(std::int64_t length, std::int64_t wanted, std::uint64_t seed) {
  std::vector<std::int64_t> all;
  if (length <= wanted) {
    for (std::int64_t i = 0; i < length; ++i) all.push_back(i);
    return all;
  }
  std::vector<std::int64_t> first = {0, length - 1};
  for (const std::int64_t edge : {16, 32, 64, 128, 256, 1024})
    for (const std::int64_t at : {edge, length / edge * edge, length / 2 / edge * edge})
      for (const std::int64_t near : {at - 1, at}) first.push_back(near);
  std::set<std::int64_t> chosen;
  for (const std::int64_t at : first)
    if (at >= 0 && at < length && static_cast<std::int64_t>(chosen.size()) < wanted)
      chosen.insert(at);
  for (std::uint64_t i = 0; static_cast<std::int64_t>(chosen.size()) < wanted; ++i)
    chosen.insert(static_cast<std::int64_t>(mix64(seed + i) % static_cast<std::uint64_t>(length)));
  all.assign(chosen.begin(), chosen.end());
  return all;
}

// Sampled rows and columns. Columns are few enough that many rows are seen, and the other way
// round.
std::vector<std::int64_t> sample_indices(const OutputShape& shape, std::uint64_t seed) {
  double columns =
      std::min<double>(static_cast<double>(shape.columns), shape.rows == 1 ? 1 << 18 : 256);
  const double rows = std::clamp(sample_cost / (shape.row_cost + columns * shape.element_cost), 8.0,
                                 static_cast<double>(std::max<std::int64_t>(
                                     8, (1 << 18) / static_cast<std::int64_t>(columns))));
  columns = std::clamp((sample_cost / rows - shape.row_cost) / shape.element_cost,
                       std::min(columns, 48.0), columns);
  const auto some_rows = positions(shape.rows, static_cast<std::int64_t>(rows), seed);
  const auto some_columns = positions(shape.columns, static_cast<std::int64_t>(columns), seed + 1);
  std::vector<std::int64_t> indices;
  indices.reserve(some_rows.size() * some_columns.size());
  for (const std::int64_t row : some_rows)
    for (const std::int64_t column : some_columns) indices.push_back(row * shape.columns + column);
  return indices;
}

std::vector<std::int64_t> range(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(end - begin));
  for (std::size_t i = 0; i < indices.size(); ++i)
    indices[i] = begin + static_cast<std::int64_t>(i);
  return indices;
}

// The first NaN among `count` values, or `count`. Whole blocks are tested without a branch: this
// reads every output.
template <class Bits>
std::int64_t first_nan(const unsigned char* data, std::int64_t count, Bits infinity) {
  constexpr Bits magnitude = static_cast<Bits>(~(Bits{1} << (8 * sizeof(Bits) - 1)));
  constexpr std::int64_t block = 4096;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t end = std::min(begin + block, count);
    const auto is_nan = [&](std::int64_t i) {
      Bits bits;
      std::memcpy(&bits, data + static_cast<std::size_t>(i) * sizeof(Bits), sizeof(Bits));
      return static_cast<Bits>(bits & magnitude) > infinity;
    };
    bool any = false;
    for (std::int64_t i = begin; i < end; ++i) any |= is_nan(i);
    if (!any) continue;
    for (std::int64_t i = begin; i < end; ++i)
      if (is_nan(i)) return i;
  }
  return count;
}

std::int64_t first_nan(DType type, const unsigned char* data, std::int64_t count) {
  switch (type) {
    case DType::f32:
      return first_nan<std::uint32_t>(data, count, 0x7f800000u);
    case DType::f64:
      return first_nan<std::uint64_t>(data, count, 0x7ff0000000000000ull);
    case DType::f16:
      return first_nan<std::uint16_t>(data, count, 0x7c00u);
    case DType::bf16:
      return first_nan<std::uint16_t>(data, count, 0x7f80u);
  }
  return count;
}

// Everything a comparison adds up, over any number of pieces.
class Tally {
 public:
  void compare(std::int64_t index, double output, const Expected& expected) {
    ++result.checked;
    const double error = output == expected.value ? 0 : std::fabs(output - expected.value);
    if (std::isnan(error)) {
      not_a_number_ = true;
    } else if (expected.value != 0 && std::isfinite(expected.value)) {
      max_rel_ = std::max(max_rel_, error / std::fabs(expected.value));
    }
    if (result.checked == 1 || error > largest_.error) largest_ = {error, expected.tolerance};
    if (error <= expected.tolerance) return;  // false for NaN
    // How far past its tolerance; with tolerance 0 any error is infinitely far.
    const double excess = std::isnan(error) ? HUGE_VAL : error / expected.tolerance;
    if (failures_++ == 0 || excess > worst_excess_) {
      worst_excess_ = excess;
      worst_ = {error, expected.tolerance};
    }
    if (first_failure_.empty())
      first_failure_ = "output " + std::to_string(index) + " is " +
                       (std::isfinite(output) ? shortest(output) : "not finite") + ", expected " +
                       shortest(expected.value) + " within " + significant(expected.tolerance, 3);
  }

  void unwritten(std::int64_t index) {
    if (first_failure_.empty())
      first_failure_ =
          "output " + std::to_string(index) + " is NaN: it was not written, or is wrong";
    ++failures_;
    not_a_number_ = true;
  }

  Verification finish() {
    result.passed = failures_ == 0 && result.checked > 0;
    const Judged& shown = worst_excess_ > 0 ? worst_ : largest_;
    result.bound = shown.tolerance;
    if (!not_a_number_ && std::isfinite(shown.error)) {
      result.max_abs_error = shown.error;
      if (std::isfinite(max_rel_)) result.max_rel_error = max_rel_;
    }
    if (failures_ > 0)
      result.failure = std::to_string(failures_) + " of " + std::to_string(result.checked) +
                       " outputs are wrong: " + first_failure_;
    return result;
  }

  Verification result;

 private:
  struct Judged {
    double error = 0;
    double tolerance = 0;
  };
  Judged largest_;  // of all outputs, by error
  Judged worst_;    // of the failed ones, by error over tolerance
  double worst_excess_ = 0;
  double max_rel_ = 0;
  bool not_a_number_ = false;
  std::int64_t failures_ = 0;
  std::string first_failure_;
};

}  // namespace

struct Verifier::State {
  const Instance& instance;
  Inputs inputs;
  BufferSpec output;
  bool full = false;
  std::vector<std::int64_t> indices;  // of the sample; of a full check where they are kept
  std::vector<Expected>
      expected;  // empty: computed anew in pieces (a full check of a large output)

  // The oracle, over all cores: outputs are independent.
  std::vector<Expected> ask(std::span<const std::int64_t> which) const {
    std::vector<Expected> answers(which.size());
    const std::size_t workers = std::clamp<std::size_t>(
        std::min<std::size_t>(std::thread::hardware_concurrency(), which.size() / 16), 1, 64);
    std::vector<std::thread> threads;
    const auto part = [&](std::size_t worker) {
      const std::size_t begin = which.size() * worker / workers;
      const std::size_t end = which.size() * (worker + 1) / workers;
      instance.oracle(inputs, which.subspan(begin, end - begin),
                      std::span(answers).subspan(begin, end - begin));
    };
    for (std::size_t worker = 1; worker < workers; ++worker) threads.emplace_back(part, worker);
    part(0);
    for (std::thread& thread : threads) thread.join();
    return answers;
  }
};

Verifier::Verifier(const Instance& instance, InputKind kind, std::uint64_t seed, VerifyMode mode) {
  std::vector<Generator> generators;
  std::vector<DType> types;
  const auto specs = instance.inputs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    generators.push_back(instance.generator(i, kind, seed));
    types.push_back(specs[i].dtype);
  }
  state_.reset(new State{.instance = instance,
                         .inputs = Inputs(kind, std::move(generators), std::move(types)),
                         .output = instance.output(),
                         .indices = {},
                         .expected = {}});
  const OutputShape shape = instance.output_shape();
  const std::int64_t outputs = state_->output.count;
  const double whole =
      cost(shape, static_cast<double>(shape.rows), static_cast<double>(shape.columns));
  state_->full =
      mode == VerifyMode::full || outputs == 1 || (whole <= full_cost && outputs <= most_kept);
  if (!state_->full) {
    state_->indices = sample_indices(shape, seed);
  } else if (outputs <= most_kept) {
    state_->indices = range(0, outputs);
  }
  if (!state_->indices.empty()) state_->expected = state_->ask(state_->indices);
}

Verifier::~Verifier() = default;

Verification Verifier::check(Device& device, const void* output) {
  const BufferSpec& spec = state_->output;
  const std::size_t width = size_of(spec.dtype);
  const auto piece = static_cast<std::int64_t>(piece_bytes / width);
  std::vector<unsigned char> data(static_cast<std::size_t>(std::min(piece, spec.count)) * width);
  Tally tally;
  std::size_t next = 0;  // in indices
  for (std::int64_t begin = 0; begin < spec.count; begin += piece) {
    check_interrupt();
    const std::int64_t count = std::min(piece, spec.count - begin);
    device.copy_to_host(
        data.data(),
        static_cast<const unsigned char*>(output) + static_cast<std::size_t>(begin) * width,
        static_cast<std::size_t>(count) * width);
    const auto value = [&](std::int64_t index) {
      return load(spec.dtype, data.data(), static_cast<std::size_t>(index - begin));
    };
    if (!state_->expected.empty()) {
      // Outputs outside the sample are at least looked at: poison that is left shows an output
      // nobody wrote.
      if (!state_->full)
        if (const std::int64_t i = first_nan(spec.dtype, data.data(), count); i < count)
          tally.unwritten(begin + i);
      for (; next < state_->indices.size() && state_->indices[next] < begin + count; ++next)
        tally.compare(state_->indices[next], value(state_->indices[next]), state_->expected[next]);
      continue;
    }
    for (std::int64_t at = begin; at < begin + count; at += piece_outputs) {
      check_interrupt();
      const auto indices = range(at, std::min(at + piece_outputs, begin + count));
      const auto expected = state_->ask(indices);
      for (std::size_t i = 0; i < indices.size(); ++i)
        tally.compare(indices[i], value(indices[i]), expected[i]);
    }
  }
  tally.result.full = state_->full;
  return tally.finish();
}

void poison(Device& device, void* memory, std::size_t bytes) {
  device.fill(memory, 0xff, bytes);
}

}  // namespace gpubench
