#include <array>
#include <cstdint>
#include <utility>

#include "device/cuda/support.hpp"
#include "device/cuda/timer_kernels.hpp"

namespace gpubench::cuda {

// Not in the nameless namespace: owner() knows them by their names.
namespace timer_kernels {
namespace {

__device__ std::uint64_t global_nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

__device__ std::uint32_t multiprocessor_id() {
  std::uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

}  // namespace

__global__ void gate(volatile GateState* state, std::uint64_t number, std::uint64_t limit_ns) {
  const std::uint64_t start = global_nanoseconds();
  while (state->opened < number) {
    if (global_nanoseconds() - start > limit_ns) {
      state->gave_up = number;
      return;
    }
    __nanosleep(200);
  }
}

// Waiting for %globaltimer to tick (32 ns to about 1 us, by device) puts both clocks at the same
// instant to within one turn of the loop. The wait is bounded in cycles, where the timer should not
// tick at all.
__global__ void probe(ClockStamp* stamps) {
  if (threadIdx.x != 0) return;
  constexpr long long most_cycles = 10000;
  const long long start = clock64();
  const std::uint64_t before = global_nanoseconds();
  std::uint64_t now = before;
  long long cycles = start;
  while (now == before && cycles - start < most_cycles) {
    now = global_nanoseconds();
    cycles = clock64();
  }
  ClockStamp stamp;
  stamp.cycles = static_cast<std::uint64_t>(cycles);
  stamp.nanoseconds = now;
  stamp.tick = static_cast<std::uint32_t>(now - before);
  stamp.multiprocessor = multiprocessor_id();
  stamps[blockIdx.x] = stamp;
}

__global__ void sweep(const uint4* data, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::uint32_t seen = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const uint4 value = __ldcg(data + i);
    seen |= value.x | value.y | value.z | value.w;
  }
  // The memory holds zeros: this keeps the loads and never writes.
  if (seen != 0) *const_cast<std::uint32_t*>(reinterpret_cast<const std::uint32_t*>(data)) = 0;
}

}  // namespace timer_kernels

namespace {

using namespace timer_kernels;

void load(const void* kernel, std::string_view what) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), what);
}

}  // namespace

ActivityRecord::Of owner(std::string_view mangled_name) {
  using Of = ActivityRecord::Of;
  // gpubench::cuda::timer_kernels:: in the Itanium C++ ABI, which nvcc follows on Linux.
  constexpr std::string_view scope = "_ZN8gpubench4cuda13timer_kernels";
  constexpr std::array<std::pair<std::string_view, Of>, 3> kernels{
      {{"4gateE", Of::gate}, {"5probeE", Of::probe}, {"5sweepE", Of::sweep}}};
  if (!mangled_name.starts_with(scope)) return Of::launch;
  mangled_name.remove_prefix(scope.size());
  for (const auto& [name, of] : kernels)
    if (mangled_name.starts_with(name)) return of;
  return Of::launch;
}

void load_timer_kernels() {
  load(reinterpret_cast<const void*>(&gate), "loading the timer's gate kernel");
  load(reinterpret_cast<const void*>(&probe), "loading the timer's clock probe kernel");
  load(reinterpret_cast<const void*>(&sweep), "loading the timer's L2 sweep kernel");
}

void launch_gate(GateState* state, std::uint64_t number, std::uint64_t limit_ns, Stream stream) {
  gate<<<1, 1, 0, native(stream)>>>(state, number, limit_ns);
  check_launch("the timer's gate");
}

void launch_probe(ClockStamp* stamps, int multiprocessors, Stream stream) {
  probe<<<static_cast<unsigned int>(multiprocessors), 32, 0, native(stream)>>>(stamps);
  check_launch("the timer's clock probe");
}

void launch_sweep(const void* data, std::size_t bytes, int multiprocessors, Stream stream) {
  constexpr int threads = 512;
  sweep<<<static_cast<unsigned int>(multiprocessors) * 4, threads, 0, native(stream)>>>(
      static_cast<const uint4*>(data), static_cast<std::int64_t>(bytes / sizeof(uint4)));
  check_launch("the timer's L2 sweep");
}

}  // namespace gpubench::cuda
