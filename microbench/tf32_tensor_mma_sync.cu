// The tensor cores on tf32 with f32 accumulation through mma.sync of 16 x 8 x 8, the largest there
// is, from 8.0 on. The operands are f32 words, whose lower 13 bits are not looked at. For every
// architecture but 9.0.
#include "microbench/mma_sync_loop.cuh"
#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

struct Operand : ceilings::MmaTiles {
  using Accumulator = float;
  static constexpr int k = 8;
  static constexpr int capability = 80;
  static constexpr char instruction[] = "m16n8k8 tf32";
  static __device__ __forceinline__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[4],
                                                      const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input(device, DType::f32, bytes / 4, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_tf32_tensor_mma_sync(Device& device, DataPattern pattern) {
  return ceilings::prepare_mma<Operand>(device, pattern,
                                        launch_rate(Pipe::tf32_tensor, device.facts()));
}

}  // namespace gpubench
