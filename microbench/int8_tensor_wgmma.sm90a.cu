// Hopper's tensor cores on signed bytes with s32 accumulation: m64n256k32, twice f16's rate. A sum
// of 4096 products of at most 127 x 127 stays below 2^26.
#include "microbench/byte_input.cuh"
#include "microbench/specs.hpp"
#include "microbench/wgmma_loop.cuh"

namespace gpubench {
namespace {

struct Operand {
  using Accumulator = std::int32_t;
  static constexpr int k = 32;
  static constexpr char instruction[] = "m64n256k32 s8";
  template <class A>
  static __device__ void multiply(Accumulator (&d)[128], const A& a, std::uint64_t b,
                                  int accumulate) {
    ptx::wgmma_m64n256k32_s8(d, a, b, accumulate);
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input_s8(device, bytes, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_int8_tensor_wgmma(Device& device, DataPattern pattern) {
  return ceilings::prepare_wgmma<Operand>(device, pattern);
}

}  // namespace gpubench
