// 32-bit integer multiply-adds (IMAD), two operations each. They run at half the rate of FFMA;
// three- input additions (IADD3), on a pipe of their own, come to as many operations a clock.
//
// x = x * x + c would settle on a short cycle (modulo powers of two it contracts); x = x * a + c
// with a % 4 == 1 and odd c visits all 2^32 values. It is affine, so the instruction is written
// out, which no compiler looks into.
#include "microbench/multiply_add_loop.cuh"
#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

struct Congruential {
  using Value = std::uint32_t;
  struct Constant {
    std::uint32_t a;
    std::uint32_t c;
  };
  static constexpr char technique[] = "IMAD, x = x * a + c";
  static __device__ std::uint32_t bits(float random) {
    return static_cast<std::uint32_t>(mix64(__float_as_uint(random)) >> 32);
  }
  static __device__ Constant constant(float random) {
    return {bits(random) << 2 | 1, bits(random) | 1};
  }
  static __device__ std::uint32_t start(float random) { return bits(random); }
  static __device__ std::uint32_t step(std::uint32_t x, Constant constant) {
    asm("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(constant.a), "r"(constant.c));
    return x;
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_int32(Device& device, DataPattern) {
  return ceilings::prepare_multiply_add<Congruential>(device,
                                                      launch_rate(Pipe::int32, device.facts()));
}

}  // namespace gpubench
