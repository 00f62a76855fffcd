// The tensor cores on signed bytes with s32 accumulation through mma.sync of 16 x 8 x 32, the
// largest there is; 7.5 has only 8 x 8 x 16 and takes four of it. A sum of 4096 products of at most
// 127 x 127 stays below 2^26. For every architecture but 9.0.
#include "microbench/byte_input.cuh"
#include "microbench/mma_sync_loop.cuh"
#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

struct Operand : ceilings::MmaTiles {
  using Accumulator = std::int32_t;
  static constexpr int k = 32;
  static constexpr int capability = 75;
  static constexpr char instruction[] = "m16n8k32 s8";
  static __device__ __forceinline__ void multiply_add(std::int32_t (&d)[4],
                                                      const std::uint32_t (&a)[4],
                                                      const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
        "%9}, "
        "{%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
    for (int quarter = 0; quarter < 4; ++quarter)  // of rows, then of K
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                   : "+r"(d[quarter % 2 * 2]), "+r"(d[quarter % 2 * 2 + 1])
                   : "r"(a[quarter]), "r"(b[quarter / 2]));
#endif
  }
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input_s8(device, bytes, pattern);
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_int8_tensor_mma_sync(Device& device, DataPattern pattern) {
  return ceilings::prepare_mma<Operand>(device, pattern,
                                        launch_rate(Pipe::int8_tensor, device.facts()));
}

}  // namespace gpubench
