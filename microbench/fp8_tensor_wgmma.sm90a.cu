// Hopper's tensor cores on fp8 (e4m3, the format of inference and of the forward pass; e5m2 runs at
// the same rate) with f32 accumulation: m64n256k32, twice f16's rate.
#include "microbench/byte_input.cuh"
#include "microbench/specs.hpp"
#include "microbench/wgmma_loop.cuh"

namespace gpubench {
namespace {

struct Operand {
  using Accumulator = float;
  static constexpr int k = 32;
  static constexpr char instruction[] = "m64n256k32 e4m3";
  template <class A>
  static __device__ void multiply(Accumulator (&d)[128], const A& a, std::uint64_t b,
                                  int accumulate) {
    ptx::wgmma_m64n256k32_e4m3(d, a, b, accumulate);
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input_e4m3(device, bytes, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_fp8_tensor_wgmma(Device& device, DataPattern pattern) {
  return ceilings::prepare_wgmma<Operand>(device, pattern);
}

}  // namespace gpubench
