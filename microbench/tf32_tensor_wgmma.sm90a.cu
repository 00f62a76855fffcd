// Hopper's tensor cores on tf32 with f32 accumulation: m64n256k8, half of f16's rate. The operands
// are f32 words, of which the instruction reads the upper 19 bits: no conversion, as in a library's
// product.
#include "microbench/specs.hpp"
#include "microbench/wgmma_loop.cuh"

namespace gpubench {
namespace {

struct Operand {
  using Accumulator = float;
  static constexpr int k = 8;
  static constexpr char instruction[] = "m64n256k8 tf32";
  template <class A>
  static __device__ void multiply(Accumulator (&d)[128], const A& a, std::uint64_t b,
                                  int accumulate) {
    ptx::wgmma_m64n256k8_tf32(d, a, b, accumulate);
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input(device, DType::f32, bytes / 4, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_tf32_tensor_wgmma(Device& device, DataPattern pattern) {
  return ceilings::prepare_wgmma<Operand>(device, pattern);
}

}  // namespace gpubench
