// The tensor cores on f16 with f32 accumulation through mma.sync of 16 x 8 x 16, the largest there
// is; 7.5 has only k8 and takes two of it. For every architecture but 9.0.
#include "microbench/mma_sync_loop.cuh"
#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

struct Operand : ceilings::MmaTiles {
  using Accumulator = float;
  static constexpr int k = 16;
  static constexpr int capability = 75;
  static constexpr char instruction[] = "m16n8k16 f16";
  static __device__ __forceinline__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[4],
                                                      const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
    for (int half = 0; half < 2; ++half)
      asm volatile(
          "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
          "{%0, %1, %2, %3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input(device, DType::f16, bytes / 2, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_f16_tensor_mma_sync(Device& device, DataPattern pattern) {
  return ceilings::prepare_mma<Operand>(device, pattern,
                                        launch_rate(Pipe::f16_tensor, device.facts()));
}

}  // namespace gpubench
