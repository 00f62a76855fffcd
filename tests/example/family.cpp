// The manifest of scale: parameters, inputs, oracle, work and variants.
#include "family.hpp"

#include <cmath>

#include "problem.hpp"

namespace gpubench::scale {

void launch_grid_stride(const Problem&, const Buffers&, Stream);
void launch_single_thread(const Problem&, const Buffers&, Stream);

namespace {

constexpr std::array<Parameter, 2> parameters = {{
    {.name = "N",
     .help = "elements",
     .maximum = std::int64_t{1} << 40,
     .cuda_default = 1 << 26,
     .host_default = 1 << 20},
    {.name = "factor",
     .help = "what each element is multiplied by",
     .maximum = 1000,
     .cuda_default = 3,
     .host_default = 3},
}};

Problem problem(const ParameterSet& set) {
  return {.n = set.integer("N"), .factor = set.integer("factor")};
}

std::vector<BufferSpec> inputs(const Problem& p, DType dtype) {
  return {{.name = "x", .dtype = dtype, .count = p.n}};
}

BufferSpec output(const Problem& p, DType dtype) {
  return {.name = "y", .dtype = dtype, .count = p.n};
}

Generator generator(const Problem&, DType, std::size_t input, InputKind kind, std::uint64_t seed) {
  Generator g{.seed = seed, .buffer = static_cast<std::int32_t>(input)};
  if (kind == InputKind::integers) {
    g.pattern = Pattern::integers;
    g.scale = 8;  // times a factor of at most 1000: exact in f32
  }
  return g;
}

Work work(const Problem& p, DType dtype) {
  const double n = static_cast<double>(p.n);
  const double bytes = n * static_cast<double>(size_of(dtype));
  return {.flops = n,
          .bytes_read = bytes,
          .bytes_written = bytes,
          .working_set_bytes = 2 * bytes,
          .convention = "N FLOPs; bytes count x read and y written, each once"};
}

OutputShape output_shape(const Problem& p) {
  return {.rows = 1, .columns = p.n};
}

// One product is rounded once: the error is at most unit roundoff * |value|. Products of integers
// are exact.
void oracle(const Problem& p, DType dtype, const Inputs& in, std::span<const std::int64_t> indices,
            std::span<Expected> expected) {
  const double relative = in.kind() == InputKind::integers ? 0 : unit_roundoff(dtype);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double value = static_cast<double>(p.factor) * in.at(0, indices[i]);
    expected[i] = {.value = value, .tolerance = relative * std::fabs(value)};
  }
}

std::vector<VerifyShape> verify_shapes() {
  using enum InputKind;
  std::vector<VerifyShape> shapes;
  for (const std::int64_t n : {1, 31, 256, 257, 100003})
    shapes.push_back({.parameters = {{"N", n}}, .inputs = {random, integers}});
  return shapes;
}

constexpr std::array<Variant<Problem>, 2> variants = {{
    {.name = "grid_stride",
     .technique = "one thread an element, and on by the size of the grid",
     .launch = cuda_launch<launch_grid_stride>()},
    {.name = "single_thread",
     .technique = "a plain loop on one core",
     .device = DeviceKind::host,
     .launch = launch_single_thread},
}};
static_assert(keys_are_unique(variants));

constexpr Manifest<Problem> manifest = {
    .name = "scale",
    .summary = "y[i] = factor * x[i]",
    .parameters = parameters,
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

}  // namespace

const Family& family() {
  static const FamilyOf<Problem> instance(manifest);
  return instance;
}

}  // namespace gpubench::scale
