// FP64 multiply-adds on the ordinary cores (f64_tensor has the tensor cores'). The recurrence is
// that of fp32_fma, in double.
#include "microbench/multiply_add_loop.cuh"
#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

struct Quadratic {
  using Value = double;
  using Constant = double;
  static constexpr char technique[] = "DFMA, x = x * x + c";
  static __device__ double constant(float random) { return -1.7 + 0.2 * random; }
  static __device__ double start(float random) { return random; }
  static __device__ double step(double x, double c) { return __fma_rn(x, x, c); }
};

}  // namespace

std::vector<CeilingCandidate> prepare_fp64_fma(Device& device, DataPattern) {
  return ceilings::prepare_multiply_add<Quadratic>(device,
                                                   launch_rate(Pipe::fp64_fma, device.facts()));
}

}  // namespace gpubench
