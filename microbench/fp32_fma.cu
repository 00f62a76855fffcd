// FP32 multiply-adds. x = x * x + c cannot be folded as an affine recurrence can; with c in
// [-1.9, -1.5] it is chaotic and stays within [-2, 2], so that the values remain normal and varied.
#include "microbench/multiply_add_loop.cuh"
#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

struct Quadratic {
  using Value = float;
  using Constant = float;
  static constexpr char technique[] = "FFMA, x = x * x + c";
  static __device__ float constant(float random) { return -1.7f + 0.2f * random; }
  // Chaos parts the chains within a few dozen steps.
  static __device__ float start(float random) { return random; }
  static __device__ float step(float x, float c) { return __fmaf_rn(x, x, c); }
};

}  // namespace

std::vector<CeilingCandidate> prepare_fp32_fma(Device& device, DataPattern) {
  return ceilings::prepare_multiply_add<Quadratic>(device,
                                                   launch_rate(Pipe::fp32_fma, device.facts()));
}

}  // namespace gpubench
