// The tensor cores on fp8 (e4m3) with f32 accumulation through mma.sync of 16 x 8 x 32, from 8.9
// on. For every architecture but 9.0. The instruction came to 8.9 with PTX 8.4, that is CUDA 12.4.
#include "microbench/byte_input.cuh"
#include "microbench/mma_sync_loop.cuh"
#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

struct Operand : ceilings::MmaTiles {
  using Accumulator = float;
  static constexpr int k = 32;
  static constexpr int capability = 89;
  static constexpr char instruction[] = "m16n8k32 e4m3";
  static __device__ __forceinline__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[4],
                                                      const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890 && CUDART_VERSION >= 12040
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input_e4m3(device, bytes, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_fp8_tensor_mma_sync(Device& device, DataPattern pattern) {
  if constexpr (CUDART_VERSION < 12040)
    throw Error(ExitCode::no_device,
                "needs a gpubench built with CUDA 12.4 or newer; this one was built with " +
                    std::to_string(CUDART_VERSION / 1000) + "." +
                    std::to_string(CUDART_VERSION % 1000 / 10));
  return ceilings::prepare_mma<Operand>(device, pattern,
                                        launch_rate(Pipe::fp8_tensor, device.facts()));
}

}  // namespace gpubench
