#include "kernels/matmul/family.hpp"

#include <array>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "kernels/matmul/oracle.hpp"
#include "kernels/matmul/tiling.hpp"

namespace gpubench::matmul {

void launch_naive(const Problem&, const Buffers&, Stream);
void launch_coalesced(const Problem&, const Buffers&, Stream);
void launch_tiled_16(const Problem&, const Buffers&, Stream);
void launch_register_blocked_4x4(const Problem&, const Buffers&, Stream);
void launch_cublas(const Problem&, const Buffers&, Stream);
void launch_tiled_16_f16(const Problem&, const Buffers&, Stream);
void launch_wmma(const Problem&, const Buffers&, Stream);
void launch_cublas_f16(const Problem&, const Buffers&, Stream);
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);

namespace {

constexpr std::array parameters = {
    Parameter{.name = "M", .help = "rows of A and C", .cuda_default = 4096, .host_default = 1024},
    Parameter{
        .name = "N", .help = "columns of B and C", .cuda_default = 4096, .host_default = 1024},
    Parameter{
        .name = "K", .help = "columns of A, rows of B", .cuda_default = 4096, .host_default = 1024},
};
constexpr std::array<std::string_view, 3> all_sizes = {"M", "N", "K"};
constexpr std::array aliases = {ParameterAlias{"size", "M, N and K at once", all_sizes}};

Problem problem(const ParameterSet& set) {
  const Problem p{set.integer("M"), set.integer("N"), set.integer("K")};
  // Counts of elements and bytes must fit 64 bits with room to spare.
  constexpr std::int64_t most = std::int64_t{1} << 50;
  const auto check = [](const char* matrix, std::int64_t rows, std::int64_t columns) {
    if (rows > most / columns)
      throw Error(ExitCode::usage, "matmul: " + std::string(matrix) + " of " +
                                       std::to_string(rows) + " x " + std::to_string(columns) +
                                       " has more than 2^50 elements");
  };
  check("A", p.m, p.k);
  check("B", p.k, p.n);
  check("C", p.m, p.n);
  return p;
}

std::vector<BufferSpec> inputs(const Problem& p, DType dtype) {
  return {{"A", dtype, p.m * p.k}, {"B", dtype, p.k * p.n}};
}

BufferSpec output(const Problem& p, DType dtype) {
  return {"C", dtype, p.m * p.n};
}

Work work(const Problem& p, DType dtype) {
  const double m = static_cast<double>(p.m);
  const double n = static_cast<double>(p.n);
  const double k = static_cast<double>(p.k);
  const double size = static_cast<double>(size_of(dtype));
  Work w;
  w.flops = 2 * m * n * k;
  w.bytes_read = (m * k + k * n) * size;
  w.bytes_written = m * n * size;
  w.working_set_bytes = w.bytes_read + w.bytes_written;
  w.convention = "2 M N K FLOPs (a multiply-add counts two); A and B read once, C written once";
  return w;
}

OutputShape output_shape(const Problem& p) {
  return {p.m, p.n, static_cast<double>(p.k), static_cast<double>(p.k)};
}

std::vector<VerifyShape> verify_shapes() {
  using enum InputKind;
  const auto shape = [](std::int64_t m, std::int64_t n, std::int64_t k,
                        std::vector<InputKind> kinds) {
    return VerifyShape{{{"M", m}, {"N", n}, {"K", k}}, std::move(kinds)};
  };
  std::vector<VerifyShape> shapes = {
      shape(1, 1, 1, {random, integers}),
      shape(1, 300, 1, {random, integers}),
      shape(65, 33, 1, {random, integers}),
      shape(127, 129, 65, {random, integers, large, equal, outlier}),  // odd rows: nothing aligned
      shape(256, 256, 256, {random, integers, large, equal, outlier}),
      shape(128, 128, 48, {random, integers}),  // 3 tiles of 16 along K, 1.5 of 32
      shape(64, 64, 33, {random, integers}),
      shape(132, 136, 40, {random, integers}),  // 16-byte rows, tiles cut off
      shape(5000, 7, 31, {random, integers}),
      shape(3, 70000, 5, {random, integers}),
      shape(70000, 3, 5, {random, integers}),
      shape(1100000, 2, 3, {random, integers}),  // more tiles of 16 than grid y could hold
      shape(17, 19, 4099, {random, integers, outlier}),
      shape(4097, 1023, 257, {random, integers}),
      shape(46400, 46400, 8, {random}),  // C has more than 2^31 elements
  };
  shapes.back().cuda_only = true;
  return shapes;
}

// Why the blocks do not fit a grid, if so.
template <BlockTile tile>
std::optional<std::string> too_many_blocks(const Problem& p) {
  if (fits_grid(p, tile)) return std::nullopt;
  return "M x N in tiles of " + std::to_string(tile.rows) + " x " + std::to_string(tile.columns) +
         " needs more than the 2^31 - 1 blocks of a grid";
}

std::optional<std::string> beyond_int(const Problem& p) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (p.m <= most && p.n <= most && p.k <= most) return std::nullopt;
  return "cuBLAS takes M, N and K up to 2^31 - 1";
}

std::size_t cublas_workspace(const Problem&) {
  return cublas_workspace_bytes;
}

// Traffic between the SMs and L2: each block asks once for its rows of A and its columns of B (L1
// or shared memory serves what it uses again) and writes its outputs.
template <BlockTile tile, DType dtype>
double l2_bytes(const Problem& p) {
  const double a = static_cast<double>(p.m) * static_cast<double>(p.k);
  const double b = static_cast<double>(p.k) * static_cast<double>(p.n);
  const double c = static_cast<double>(p.m) * static_cast<double>(p.n);
  return (a * static_cast<double>(tiles(p.n, tile.columns)) +
          b * static_cast<double>(tiles(p.m, tile.rows)) + c) *
         static_cast<double>(size_of(dtype));
}

using V = Variant<Problem>;

constexpr std::array variants = {
    V{.name = "naive",
      .technique = "one thread an output, neighbouring threads in neighbouring rows (uncoalesced)",
      .predecessor = "",
      .unsupported = too_many_blocks<naive_tile>,
      .modelled_bytes = l2_bytes<naive_tile, DType::f32>,
      .launch = cuda_launch<launch_naive>()},
    V{.name = "coalesced",
      .technique = "one thread an output, neighbouring threads in neighbouring columns",
      .predecessor = "naive",
      .unsupported = too_many_blocks<coalesced_tile>,
      .modelled_bytes = l2_bytes<coalesced_tile, DType::f32>,
      .launch = cuda_launch<launch_coalesced>()},
    V{.name = "tiled_16",
      .technique = "16 x 16 tiles of A and B in shared memory",
      .predecessor = "coalesced",
      .unsupported = too_many_blocks<tiled_16_tile>,
      .modelled_bytes = l2_bytes<tiled_16_tile, DType::f32>,
      .launch = cuda_launch<launch_tiled_16>()},
    V{.name = "register_blocked_4x4",
      .technique =
          "4 x 4 outputs a thread: 8 shared loads, 16 bytes each time, for 16 multiply-adds",
      .predecessor = "tiled_16",
      .unsupported = too_many_blocks<register_blocked_4x4_tile>,
      .modelled_bytes = l2_bytes<register_blocked_4x4_tile, DType::f32>,
      .launch = cuda_launch<launch_register_blocked_4x4>()},
    V{.name = "cublas",
      .technique = "cuBLAS SGEMM, FP32 arithmetic (no TF32)",
      .predecessor = "",
      .role = Role::reference,
      .needs = {.library = "cublas"},
      .unsupported = beyond_int,
      .workspace_bytes = cublas_workspace,
      .launch = cuda_launch<launch_cublas>()},
    V{.name = "tiled_16",
      .technique = "16 x 16 tiles in shared memory, f16 storage, f32 sums on FP32 units",
      .predecessor = "",
      .dtype = DType::f16,
      .unsupported = too_many_blocks<tiled_16_tile>,
      .modelled_bytes = l2_bytes<tiled_16_tile, DType::f16>,
      .launch = cuda_launch<launch_tiled_16_f16>()},
    V{.name = "wmma",
      .technique = "tensor cores through wmma: 4 x 4 fragments of 16 x 16 a warp, f32 sums",
      .predecessor = "tiled_16",
      .dtype = DType::f16,
      .needs = {.compute_capability = 70},
      .unsupported = too_many_blocks<wmma_tile>,
      .modelled_bytes = l2_bytes<wmma_tile, DType::f16>,
      .launch = cuda_launch<launch_wmma>()},
    V{.name = "cublas",
      .technique = "cuBLAS GemmEx, f16 storage, f32 sums",
      .predecessor = "",
      .dtype = DType::f16,
      .role = Role::reference,
      .needs = {.library = "cublas"},
      .unsupported = beyond_int,
      .workspace_bytes = cublas_workspace,
      .launch = cuda_launch<launch_cublas_f16>()},
    V{.name = "single_thread",
      .technique = "one CPU thread",
      .predecessor = "",
      .device = DeviceKind::host,
      .launch = launch_single_thread},
    V{.name = "parallel_vectorized",
      .technique = "all cores, vector units, blocks that stay in cache",
      .predecessor = "single_thread",
      .device = DeviceKind::host,
      .launch = launch_parallel_vectorized},
};
static_assert(keys_are_unique(variants));

const Manifest<Problem>& manifest() {
  static const Manifest<Problem> filled = {
      .name = "matmul",
      .summary = "C = A B for dense row-major matrices, A of M x K, B of K x N",
      .parameters = parameters,
      .aliases = aliases,
      .problem = problem,
      .inputs = inputs,
      .output = output,
      .generator = generator,
      .work = work,
      .output_shape = output_shape,
      .oracle = oracle,
      .verify_shapes = verify_shapes,
      .variants = variants,
  };
  return filled;
}

}  // namespace

const Family& family() {
  static const FamilyOf<Problem> erased(manifest());
  return erased;
}

}  // namespace gpubench::matmul
