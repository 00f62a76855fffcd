// Idea: page-locked memory is read and written by the device's copy engines at the full rate of the
// bus, in both directions at once; chunks that alternate between two streams keep all of them busy.
//
// Predecessor: pageable_sync. No copy through the driver's buffer, and one chunk is copied in while
// its neighbour is added and copied out: the trip shrinks to the slowest direction plus one chunk.
//
// Bound: the bus towards the device, which carries a and b, 8 of the 12 bytes an element. Coming
// back takes half as long, so two streams are enough: one chunk is out before its neighbour is in.
//
// Shapes: every n up to the parameter's limit, any number of chunks; empty ones are left out.
#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "device/cuda/support.hpp"
#include "kernels/streams/problem.hpp"
#include "kernels/streams/staging.hpp"
#include "kernels/vector_add/add.hpp"

namespace gpubench::streams {

namespace {

// Results of destroying are not looked at: at the end of the process the runtime may be gone
// already.
class SideStream {
 public:
  SideStream() {
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() { cudaStreamDestroy(stream_); }
  Stream get() const { return {stream_}; }

 private:
  cudaStream_t stream_ = nullptr;
};

class OrderEvent {
 public:
  OrderEvent() {
    cuda::check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event");
  }
  OrderEvent(const OrderEvent&) = delete;
  OrderEvent& operator=(const OrderEvent&) = delete;
  ~OrderEvent() { cudaEventDestroy(event_); }
  // What is queued on `later` from now on runs after what is queued on `earlier` so far.
  void order(Stream earlier, Stream later) {
    cuda::check(cudaEventRecord(event_, cuda::native(earlier)), "recording an event");
    cuda::check(cudaStreamWaitEvent(cuda::native(later), event_, 0), "waiting for an event");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Two streams of one device that fork from a given stream and join it again.
struct Pipeline {
  static constexpr std::size_t width = 2;
  std::array<SideStream, width> streams;
  std::array<OrderEvent, width> forks;
  std::array<OrderEvent, width> joins;

  void fork(Stream from) {
    for (std::size_t i = 0; i < width; ++i) forks[i].order(from, streams[i].get());
  }
  void join(Stream to) {
    for (std::size_t i = 0; i < width; ++i) joins[i].order(streams[i].get(), to);
  }
};

// While it lives, a capture under way on this thread forbids no call: the first launch may be
// captured, and what it creates is not part of the graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { exchange(); }

 private:
  void exchange() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// The current device's pipeline, made by the first launch on it and kept, so that later launches
// create nothing.
Pipeline& pipeline() {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<Pipeline>> pipelines;
  int device = 0;
  cuda::check(cudaGetDevice(&device), "asking for the current device");
  const std::lock_guard lock(mutex);
  std::unique_ptr<Pipeline>& entry = pipelines[device];
  if (!entry) {
    const RelaxedCapture relaxed;
    entry = std::make_unique<Pipeline>();
  }
  return *entry;
}

template <class AddChunk>
void run_pipeline(const Problem& p, const Buffers& buffers, Stream stream, AddChunk add_chunk) {
  const Staging device = staging(p, buffers);
  const float* a = buffers.input<float>(0);
  const float* b = buffers.input<float>(1);
  float* c = buffers.out<float>();
  Pipeline& lanes = pipeline();

  lanes.fork(stream);
  for (std::int64_t k = 0; k < p.chunks; ++k) {
    const auto [begin, count] = chunk(p, k);
    if (count == 0) continue;
    const Stream lane = lanes.streams[static_cast<std::size_t>(k) % Pipeline::width].get();
    const cudaStream_t queue = cuda::native(lane);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    cuda::check(cudaMemcpyAsync(device.a + begin, a + begin, bytes, cudaMemcpyHostToDevice, queue),
                "copying a chunk of a to the device");
    cuda::check(cudaMemcpyAsync(device.b + begin, b + begin, bytes, cudaMemcpyHostToDevice, queue),
                "copying a chunk of b to the device");
    add_chunk(device, begin, count, lane);
    cuda::check(cudaMemcpyAsync(c + begin, device.c + begin, bytes, cudaMemcpyDeviceToHost, queue),
                "copying a chunk of c to the host");
  }
  lanes.join(stream);
}

void add_chunk(const Staging& device, std::int64_t begin, std::int64_t count, Stream stream) {
  vector_add::add(device.a + begin, device.b + begin, device.c + begin, count, stream);
}

}  // namespace

void launch_pinned_two_streams(const Problem& p, const Buffers& buffers, Stream stream) {
  run_pipeline(p, buffers, stream, add_chunk);
}

// The same pipeline without its kernels: c leaves the device as the last whole launch left it
// there.
void launch_pinned_two_streams_transfers(const Problem& p, const Buffers& buffers, Stream stream) {
  run_pipeline(p, buffers, stream, [](const Staging&, std::int64_t, std::int64_t, Stream) {});
}

// The kernels alone, chunk by chunk.
void launch_pinned_two_streams_add(const Problem& p, const Buffers& buffers, Stream stream) {
  const Staging device = staging(p, buffers);
  for (std::int64_t k = 0; k < p.chunks; ++k) {
    const auto [begin, count] = chunk(p, k);
    if (count > 0) add_chunk(device, begin, count, stream);
  }
}

}  // namespace gpubench::streams
