// The rate at which L2 takes writes. L1 writes everything through, so plain stores will do. The
// working set stays a third of L2 and less, and is overwritten again and again: its lines are dirty
// but nothing forces them out, so that memory sees next to nothing of it. Whole lines are written:
// nothing is read to complete them.
//
// As for l2_read, a block of 1024 threads walks a chunk of 512 KiB in coalesced strips, and blocks
// are dealt round-robin to the chunks, one further each round. The candidates differ in the width
// of a store and in the share of L2 that is dirty, since a cache may begin to clean itself early.
#include <algorithm>
#include <string>

#include "microbench/specs.hpp"
#include "microbench/support.cuh"

namespace gpubench {
namespace {

constexpr int threads = 1024;
constexpr std::int64_t chunk_bytes = 512 << 10;
constexpr int blocks_per_multiprocessor = 150;  // 75 MiB written by each: about 2 ms

template <class Vector>
__global__ void __launch_bounds__(threads)
    l2_write_kernel(Vector* data, const Vector* values, unsigned chunks) {
  constexpr unsigned strips = chunk_bytes / (threads * sizeof(Vector));
  const unsigned round = blockIdx.x / chunks;
  const unsigned chunk = (blockIdx.x + round) % chunks;
  const Vector value = values[threadIdx.x];
  // The working set is below 2^31 bytes.
  Vector* mine = data + chunk * strips * threads + threadIdx.x;
#pragma unroll
  for (unsigned strip = 0; strip < strips; ++strip) mine[strip * threads] = value;
}

struct Target {
  std::shared_ptr<Memory> data;
  std::shared_ptr<Memory> values;  // 16 bytes a thread
};

template <class Vector>
CeilingCandidate candidate_of(const Device& device, const Target& target, std::int64_t chunks) {
  const auto blocks = static_cast<unsigned>(ceilings::multiprocessors(device)) *
                      static_cast<unsigned>(blocks_per_multiprocessor);
  CeilingCandidate candidate;
  candidate.technique = "blocks of 1024 walk 512 KiB, " + std::to_string(sizeof(Vector)) +
                        "-byte stores (st.global), working set " +
                        std::to_string(chunks * chunk_bytes >> 10) + " KiB";
  candidate.working_set_bytes = static_cast<std::size_t>(chunks * chunk_bytes);
  candidate.amount = static_cast<double>(chunk_bytes) * blocks;
  candidate.launch = [target, blocks, chunks](Stream stream) {
    l2_write_kernel<Vector><<<blocks, threads, 0, cuda::native(stream)>>>(
        static_cast<Vector*>(target.data->data()),
        static_cast<const Vector*>(target.values->data()), static_cast<unsigned>(chunks));
    cuda::check_launch("ceiling l2_write");
  };
  return candidate;
}

}  // namespace

std::vector<CeilingCandidate> prepare_l2_write(Device& device, DataPattern pattern) {
  if (!device.facts().l2_bytes)
    throw Error(ExitCode::no_device, device.facts().id + " does not tell the size of its L2");
  const auto chunks_in = [&](std::int64_t part) {
    return std::max<std::int64_t>(1, *device.facts().l2_bytes / part / chunk_bytes);
  };
  const std::int64_t large = chunks_in(3), small = chunks_in(6);
  const Target target{
      ceilings::input(device, DType::f32, large * chunk_bytes / 4, DataPattern::zeros),
      ceilings::input(device, DType::f32, std::int64_t{threads} * 4, pattern)};
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(candidate_of<uint4>(device, target, large));
  candidates.push_back(candidate_of<uint4>(device, target, small));
  candidates.push_back(candidate_of<uint2>(device, target, large));
  return candidates;
}

}  // namespace gpubench
