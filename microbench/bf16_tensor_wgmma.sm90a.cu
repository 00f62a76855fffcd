// Hopper's tensor cores on bf16 with f32 accumulation (no other is offered): m64n256k16, as for
// f16. The rate a clock is that of f16; the shorter significand takes less power, so under a power
// limit the clock, and with it the rate, may be higher.
#include "microbench/specs.hpp"
#include "microbench/wgmma_loop.cuh"

namespace gpubench {
namespace {

struct Operand {
  using Accumulator = float;
  static constexpr int k = 16;
  static constexpr char instruction[] = "m64n256k16 bf16";
  template <class A>
  static __device__ void multiply(Accumulator (&d)[128], const A& a, std::uint64_t b,
                                  int accumulate) {
    ptx::wgmma_m64n256k16_bf16(d, a, b, accumulate);
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input(device, DType::bf16, bytes / 2, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_bf16_tensor_wgmma(Device& device, DataPattern pattern) {
  return ceilings::prepare_wgmma<Operand>(device, pattern);
}

}  // namespace gpubench
