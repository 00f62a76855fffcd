// What the DRAM ceilings that write share: a pass over whole arrays that writes one of them and
// reads none, one or two others. Reads and writes of one memory channel exclude each other and
// turning it around costs time, so how they are mixed matters, and so do the hints that come with
// the stores; the candidates differ in both and the trial picks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "microbench/support.cuh"

namespace gpubench::ceilings {

enum class Stores { normal, streaming };  // st.global, st.global.cs (evict first)

inline constexpr std::size_t stream_granule = std::size_t{4} << 20;  // every tile divides it

// The arrays of one ceiling: a is written; b and c are read. Where nothing is read, b is a few
// numbers that are written again and again.
struct StreamArrays {
  std::shared_ptr<Memory> a, b, c;
  std::size_t bytes() const { return a->bytes(); }  // of each
};

__device__ inline float4 triad(float4 b, float4 c, float s) {
  return {fmaf(s, c.x, b.x), fmaf(s, c.y, b.y), fmaf(s, c.z, b.z), fmaf(s, c.w, b.w)};
}

// Blocks a multiprocessor must hold; said to the compiler, it leaves the registers for all loads of
// a thread to be issued before the first store.
constexpr int stream_blocks_at_least(int sources, int items, int threads) {
  return std::max(1, std::min(1024, 8192 / std::max(1, sources * items)) / threads);
}

// A block goes over tiles of consecutive memory, in strips of 16 bytes a thread: one tile where
// there is a block for each, else every gridDim-th.
template <int sources, Stores stores, int items, int threads>
__global__ void __launch_bounds__(threads, stream_blocks_at_least(sources, items, threads))
    stream_kernel(float4* a, const float4* b, const float4* c, float s, unsigned tiles) {
  float4 v[items];
  if constexpr (sources == 0) v[0] = b[threadIdx.x];
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t first = std::int64_t{tile} * (items * threads) + threadIdx.x;
    if constexpr (sources >= 1) {
#pragma unroll
      for (int i = 0; i < items; ++i) v[i] = __ldcs(b + first + i * threads);
    }
    if constexpr (sources == 2) {
      float4 w[items];
#pragma unroll
      for (int i = 0; i < items; ++i) w[i] = __ldcs(c + first + i * threads);
#pragma unroll
      for (int i = 0; i < items; ++i) v[i] = triad(v[i], w[i], s);
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const float4 value = v[sources == 0 ? 0 : i];
      if constexpr (stores == Stores::streaming)
        __stcs(a + first + i * threads, value);
      else
        a[first + i * threads] = value;
    }
  }
}

// `blocks_per_multiprocessor` 0: a block for each tile.
template <int sources, Stores stores, int items, int threads>
CeilingCandidate stream_candidate(const Device& device, const StreamArrays& arrays,
                                  std::string_view what, int blocks_per_multiprocessor = 0) {
  constexpr std::size_t tile_bytes = std::size_t{items} * threads * sizeof(float4);
  static_assert(stream_granule % tile_bytes == 0);
  const auto tiles = static_cast<unsigned>(arrays.bytes() / tile_bytes);
  const unsigned blocks =
      blocks_per_multiprocessor == 0
          ? tiles
          : static_cast<unsigned>(multiprocessors(device) * blocks_per_multiprocessor);
  const std::size_t all_bytes = arrays.bytes() * (sources + 1);
  CeilingCandidate candidate;
  candidate.technique =
      std::string(what) + ", " + std::to_string(items) +
      " 16-byte accesses a thread and array, stores " +
      (stores == Stores::streaming ? "st.global.cs" : "st.global") + ", " +
      (blocks_per_multiprocessor == 0
           ? std::string("one pass")
           : std::to_string(blocks_per_multiprocessor) + " resident blocks a multiprocessor") +
      " of blocks of " + std::to_string(threads);
  candidate.amount = static_cast<double>(all_bytes);
  candidate.working_set_bytes = all_bytes;
  candidate.launch = [arrays, blocks, tiles](Stream stream) {
    stream_kernel<sources, stores, items, threads><<<blocks, threads, 0, cuda::native(stream)>>>(
        static_cast<float4*>(arrays.a->data()), static_cast<const float4*>(arrays.b->data()),
        static_cast<const float4*>(arrays.c ? arrays.c->data() : nullptr), 0.5f, tiles);
    cuda::check_launch("ceiling of DRAM streams");
  };
  return candidate;
}

// All arrays together take 3 GiB, or half of what is free on a small or busy device, as long as
// that is well beyond L2: what a pass finds of the pass before, or leaves behind unwritten in L2,
// is then a percent or two at the very most.
inline StreamArrays stream_arrays(Device& device, DataPattern pattern, int sources,
                                  std::string_view ceiling) {
  constexpr std::size_t wanted = std::size_t{3} << 30;
  const auto count = static_cast<std::size_t>(sources) + 1;
  const std::size_t each =
      std::min(wanted, device.free_bytes() / 2) / count / stream_granule * stream_granule;
  const auto least = static_cast<std::size_t>(4 * device.facts().l2_bytes.value_or(64 << 20));
  if (each * count < least)
    throw Error(ExitCode::no_device, std::string(ceiling) + " needs " + bytes_text(2.0 * least) +
                                         " free on " + device.facts().id + ", which has " +
                                         bytes_text(1.0 * device.free_bytes()));
  const auto floats = static_cast<std::int64_t>(each / sizeof(float));
  StreamArrays arrays;
  arrays.a = input(device, DType::f32, floats, DataPattern::zeros);
  arrays.b = input(device, DType::f32, sources == 0 ? 4 * 1024 : floats, pattern);
  if (sources == 2) arrays.c = input(device, DType::f32, floats, pattern);
  return arrays;
}

// The kernels that are tried for a mix. The last keeps so few blocks resident that what is in
// flight just covers the latency: fewer streams at a time are open in each memory channel.
template <int sources>
std::vector<CeilingCandidate> stream_candidates(const Device& device, const StreamArrays& arrays,
                                                std::string_view what) {
  // As many loads in flight a thread for two sources as for one.
  constexpr int items = sources == 2 ? 4 : 8;
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(
      stream_candidate<sources, Stores::streaming, items, 256>(device, arrays, what));
  candidates.push_back(stream_candidate<sources, Stores::normal, items, 256>(device, arrays, what));
  candidates.push_back(
      stream_candidate<sources, Stores::streaming, 4, 512>(device, arrays, what, 2));
  return candidates;
}

}  // namespace gpubench::ceilings
