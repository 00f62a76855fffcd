#include "kernels/reduction/family.hpp"

#include <array>

#include "kernels/reduction/levels.hpp"
#include "kernels/reduction/oracle.hpp"
#include "kernels/reduction/problem.hpp"

namespace gpubench::reduction {

void launch_v1_tree(const Problem&, const Buffers&, Stream);
void launch_v2_halved_threads(const Problem&, const Buffers&, Stream);
void launch_v3_warp_shuffle(const Problem&, const Buffers&, Stream);
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);

namespace {

using enum InputKind;

constexpr std::array<std::string_view, 1> ops = {"sum"};

constexpr std::array parameters = {
    Parameter{.name = "N",
              .help = "elements to reduce",
              .maximum = std::int64_t{1} << 38,
              .cuda_default = std::int64_t{1} << 28,
              .host_default = std::int64_t{1} << 26},
    Parameter{.name = "op",
              .help = "what to reduce with",
              .kind = Parameter::Kind::choice,
              .choices = ops},
};

Problem problem(const ParameterSet& set) {
  return {.n = set.integer("N"), .op = Op::sum};
}

std::vector<BufferSpec> inputs(const Problem& p, DType dtype) {
  return {{"x", dtype, p.n}};
}

BufferSpec output(const Problem&, DType dtype) {
  return {"y", dtype, 1};
}

Work work(const Problem& p, DType dtype) {
  const double n = static_cast<double>(p.n);
  const double size = static_cast<double>(size_of(dtype));
  return {.flops = n - 1,
          .bytes_read = n * size,
          .bytes_written = size,
          .working_set_bytes = n * size,
          .convention = "n - 1 additions; x read once, one value written",
          .host_transfer = false,
          .compute_ceiling = {}};
}

OutputShape output_shape(const Problem& p) {
  return {.rows = 1, .columns = 1, .row_cost = static_cast<double>(p.n)};
}

template <std::int64_t tile>
std::size_t workspace_bytes(const Problem& p) {
  return static_cast<std::size_t>(partials(p.n, tile)) * sizeof(float);
}

template <std::int64_t tile>
double modelled_bytes(const Problem& p) {
  return static_cast<double>(p.n + 1 + partial_traffic(p.n, tile)) * sizeof(float);
}

std::vector<VerifyShape> verify_shapes() {
  std::vector<VerifyShape> shapes;
  const auto shape = [&](std::int64_t n, std::vector<InputKind> kinds) {
    shapes.push_back({{{"N", n}, {"op", std::string("sum")}}, std::move(kinds)});
  };
  // Around warps, blocks, tiles, and where a level of block sums is added (tile^2).
  for (const std::int64_t n :
       {1, 2, 3, 31, 32, 33, 127, 255, 256, 257, 511, 512, 513, 1023, 1025, 4099, 65535, 65537})
    shape(n, {random, integers, large, equal, outlier});
  shape((1 << 18) + 1, {random, integers});
  shape((1 << 20) + 3, {random, integers, outlier});
  shape((1 << 24) + 1, {random, integers});
  shape((std::int64_t{1} << 31) + 3, {random, integers});  // an index of 32 bits ends below this
  shapes.back().cuda_only = true;
  return shapes;
}

constexpr std::array variants = {
    Variant<Problem>{.name = "v1_tree",
                     .technique = "one load a thread, a tree of sums in shared memory",
                     .predecessor = "",
                     .workspace_bytes = workspace_bytes<v1_tree_tile>,
                     .modelled_bytes = modelled_bytes<v1_tree_tile>,
                     .launch = cuda_launch<launch_v1_tree>()},
    Variant<Problem>{.name = "v2_halved_threads",
                     .technique = "two loads a thread, added on the way in: half the threads",
                     .predecessor = "v1_tree",
                     .workspace_bytes = workspace_bytes<v2_halved_threads_tile>,
                     .modelled_bytes = modelled_bytes<v2_halved_threads_tile>,
                     .launch = cuda_launch<launch_v2_halved_threads>()},
    Variant<Problem>{.name = "v3_warp_shuffle",
                     .technique = "warps sum by register shuffles, one barrier a block",
                     .predecessor = "v2_halved_threads",
                     .workspace_bytes = workspace_bytes<v3_warp_shuffle_tile>,
                     .modelled_bytes = modelled_bytes<v3_warp_shuffle_tile>,
                     .launch = cuda_launch<launch_v3_warp_shuffle>()},
    Variant<Problem>{.name = "single_thread",
                     .technique = "one thread, one running sum in double",
                     .predecessor = "",
                     .device = DeviceKind::host,
                     .launch = launch_single_thread},
    Variant<Problem>{.name = "parallel_vectorized",
                     .technique = "all cores, vector sums of blocks, blocks in double",
                     .predecessor = "single_thread",
                     .device = DeviceKind::host,
                     .launch = launch_parallel_vectorized},
};
static_assert(keys_are_unique(variants));

constexpr Manifest<Problem> manifest = {.name = "reduction",
                                        .summary = "one value of n: y = x[0] + x[1] + ...",
                                        .parameters = parameters,
                                        .problem = problem,
                                        .inputs = inputs,
                                        .output = output,
                                        .generator = generator,
                                        .work = work,
                                        .output_shape = output_shape,
                                        .oracle = oracle,
                                        .verify_shapes = verify_shapes,
                                        .variants = variants};

}  // namespace

const Family& family() {
  static const FamilyOf<Problem> instance(manifest);
  return instance;
}

}  // namespace gpubench::reduction
