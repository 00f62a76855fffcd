#include "kernels/vector_add/family.hpp"

#include <array>

#include "kernels/vector_add/oracle.hpp"
#include "kernels/vector_add/problem.hpp"

namespace gpubench::vector_add {

void launch_scalar(const Problem&, const Buffers&, Stream);
void launch_vectorized_16B(const Problem&, const Buffers&, Stream);
void launch_single_thread(const Problem&, const Buffers&, Stream);
void launch_parallel_vectorized(const Problem&, const Buffers&, Stream);

namespace {

using enum InputKind;

constexpr std::array parameters = {
    Parameter{.name = "N",
              .help = "elements of each of a, b and c",
              .maximum = std::int64_t{1} << 38,
              .cuda_default = std::int64_t{1} << 28,
              .host_default = std::int64_t{1} << 25},
};

Problem problem(const ParameterSet& set) {
  return {.n = set.integer("N")};
}

std::vector<BufferSpec> inputs(const Problem& p, DType dtype) {
  return {{"a", dtype, p.n}, {"b", dtype, p.n}};
}

BufferSpec output(const Problem& p, DType dtype) {
  return {"c", dtype, p.n};
}

Work work(const Problem& p, DType dtype) {
  const double n = static_cast<double>(p.n);
  const double size = static_cast<double>(size_of(dtype));
  return {.flops = n,
          .bytes_read = 2 * n * size,
          .bytes_written = n * size,
          .working_set_bytes = 3 * n * size,
          .convention = "one FLOP an element; a and b read once, c written once",
          .host_transfer = false,
          .compute_ceiling = {}};
}

OutputShape output_shape(const Problem& p) {
  return {.rows = 1, .columns = p.n};
}

std::vector<VerifyShape> verify_shapes() {
  std::vector<VerifyShape> shapes;
  const auto shape = [&](std::int64_t n, std::vector<InputKind> kinds) {
    shapes.push_back({{{"N", n}}, std::move(kinds)});
  };
  // Around vectors, warps, blocks and tiles, with every tail of n % 4.
  for (const std::int64_t n :
       {1, 2, 3, 4, 5, 31, 32, 33, 127, 255, 256, 257, 1023, 1025, 2047, 2050, 4099, 65537})
    shape(n, {random, integers, large, equal, outlier});
  shape((1 << 20) + 3,
        {random, integers, large});  // the last size of one vector a thread, and past it
  shape((1 << 20) + 4, {random});
  shape((1 << 24) + 1, {random, integers});
  shape((std::int64_t{1} << 31) + 3, {random});  // an index of 32 bits ends below this
  shapes.back().cuda_only = true;
  return shapes;
}

constexpr std::array variants = {
    Variant<Problem>{.name = "scalar",
                     .technique = "one element a thread, neighbours side by side",
                     .predecessor = "",
                     .launch = cuda_launch<launch_scalar>()},
    Variant<Problem>{
        .name = "vectorized_16B",
        .technique = "16-byte accesses, four loads in flight a thread, streaming stores",
        .predecessor = "scalar",
        .launch = cuda_launch<launch_vectorized_16B>()},
    Variant<Problem>{.name = "single_thread",
                     .technique = "one thread, one element after another",
                     .predecessor = "",
                     .device = DeviceKind::host,
                     .launch = launch_single_thread},
    Variant<Problem>{.name = "parallel_vectorized",
                     .technique = "all cores, the widest vectors of the processor",
                     .predecessor = "single_thread",
                     .device = DeviceKind::host,
                     .launch = launch_parallel_vectorized},
};
static_assert(keys_are_unique(variants));

constexpr Manifest<Problem> manifest = {.name = "vector_add",
                                        .summary = "c = a + b, element by element",
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

}  // namespace gpubench::vector_add
