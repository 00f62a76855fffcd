#include "kernels/streams/family.hpp"

#include <array>

#include "kernels/streams/problem.hpp"
#include "kernels/streams/staging.hpp"
#include "kernels/vector_add/oracle.hpp"

namespace gpubench::streams {

void launch_pageable_sync(const Problem&, const Buffers&, Stream);
void launch_pageable_sync_copy_in(const Problem&, const Buffers&, Stream);
void launch_pageable_sync_add(const Problem&, const Buffers&, Stream);
void launch_pageable_sync_copy_out(const Problem&, const Buffers&, Stream);
void launch_pinned_two_streams(const Problem&, const Buffers&, Stream);
void launch_pinned_two_streams_transfers(const Problem&, const Buffers&, Stream);
void launch_pinned_two_streams_add(const Problem&, const Buffers&, Stream);

namespace {

using enum InputKind;

constexpr std::array parameters = {
    Parameter{.name = "N",
              .help = "elements of each of a, b and c",
              .maximum = std::int64_t{1} << 38,
              .cuda_default = std::int64_t{1} << 26,
              .host_default = std::int64_t{1} << 26},
    Parameter{.name = "chunks",
              .help = "pieces that pinned_two_streams cuts the trip into",
              .maximum = 4096,
              .cuda_default = 16,
              .host_default = 16},
};

Problem problem(const ParameterSet& set) {
  return {.n = set.integer("N"), .chunks = set.integer("chunks")};
}

std::vector<BufferSpec> inputs(const Problem& p, DType dtype) {
  return {{"a", dtype, p.n}, {"b", dtype, p.n}};
}

BufferSpec output(const Problem& p, DType dtype) {
  return {"c", dtype, p.n};
}

Generator generator(const Problem& p, DType dtype, std::size_t input, InputKind kind,
                    std::uint64_t seed) {
  return vector_add::generator({.n = p.n}, dtype, input, kind, seed);
}

void oracle(const Problem& p, DType dtype, const Inputs& inputs,
            std::span<const std::int64_t> indices, std::span<Expected> out) {
  vector_add::oracle({.n = p.n}, dtype, inputs, indices, out);
}

Work work(const Problem& p, DType dtype) {
  const double n = static_cast<double>(p.n);
  const double size = static_cast<double>(size_of(dtype));
  return {.flops = n,
          .bytes_read = 2 * n * size,
          .bytes_written = n * size,
          .working_set_bytes = 3 * n * size,
          .convention = "one FLOP an element; a and b cross to the device once, c back once",
          .host_transfer = true,
          .compute_ceiling = {}};
}

OutputShape output_shape(const Problem& p) {
  return {.rows = 1, .columns = p.n};
}

std::vector<VerifyShape> verify_shapes() {
  std::vector<VerifyShape> shapes;
  const auto shape = [&](std::int64_t n, std::int64_t chunks, std::vector<InputKind> kinds) {
    shapes.push_back({{{"N", n}, {"chunks", chunks}}, std::move(kinds)});
  };
  // One chunk, odd numbers of them, more chunks than elements, and n % chunks != 0.
  shape(1, 1, {random, integers});
  shape(1, 16, {random});
  shape(2, 3, {random});
  shape(3, 16, {random});
  for (const std::int64_t n : {31, 32, 33, 127, 255, 256, 257}) shape(n, 16, {random});
  shape(257, 300, {random, integers});
  shape(1023, 7, {random, integers, large, equal, outlier});
  shape(1025, 2, {random, integers});
  shape(4099, 3, {random, integers, large, equal, outlier});
  shape(65537, 16, {random, integers});
  shape(65537, 4096, {random});
  shape((1 << 20) + 3, 16, {random, integers});
  shape((1 << 24) + 1, 5, {random, integers});
  return shapes;
}

constexpr std::array pageable_stages = {
    Stage<Problem>{"copy_in", cuda_launch<launch_pageable_sync_copy_in>(), true},
    Stage<Problem>{"add", cuda_launch<launch_pageable_sync_add>(), false},
    Stage<Problem>{"copy_out", cuda_launch<launch_pageable_sync_copy_out>(), true},
};

constexpr std::array pinned_stages = {
    Stage<Problem>{"transfers", cuda_launch<launch_pinned_two_streams_transfers>(), true},
    Stage<Problem>{"add", cuda_launch<launch_pinned_two_streams_add>(), false},
};

constexpr std::array variants = {
    Variant<Problem>{.name = "pageable_sync",
                     .technique = "ordinary host memory, one step after another",
                     .predecessor = "",
                     .workspace_bytes = staging_bytes,
                     .launch = cuda_launch<launch_pageable_sync>(),
                     .stages = pageable_stages,
                     .submission = Submission::blocking,
                     .memory = MemoryKind::host_pageable},
    Variant<Problem>{.name = "pinned_two_streams",
                     .technique =
                         "page-locked memory, chunks on two streams: copies in, adds and copies "
                         "out overlap",
                     .predecessor = "pageable_sync",
                     .workspace_bytes = staging_bytes,
                     .launch = cuda_launch<launch_pinned_two_streams>(),
                     .stages = pinned_stages,
                     .memory = MemoryKind::host_pinned},
};
static_assert(keys_are_unique(variants));

constexpr Manifest<Problem> manifest = {
    .name = "streams",
    .summary = "c = a + b from host memory to host memory: what the trip over the bus costs",
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

}  // namespace gpubench::streams
