// The rate at which L2 is read. The working set is a third or two fifths of L2: small enough that
// nothing misses, even where each half of L2 keeps its own copy of a line, and the loads skip L1
// (ld.global.cg), so that nothing hits there. It is cut into chunks of 512 KiB; a block of 1024
// threads walks one chunk in coalesced strips. Blocks are dealt round-robin to the chunks, one
// further each round, and there are so many of them that the ragged end does not count.
//
// Which loads (8 or 16 bytes) spread best over the slices differs between devices: the trial finds
// out. (Dealing a chunk's strips out over the whole set gave 1.7 % less on an H200.)
#include <algorithm>
#include <string>

#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

constexpr int threads = 1024;
constexpr std::int64_t chunk_bytes = 512 << 10;
constexpr int blocks_per_multiprocessor = 300;  // 150 MiB read by each: about 2 ms

// Two blocks a multiprocessor, where it holds that many threads: one would leave it idle at its
// ends.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 900) && __CUDA_ARCH__ < 1200
constexpr int blocks_at_least = 2;
#else
constexpr int blocks_at_least = 1;
#endif

template <class Vector>
__global__ void __launch_bounds__(threads, blocks_at_least)
    l2_kernel(const Vector* data, unsigned chunks, unsigned* sink) {
  constexpr unsigned strips = chunk_bytes / (threads * sizeof(Vector));
  const unsigned round = blockIdx.x / chunks;
  const unsigned chunk = (blockIdx.x + round) % chunks;
  // In strips of one load a thread; the working set is below 2^31 bytes.
  const Vector* mine = data + chunk * strips * threads + threadIdx.x;
  // All strips unrolled; of wide loads as many as the registers hold.
  constexpr int unrolled = sizeof(Vector) == 16 ? 4 : static_cast<int>(strips);
  unsigned bits = 0;
#pragma unroll unrolled
  for (unsigned strip = 0; strip < strips; ++strip)
    bits ^= ceilings::fold(__ldcg(mine + strip * threads));
  ceilings::consume(bits, sink);
}

template <class Vector>
CeilingCandidate candidate_of(const Device& device, std::shared_ptr<Memory> data,
                              std::shared_ptr<Memory> sink, std::int64_t chunks) {
  const auto blocks = static_cast<unsigned>(ceilings::multiprocessors(device)) *
                      static_cast<unsigned>(blocks_per_multiprocessor);
  CeilingCandidate candidate;
  candidate.technique = "blocks of 1024 walk 512 KiB, " + std::to_string(sizeof(Vector)) +
                        "-byte loads (ld.global.cg), working set " +
                        std::to_string(chunks * chunk_bytes >> 10) + " KiB";
  candidate.working_set_bytes = static_cast<std::size_t>(chunks * chunk_bytes);
  candidate.amount = static_cast<double>(chunk_bytes) * blocks;
  candidate.launch = [data, sink, blocks, chunks](Stream stream) {
    l2_kernel<Vector><<<blocks, threads, 0, cuda::native(stream)>>>(
        static_cast<const Vector*>(data->data()), static_cast<unsigned>(chunks),
        static_cast<unsigned*>(sink->data()));
    cuda::check_launch("ceiling l2_read");
  };
  return candidate;
}

}  // namespace

std::vector<CeilingCandidate> prepare_l2_read(Device& device, DataPattern pattern) {
  if (!device.facts().l2_bytes)
    throw Error(ExitCode::no_device, device.facts().id + " does not tell the size of its L2");
  const auto chunks_in = [&](double share) {
    const double chunks = share * static_cast<double>(*device.facts().l2_bytes) / chunk_bytes;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(chunks));
  };
  const std::int64_t small = chunks_in(1.0 / 3);
  const std::int64_t large = chunks_in(2.0 / 5);
  const auto data = ceilings::input(
      device, DType::f32, large * chunk_bytes / static_cast<std::int64_t>(sizeof(float)), pattern);
  const auto sink = ceilings::sink(device);
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(candidate_of<uint2>(device, data, sink, small));
  candidates.push_back(candidate_of<uint2>(device, data, sink, large));
  candidates.push_back(candidate_of<uint4>(device, data, sink, small));
  return candidates;
}

}  // namespace gpubench
