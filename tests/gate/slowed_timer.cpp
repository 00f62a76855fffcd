// The program's slowed twin, for judging the gate: what it times takes GPUBENCH_SLOWED_PERCENT
// longer, and nothing else differs. The linker puts this in front of the program's own timer
// (--wrap).
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/cuda/handles.hpp"
#include "device/cuda/support.hpp"
#include "device/cuda/timer.hpp"
#include "tests/gate/spin.hpp"

namespace gpubench::cuda {

std::unique_ptr<LaunchTimer> real_make_timer(const TimerDevice&, Launch, const TimerOptions&) asm(
    "__real_" GPUBENCH_MAKE_TIMER);
std::unique_ptr<LaunchTimer> slowed_make_timer(const TimerDevice&, Launch, const TimerOptions&) asm(
    "__wrap_" GPUBENCH_MAKE_TIMER);

namespace {

double slowed_share() {
  const char* text = std::getenv("GPUBENCH_SLOWED_PERCENT");
  const auto percent = parse_number(text ? text : "");
  if (!percent || !(*percent > 0))
    throw Error(ExitCode::usage, "GPUBENCH_SLOWED_PERCENT says how many percent slower, above 0");
  return *percent / 100;
}

struct Scratch {
  std::uint64_t mark;
  float sink;
};

std::shared_ptr<Scratch> scratch() {
  void* data = nullptr;
  check(cudaMalloc(&data, sizeof(Scratch)), "allocating the mark of a slowed twin");
  return {static_cast<Scratch*>(data), [](Scratch* pointer) { cudaFree(pointer); }};
}

}  // namespace

// The launches of a sample, and behind the last one a spin as long as a share of what they took:
// one spin a sample, since a kernel of its own behind each launch of 2 us would cost more than the
// share.
std::unique_ptr<LaunchTimer> slowed_make_timer(const TimerDevice& device, Launch launch,
                                               const TimerOptions& options) {
  const double share = slowed_share();
  const int launches = options.launches_per_sample;
  const int multiprocessors = device.multiprocessors;
  Launch slowed = [launch = std::move(launch), memory = scratch(), share, launches, multiprocessors,
                   queued = 0](Stream stream) mutable {
    if (queued == 0) gate::launch_mark(&memory->mark, stream);
    launch(stream);
    queued = (queued + 1) % launches;
    if (queued == 0)
      gate::launch_prolong(&memory->mark, share, multiprocessors, &memory->sink, stream);
  };
  return real_make_timer(device, std::move(slowed), options);
}

}  // namespace gpubench::cuda
