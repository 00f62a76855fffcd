// The rate of both directions of the bus at once, bytes of both together. Its links carry each
// direction by itself, but the host's memory and the requests that go against the stream of data
// take their part. Each direction needs a stream, and a copy engine, of its own: one of them forks
// from the launch's stream and joins it again, so that a launch can be timed and captured like any
// other.
#include "device/cuda/handles.hpp"
#include "microbench/pcie.cuh"
#include "microbench/specs.hpp"

namespace gpubench {
namespace {

cuda::StreamHandle make_stream() {
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  return cuda::StreamHandle(stream);
}

void order(cudaStream_t earlier, const cuda::EventHandle& event, cudaStream_t later) {
  cuda::check(cudaEventRecord(event.get(), earlier), "recording an event");
  cuda::check(cudaStreamWaitEvent(later, event.get(), 0), "waiting for an event");
}

// Made once; launches create nothing.
struct BothWays {
  explicit BothWays(Device& device) : in(device), out(device) {}
  ceilings::BusBuffers in, out;
  cuda::StreamHandle back = make_stream();
  cuda::EventHandle fork = cuda::make_event(cudaEventDisableTiming);
  cuda::EventHandle join = cuda::make_event(cudaEventDisableTiming);
};

}  // namespace

std::vector<CeilingCandidate> prepare_pcie_bidirectional(Device& device, DataPattern) {
  CeilingCandidate candidate;
  candidate.technique =
      "cudaMemcpyAsync of 256 MiB from and 256 MiB to page-locked memory on two streams";
  candidate.amount = 2.0 * static_cast<double>(ceilings::BusBuffers::bytes);
  candidate.working_set_bytes = 2 * ceilings::BusBuffers::bytes;
  candidate.launch = [both = std::make_shared<BothWays>(device)](Stream launch_stream) {
    const cudaStream_t stream = cuda::native(launch_stream);
    order(stream, both->fork, both->back.get());
    ceilings::copy_to_device(both->in, stream);
    ceilings::copy_to_host(both->out, both->back.get());
    order(both->back.get(), both->join, stream);
  };
  std::vector<CeilingCandidate> candidates;
  candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace gpubench
