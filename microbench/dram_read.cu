// The rate at which device memory is read. To keep it busy, what is in flight must cover its
// latency (Little's law: 4.8 TB/s x 600 ns is 3 MB, 22 KB a multiprocessor), so each thread issues
// several independent 16-byte loads before it uses the first. The data is read once and dropped;
// the streaming hint keeps it from displacing other lines. 2 GiB is many times any L2, so that what
// a pass could find of the pass before is a few percent at the very most.
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

constexpr std::size_t wanted_bytes = std::size_t{2} << 30;
constexpr std::size_t granule = std::size_t{1} << 22;  // every candidate's blocks divide it

// Blocks a multiprocessor must hold. Said to the compiler, it leaves the registers for all loads of
// a thread to be issued before the first use; left to itself it mixes uses among them to save
// registers.
constexpr int blocks_at_least(int loads, int threads) {
  return std::min(1024, 8192 / loads) / threads;
}

template <int loads, int threads>
__device__ __forceinline__ unsigned read_tile(const uint4* tile) {
  uint4 v[loads];
#pragma unroll
  for (int i = 0; i < loads; ++i) v[i] = __ldcs(tile + i * threads + threadIdx.x);
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < loads; ++i) bits ^= ceilings::fold(v[i]);
  return bits;
}

// A block reads one tile of consecutive memory, in strips of one load a thread.
template <int loads, int threads>
__global__ void __launch_bounds__(threads, blocks_at_least(loads, threads))
    one_pass_kernel(const uint4* data, unsigned* sink) {
  const uint4* tile = data + std::int64_t{blockIdx.x} * (loads * threads);
  ceilings::consume(read_tile<loads, threads>(tile), sink);
}

struct Source {
  std::shared_ptr<Memory> data;
  std::shared_ptr<Memory> sink;
  std::size_t bytes() const { return data->bytes(); }
};

template <int loads, int threads>
CeilingCandidate one_pass(const Source& source) {
  constexpr std::size_t tile_bytes = std::size_t{loads} * threads * sizeof(uint4);
  static_assert(granule % tile_bytes == 0);
  const auto blocks = static_cast<unsigned>(source.bytes() / tile_bytes);
  CeilingCandidate candidate;
  candidate.technique = "one pass, " + std::to_string(loads) +
                        " independent 16-byte loads a thread (ld.global.cs), blocks of " +
                        std::to_string(threads);
  candidate.amount = static_cast<double>(source.bytes());
  candidate.working_set_bytes = source.bytes();
  candidate.launch = [source, blocks](Stream stream) {
    one_pass_kernel<loads, threads><<<blocks, threads, 0, cuda::native(stream)>>>(
        static_cast<const uint4*>(source.data->data()),
        static_cast<unsigned*>(source.sink->data()));
    cuda::check_launch("ceiling dram_read");
  };
  return candidate;
}

// 2 GiB, or half of what is free on a small or busy device, as long as that is well beyond L2.
std::size_t buffer_bytes(Device& device) {
  const std::size_t bytes = std::min(wanted_bytes, device.free_bytes() / 2) / granule * granule;
  const auto least = static_cast<std::size_t>(4 * device.facts().l2_bytes.value_or(64 << 20));
  if (bytes < least)
    throw Error(ExitCode::no_device, "dram_read needs " + bytes_text(2.0 * least) + " free on " +
                                         device.facts().id + ", which has " +
                                         bytes_text(1.0 * device.free_bytes()));
  return bytes;
}

}  // namespace

std::vector<CeilingCandidate> prepare_dram_read(Device& device, DataPattern pattern) {
  const auto count = static_cast<std::int64_t>(buffer_bytes(device) / sizeof(float));
  const Source source{ceilings::input(device, DType::f32, count, pattern), ceilings::sink(device)};
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(one_pass<8, 256>(source));
  candidates.push_back(one_pass<16, 128>(source));
  return candidates;
}

}  // namespace gpubench
