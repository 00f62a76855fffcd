#include "kernels/attention/family.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/attention/layout.hpp"
#include "kernels/attention/oracle.hpp"
#include "kernels/attention/problem.hpp"

namespace gpubench::attention {

void launch_scores(const Problem&, const Buffers&, Stream);
void launch_softmax(const Problem&, const Buffers&, Stream);
void launch_output(const Problem&, const Buffers&, Stream);
void launch_scores_softmax_output(const Problem&, const Buffers&, Stream);
void launch_fused_row(const Problem&, const Buffers&, Stream);
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);

std::int64_t visible_pairs(const Problem& p) {
  if (!p.causal) return p.n_q * p.n_k;
  // The last min(n_q, n_k) queries see something: the first of them n_k - m + 1 keys, each one
  // more.
  const std::int64_t m = std::min(p.n_q, p.n_k);
  return m * (p.n_k - m) + m * (m + 1) / 2;
}

namespace {

// The largest sizes multiply to 2^60 elements, so that sizes in bytes fit 64 bits.
constexpr std::int64_t max_batch = std::int64_t{1} << 16;
constexpr std::int64_t max_heads = std::int64_t{1} << 12;
constexpr std::int64_t max_length = std::int64_t{1} << 24;
constexpr Parameter parameters[] = {
    {.name = "B", .help = "batch", .maximum = max_batch, .cuda_default = 1, .host_default = 1},
    {.name = "H",
     .help = "query heads",
     .maximum = max_heads,
     .cuda_default = 1,
     .host_default = 1},
    {.name = "H_kv",
     .help = "key and value heads; divides H",
     .maximum = max_heads,
     .default_same_as = "H"},
    {.name = "N_q",
     .help = "queries",
     .maximum = max_length,
     .cuda_default = 4096,
     .host_default = 1024},
    {.name = "N_k",
     .help = "keys",
     .maximum = max_length,
     .cuda_default = 4096,
     .host_default = 1024},
    {.name = "D",
     .help = "elements of a head's query, key and value",
     .maximum = 256,
     .cuda_default = 128,
     .host_default = 64},
    {.name = "causal",
     .help = "query i sees the keys j <= i + N_k - N_q",
     .kind = Parameter::Kind::boolean},
};
constexpr std::string_view n_targets[] = {"N_q", "N_k"};
constexpr ParameterAlias aliases[] = {
    {.name = "N", .help = "queries and keys", .targets = n_targets}};

Problem make_problem(const ParameterSet& set) {
  const Problem p{.batch = set.integer("B"),
                  .heads = set.integer("H"),
                  .heads_kv = set.integer("H_kv"),
                  .n_q = set.integer("N_q"),
                  .n_k = set.integer("N_k"),
                  .d = set.integer("D"),
                  .causal = set.boolean("causal")};
  if (p.heads % p.heads_kv != 0)
    throw Error(ExitCode::usage, "attention: H_kv must divide H, and " +
                                     std::to_string(p.heads_kv) + " does not divide " +
                                     std::to_string(p.heads));
  return p;
}

std::int64_t query_elements(const Problem& p) {
  return p.batch * p.heads * p.n_q * p.d;
}
std::int64_t key_elements(const Problem& p) {
  return p.batch * p.heads_kv * p.n_k * p.d;
}

std::vector<BufferSpec> inputs(const Problem& p, DType dtype) {
  return {{.name = "q", .dtype = dtype, .count = query_elements(p)},
          {.name = "k", .dtype = dtype, .count = key_elements(p)},
          {.name = "v", .dtype = dtype, .count = key_elements(p)}};
}

BufferSpec output(const Problem& p, DType dtype) {
  return {.name = "o", .dtype = dtype, .count = query_elements(p)};
}

Generator generator(const Problem& p, DType, std::size_t input, InputKind kind,
                    std::uint64_t seed) {
  enum { q, k, v };
  Generator g{
      .seed = seed, .buffer = static_cast<std::int32_t>(input), .scale = 1.0f, .row_length = p.d};
  switch (kind) {
    case InputKind::random:
    case InputKind::infinite_rows:  // an infinite score has no answer here: like random
      break;
    case InputKind::integers:  // no query: all weights are 1, and sums of integers are exact
      g.pattern = input == q ? Pattern::constant : Pattern::integers;
      g.scale = input == q ? 0.0f : 8.0f;
      break;
    case InputKind::large:  // scores up to about 5e4 of both signs: all weight on one key
      if (input == q) g.scale = 5e4f;
      break;
    case InputKind::equal:  // equal scores, not 0: the output is the mean of the values seen
      if (input != v) {
        g.pattern = Pattern::constant;
        g.scale = input == q ? 0.75f : -0.5f;
      }
      break;
    case InputKind::outlier:  // one large element in each key
      if (input == k) {
        g.pattern = Pattern::outlier;
        g.scale = 1e4f;
      }
      break;
  }
  return g;
}

double heads(const Problem& p) {
  return static_cast<double>(p.batch * p.heads);
}
double pairs(const Problem& p) {
  return heads(p) * static_cast<double>(visible_pairs(p));
}

Work work(const Problem& p, DType dtype) {
  const double size = static_cast<double>(size_of(dtype));
  const double read =
      size * (static_cast<double>(query_elements(p)) + 2 * static_cast<double>(key_elements(p)));
  const double written = size * static_cast<double>(query_elements(p));
  return {.flops = 4 * pairs(p) * static_cast<double>(p.d),
          .bytes_read = read,
          .bytes_written = written,
          .working_set_bytes = read + written,
          .convention =
              "4 B H pairs D FLOPs, exp not counted; pairs are the visible (query, key), "
              "causal mask aligned bottom-right"};
}

double minimum_bytes(const Problem& p) {
  const Work w = work(p, DType::f32);
  return w.bytes_read + w.bytes_written;
}

// Scores: written once and read three times by the softmax. Probabilities: written once and read
// once by each 64 columns of output. Q, K and V are charged once: their tiles repeat out of L2.
double scores_softmax_output_bytes(const Problem& p) {
  const double output_tiles = static_cast<double>((p.d + 63) / 64);
  return minimum_bytes(p) + 4 * pairs(p) * (1 + 3 + 1 + output_tiles);
}

// Each query row reads every key and value it sees.
double fused_row_bytes(const Problem& p) {
  return 2 * 4 * static_cast<double>(query_elements(p)) +
         2 * 4 * pairs(p) * static_cast<double>(p.d);
}

// Scores and probabilities.
std::size_t scores_softmax_output_workspace(const Problem& p) {
  const double bytes = 2 * 4 * scores_elements(p);
  constexpr double most = 0x1p63;  // more than any memory: refused with the figure
  return static_cast<std::size_t>(std::min(bytes, most));
}

OutputShape output_shape(const Problem& p) {
  // An element of an input costs its hash, about three multiply-adds.
  const double keys = static_cast<double>(p.n_k);
  return {.rows = p.batch * p.heads * p.n_q,
          .columns = p.d,
          .row_cost = 4 * keys * static_cast<double>(p.d) + 30 * keys,
          .element_cost = 6 * keys};
}

VerifyShape shape(std::int64_t b, std::int64_t h, std::int64_t h_kv, std::int64_t n_q,
                  std::int64_t n_k, std::int64_t d, bool causal = false) {
  return {{{"B", b},
           {"H", h},
           {"H_kv", h_kv},
           {"N_q", n_q},
           {"N_k", n_k},
           {"D", d},
           {"causal", causal}},
          {InputKind::random, InputKind::integers, InputKind::equal, InputKind::large,
           InputKind::outlier}};
}

std::vector<VerifyShape> verify_shapes() {
  return {
      shape(1, 1, 1, 1, 1, 64),
      shape(1, 1, 1, 1, 1, 1),
      shape(1, 4, 2, 1, 4096, 128),
      shape(2, 3, 1, 239, 1, 80),
      shape(1, 1, 1, 799, 3, 96),
      shape(2, 3, 1, 113, 203, 63),
      shape(1, 4, 2, 113, 203, 256),
      shape(1, 1, 1, 113, 203, 130),
      shape(1, 1, 1, 300, 300, 64, true),
      shape(1, 4, 2, 300, 300, 128, true),
      shape(1, 1, 1, 300, 300, 63, true),
      shape(1, 1, 1, 1023, 1024, 128),
      shape(1, 1, 1, 1023, 1024, 80, true),
      shape(1, 1, 1, 3, 128, 96, true),
      shape(1, 1, 1, 3, 128, 1, true),
      shape(2, 3, 1, 5, 2, 64, true),
      shape(1, 4, 2, 203, 113, 256, true),
      shape(1, 1, 1, 333, 70, 31, true),
  };
}

constexpr std::array<Stage<Problem>, 3> three_kernels = {
    Stage<Problem>{.name = "scores", .launch = cuda_launch<launch_scores>()},
    Stage<Problem>{.name = "softmax", .launch = cuda_launch<launch_softmax>()},
    Stage<Problem>{.name = "output", .launch = cuda_launch<launch_output>()},
};

constexpr std::array variants = {
    Variant<Problem>{.name = "scores_softmax_output",
                     .technique = "three kernels: all scores, softmax of each row, product with V",
                     .predecessor = "",
                     .workspace_bytes = scores_softmax_output_workspace,
                     .modelled_bytes = scores_softmax_output_bytes,
                     .launch = cuda_launch<launch_scores_softmax_output>(),
                     .stages = three_kernels},
    Variant<Problem>{.name = "fused_row",
                     .technique = "a block a query row, online softmax, no score in memory",
                     .predecessor = "scores_softmax_output",
                     .modelled_bytes = fused_row_bytes,
                     .launch = cuda_launch<launch_fused_row>()},
    Variant<Problem>{.name = "single_thread",
                     .technique = "one thread, one query row after the other",
                     .predecessor = "",
                     .device = DeviceKind::host,
                     .launch = launch_single_thread},
    Variant<Problem>{.name = "parallel_vectorized",
                     .technique = "query rows shared among all cores, vector instructions",
                     .predecessor = "single_thread",
                     .device = DeviceKind::host,
                     .launch = launch_parallel_vectorized},
};
static_assert(keys_are_unique(variants));

constexpr Manifest<Problem> manifest = {
    .name = "attention",
    .summary = "softmax(Q K^T / sqrt(D)) V, optionally causal, with grouped key heads",
    .parameters = parameters,
    .aliases = aliases,
    .problem = make_problem,
    .inputs = inputs,
    .output = output,
    .generator = generator,
    .work = work,
    .output_shape = output_shape,
    .oracle = oracle,
    .verify_shapes = verify_shapes,
    .variants = variants,
};

}  // namespace

const Family& family() {
  static const FamilyOf<Problem> instance(manifest);
  return instance;
}

}  // namespace gpubench::attention
