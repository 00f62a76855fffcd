// Hopper's tensor cores on f16 with f32 accumulation, as a product that keeps its precision uses
// them: m64n256k16, the widest there is, so that a row of A is read for the most columns of B.
#include "microbench/specs.hpp"
#include "microbench/wgmma_loop.cuh"

namespace gpubench {
namespace {

struct Operand {
  using Accumulator = float;
  static constexpr int k = 16;
  static constexpr char instruction[] = "m64n256k16 f16";
  template <class A>
  static __device__ void multiply(Accumulator (&d)[128], const A& a, std::uint64_t b,
                                  int accumulate) {
    ptx::wgmma_m64n256k16_f16(d, a, b, accumulate);
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input(device, DType::f16, bytes / 2, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_f16_tensor_wgmma(Device& device, DataPattern pattern) {
  return ceilings::prepare_wgmma<Operand>(device, pattern);
}

}  // namespace gpubench
