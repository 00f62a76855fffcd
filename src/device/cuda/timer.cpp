// The order of a sample on the stream, k samples ahead of the host:
//   gate · probe · (sweep) · event · the launches · event · probe · event "done"
// The gate opens when all of it is queued, so that no gap of the host is timed. While the stream
// has earlier samples to run, the gate is open before it is reached, and gate and probes are all
// that breaks the load.
#include "device/cuda/timer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interrupt.hpp"
#include "device/cuda/clock_probe.hpp"
#include "device/cuda/handles.hpp"
#include "device/cuda/support.hpp"
#include "device/cuda/timer_kernels.hpp"

namespace gpubench::cuda {
namespace {

constexpr std::size_t samples_ahead = 4;
constexpr std::uint64_t gate_limit_ns = 2'000'000'000;
// A stream takes about 1024 kernels before a launch waits for it to work some off, which it cannot
// do behind a closed gate. A launch may be several kernels.
constexpr int launches_behind_gate = 128;
constexpr float event_resolution_ms = 0.5e-3f;  // of cudaEventElapsedTime, by its documentation

template <class T>
class MappedArray {
 public:
  explicit MappedArray(std::size_t count) : count_(count) {
    void* data = nullptr;
    check(cudaHostAlloc(&data, count * sizeof(T), cudaHostAllocMapped),
          "allocating pinned memory for the timer");
    data_.reset(static_cast<T*>(data));
    std::fill_n(data_.get(), count, T{});
  }
  // With unified addressing the device uses the same pointer.
  T* data() const { return data_.get(); }
  std::span<T> view() const { return {data_.get(), count_}; }

 private:
  struct Free {
    void operator()(T* data) const { cudaFreeHost(data); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t count_;
};

// `launches` launches as one graph. Null where they cannot be captured: they wait for the device,
// allocate, or work on another stream. What was wrong with the launch itself shows when it is
// launched plainly.
GraphExecHandle capture(const Launch& launch, int launches, Stream stream) {
  check(cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeThreadLocal),
        "beginning a stream capture");
  bool refused = false;
  try {
    for (int i = 0; i < launches; ++i) launch(stream);
  } catch (...) {
    refused = true;  // rethrown by the plain launch that follows, unless it was about the capture
  }
  cudaGraph_t captured = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(native(stream), &captured);
  const GraphHandle graph(captured);
  std::size_t nodes = 0;
  cudaGraphExec_t executable = nullptr;
  const bool usable = !refused && ended == cudaSuccess && captured &&
                      cudaGraphGetNodes(captured, nullptr, &nodes) == cudaSuccess && nodes > 0 &&
                      cudaGraphInstantiate(&executable, captured, 0) == cudaSuccess;
  cudaGetLastError();  // a refused capture leaves its error behind
  GraphExecHandle result(executable);
  if (!usable) return nullptr;
  check(cudaGraphUpload(result.get(), native(stream)), "uploading a graph");
  return result;
}

class EventTimer final : public LaunchTimer {
 public:
  EventTimer(TimerDevice device, Launch launch, const TimerOptions& options)
      : device_(std::move(device)),
        launch_(std::move(launch)),
        options_(options),
        gate_(1),
        stamps_(2 * samples_ahead * static_cast<std::size_t>(device_.multiprocessors)) {
    if (options.launches_per_sample < 1)
      throw std::invalid_argument("a sample has at least one launch");
    if (options.cache == CacheMode::cold && options.launches_per_sample != 1)
      throw std::invalid_argument("a cold sample is one launch");
    load_timer_kernels();
    hold_ = options.submission != Submission::blocking && holding_is_safe();
    if (options.submission == Submission::graph && options.launches_per_sample > 1)
      graph_ = capture(launch_, options.launches_per_sample, device_.stream);
    const auto probe = static_cast<std::size_t>(device_.multiprocessors);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].first = stamps_.view().subspan(2 * i * probe, probe);
      slots_[i].last = stamps_.view().subspan((2 * i + 1) * probe, probe);
    }
  }
  ~EventTimer() override { drain(); }

  std::vector<Sample> run(int samples) override {
    const auto wanted = static_cast<std::size_t>(std::max(samples, 0));
    std::vector<Sample> taken;
    taken.reserve(wanted);
    try {
      std::size_t queued = 0;
      std::size_t collected = 0;
      while (taken.size() < wanted) {
        check_interrupt();
        while (queued - collected < slots_.size() && taken.size() + (queued - collected) < wanted)
          queue(slots_[queued++ % slots_.size()]);
        if (const auto sample = collect(slots_[collected++ % slots_.size()]))
          taken.push_back(*sample);
      }
    } catch (...) {
      drain();
      throw;
    }
    return taken;
  }

  std::string_view clock() const override { return "cuda_event"; }

 private:
  struct Slot {
    EventHandle begin = make_event(cudaEventDefault);
    EventHandle end = make_event(cudaEventDefault);
    EventHandle done = make_event(cudaEventDisableTiming);
    std::span<ClockStamp> first, last;  // of the probes before and after
    bool gated = false;
  };

  void queue(Slot& slot) {
    hold_ = hold_ && !gate_gave_up();
    slot.gated = hold_;
    if (hold_) launch_gate(gate_.data(), ++gate_number_, gate_limit_ns, device_.stream);
    launch_probe(slot.first.data(), device_.multiprocessors, device_.stream);
    if (options_.cache == CacheMode::cold)
      launch_sweep(device_.sweep_data, device_.sweep_bytes, device_.multiprocessors,
                   device_.stream);
    record(slot.begin);
    if (graph_) {
      check(cudaGraphLaunch(graph_.get(), native(device_.stream)),
            "launching a graph on " + device_.id);
    } else {
      for (int i = 0; i < options_.launches_per_sample; ++i) {
        if (i == launches_behind_gate) open_gate();
        launch_(device_.stream);
      }
    }
    record(slot.end);
    launch_probe(slot.last.data(), device_.multiprocessors, device_.stream);
    record(slot.done);
    open_gate();
  }

  // Nothing where the gate gave up, since its wait may be in the sample. No later sample has a
  // gate.
  std::optional<Sample> collect(Slot& slot) {
    check(cudaEventSynchronize(slot.done.get()), "timing on " + device_.id);
    if (slot.gated && gate_gave_up()) return std::nullopt;
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, slot.begin.get(), slot.end.get()),
          "reading the events of a sample on " + device_.id);
    Sample sample;
    if (milliseconds > event_resolution_ms)
      sample.seconds_per_launch =
          static_cast<double>(milliseconds) * 1e-3 / options_.launches_per_sample;
    sample.sm_clock_hz = clock_between(slot.first, slot.last);
    return sample;
  }

  void record(const EventHandle& event) {
    check(cudaEventRecord(event.get(), native(device_.stream)),
          "recording an event on " + device_.id);
  }

  bool gate_gave_up() const { return std::atomic_ref(gate_.data()->gave_up).load() != 0; }

  void open_gate() {
    std::atomic_ref(gate_.data()->opened).store(gate_number_, std::memory_order_release);
  }

  // Before events and pinned memory go, what uses them must have ended; its errors were reported,
  // or are found by the next call.
  void drain() noexcept {
    open_gate();
    cudaStreamSynchronize(native(device_.stream));
  }

  TimerDevice device_;
  Launch launch_;
  TimerOptions options_;
  MappedArray<GateState> gate_;
  MappedArray<ClockStamp> stamps_;
  std::uint64_t gate_number_ = 0;
  bool hold_ = false;
  GraphExecHandle graph_;
  std::array<Slot, samples_ahead> slots_;
};

}  // namespace

std::unique_ptr<LaunchTimer> make_timer(const TimerDevice& device, Launch launch,
                                        const TimerOptions& options) {
  return std::make_unique<EventTimer>(device, std::move(launch), options);
}

}  // namespace gpubench::cuda
