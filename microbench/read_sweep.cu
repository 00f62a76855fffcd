// How fast a set that is read again and again comes in, by its size: from all of it in L2 to next
// to nothing of it. The roof of a warm case of such a size is read off these points, so that each
// is to be as fast as the device can be made to read a set of that size, and the candidates differ
// in what they find in L2 of the pass before:
//  - forward: every pass from the first chunk to the last. Where L2 replaces what was used longest
//    ago, a set just too large finds little of itself.
//  - there and back: every other pass from the last chunk to the first, so that it meets first what
//    was read last, whatever L2 makes of ages.
//  - a part kept: half an L2 of the set is loaded as usual, the rest to be evicted first, and the
//    two are dealt out among each other, so that L2 and memory deliver at the same time.
//  - streaming: everything to be evicted first, in 16-byte loads; what memory likes best.
//
// The walk is that of l2_read (8-byte ld.global.cg, which skips L1; a block walks a chunk in
// coalesced strips, and a fast multiprocessor simply gets more chunks), with two differences.
// Chunks are small: all blocks that run at once must lie within one pass, or blocks of different
// passes would fetch lines for each other and the set would look smaller than it is. And a launch
// is an even number of whole passes: it ends where the next one begins, also there and back.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/text.hpp"
#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

constexpr int threads = 512;
constexpr std::size_t bytes_in_flight = 32;  // of a thread; 64 KiB where an SM holds 2048 threads
constexpr std::size_t largest_chunk = 64 << 10, smallest_chunk = 16 << 10;

// In units of L2: the smallest set of which it may miss something, and how much is kept of a set.
constexpr double smallest_missed = 0.75;
constexpr double kept_share = 0.5;

struct Walk {
  unsigned chunks;  // of the set
  unsigned strips;  // of a chunk: loads a thread
  unsigned kept;    // chunks below are loaded to stay, the others to be evicted first
  unsigned step;    // from one chunk to the next, in a circle; no divisor in common with `chunks`
  bool turns;       // every other pass goes backward
};

template <bool keep, class Vector>
__device__ __forceinline__ unsigned read_strips(const Vector* mine, unsigned strips) {
  constexpr unsigned batch = bytes_in_flight / sizeof(Vector);  // divides the strips of any chunk
  unsigned bits = 0;
  for (unsigned strip = 0; strip < strips; strip += batch) {
    Vector v[batch];
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) {
      const Vector* from = mine + (strip + i) * threads;
      v[i] = keep ? __ldcg(from) : __ldcs(from);
    }
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) bits ^= ceilings::fold(v[i]);
  }
  return bits;
}

template <class Vector>
__global__ void __launch_bounds__(threads)
    sweep_kernel(const Vector* data, Walk walk, unsigned* sink) {
  const unsigned pass = blockIdx.x / walk.chunks;
  unsigned place = blockIdx.x % walk.chunks;
  if (walk.turns && pass % 2 == 1) place = walk.chunks - 1 - place;
  // The product fits in 32 bits: prepare_read_sweep sees to it.
  const unsigned chunk = place * walk.step % walk.chunks;
  // The set can be larger than 2^32 bytes.
  const Vector* mine = data + std::int64_t{chunk} * (walk.strips * threads) + threadIdx.x;
  const unsigned bits = chunk < walk.kept ? read_strips<true>(mine, walk.strips)
                                          : read_strips<false>(mine, walk.strips);
  ceilings::consume(bits, sink);
}

struct Source {
  std::shared_ptr<Memory> data;
  std::shared_ptr<Memory> sink;
  std::size_t chunk_bytes = 0;
  unsigned chunks = 0;
  unsigned passes = 0;
  std::size_t bytes() const { return chunk_bytes * chunks; }
};

template <class Vector>
CeilingCandidate walk_of(const Source& source, const std::string& how, unsigned kept, unsigned step,
                         bool turns) {
  const auto strips = static_cast<unsigned>(source.chunk_bytes / (threads * sizeof(Vector)));
  const Walk walk{source.chunks, strips, kept, step, turns};
  CeilingCandidate candidate;
  candidate.technique = how + ", " + std::to_string(sizeof(Vector)) + "-byte loads, blocks of " +
                        std::to_string(threads) + " walk " +
                        bytes_text(static_cast<double>(source.chunk_bytes)) + ", working set " +
                        bytes_text(static_cast<double>(source.bytes()));
  candidate.amount = static_cast<double>(source.bytes()) * source.passes;
  candidate.working_set_bytes = source.bytes();
  candidate.launch = [source, walk](Stream stream) {
    sweep_kernel<Vector><<<walk.chunks * source.passes, threads, 0, cuda::native(stream)>>>(
        static_cast<const Vector*>(source.data->data()), walk,
        static_cast<unsigned*>(source.sink->data()));
    cuda::check_launch("ceiling read_sweep");
  };
  return candidate;
}

// Steps of the golden section spread the kept chunks evenly among the others.
CeilingCandidate part_kept(const Source& source, unsigned kept) {
  auto step = static_cast<unsigned>(0.618 * source.chunks);
  while (step == 0 || std::gcd(step, source.chunks) != 1) ++step;
  return walk_of<uint2>(source, "half an L2 kept (ld.global.cg), the rest streaming (ld.global.cs)",
                        kept, step, false);
}

// So small that all blocks that run at once lie within a pass over the smallest set of which L2 may
// miss something, as far as chunks can be made that small. Smaller sets hit anyway.
std::size_t chunk_bytes_for(const Device& device, double l2) {
  const double blocks = std::max(ceilings::resident_blocks(device, sweep_kernel<uint2>, threads),
                                 ceilings::resident_blocks(device, sweep_kernel<uint4>, threads));
  std::size_t bytes = largest_chunk;
  while (bytes > smallest_chunk && blocks * static_cast<double>(bytes) > smallest_missed * l2)
    bytes /= 2;
  return bytes;
}

}  // namespace

template <int quarters>
std::vector<CeilingCandidate> prepare_read_sweep(Device& device, DataPattern pattern) {
  if (!device.facts().l2_bytes)
    throw Error(ExitCode::no_device, device.facts().id + " does not tell the size of its L2");
  const auto l2 = static_cast<double>(*device.facts().l2_bytes);
  Source source;
  source.chunk_bytes = chunk_bytes_for(device, l2);
  const auto chunks_in = [&](double share) {
    const double chunks = share * l2 / static_cast<double>(source.chunk_bytes);
    return std::max(1u, static_cast<unsigned>(std::lround(chunks)));
  };
  source.chunks = chunks_in(quarters / 4.0);
  // 32 MiB read by each multiprocessor: half a millisecond and more.
  const double launch_bytes = 32.0 * (1 << 20) * ceilings::multiprocessors(device);
  source.passes = 2 * static_cast<unsigned>(
                          std::ceil(launch_bytes / (2 * static_cast<double>(source.bytes()))));
  source.data = ceilings::input(device, DType::f32,
                                static_cast<std::int64_t>(source.bytes() / sizeof(float)), pattern);
  source.sink = ceilings::sink(device);

  std::vector<CeilingCandidate> candidates;
  candidates.push_back(walk_of<uint2>(source, "forward (ld.global.cg)", source.chunks, 1, false));
  candidates.push_back(
      walk_of<uint2>(source, "there and back (ld.global.cg)", source.chunks, 1, true));
  // The other two only where there is something to evict: a set that L2 holds gains nothing, and
  // these loads may find a line in L1.
  const unsigned kept = chunks_in(kept_share);
  if (kept < source.chunks) {
    candidates.push_back(walk_of<uint4>(source, "streaming (ld.global.cs)", 0, 1, false));
    // The product of a place and the step must fit in 32 bits.
    if (source.chunks < 1u << 16) candidates.push_back(part_kept(source, kept));
  }
  return candidates;
}

// The points that ceilings.cpp lists.
template std::vector<CeilingCandidate> prepare_read_sweep<1>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<2>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<3>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<4>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<5>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<6>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<8>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<16>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<32>(Device&, DataPattern);
template std::vector<CeilingCandidate> prepare_read_sweep<64>(Device&, DataPattern);

}  // namespace gpubench
