// The tensor cores on f64 through mma.sync, which is how 9.0 takes them too (wgmma has no f64). 8.0
// and 9.0 have them at full rate; where the unit is missing, from 8.6 on, the instruction runs at
// the rate of the few f64 cores. 8.0 has 8 x 8 x 4, and 9.0 also 16 x 8 with k of 4, 8 and 16: the
// larger, the fewer reads of registers an operation.
#include "microbench/mma_sync_loop.cuh"
#include "microbench/specs.hpp"
#include "roofline/theoretical.hpp"

namespace gpubench {
namespace {

struct Tiles {
  using Register = double;
  using Accumulator = double;
  static std::shared_ptr<Memory> input(Device& device, std::size_t bytes, DataPattern pattern) {
    return ceilings::input(device, DType::f64, bytes / 8, pattern);
  }
};

struct M8n8k4 : Tiles {
  static constexpr int m = 8;
  static constexpr int n = 8;
  static constexpr int k = 4;
  static constexpr int a_registers = 1;
  static constexpr int b_registers = 1;
  static constexpr int d_registers = 2;
  static constexpr int a_tiles = 4;
  static constexpr int b_tiles = 4;
  static constexpr int slices = 4;
  static constexpr int capability = 80;
  static constexpr char instruction[] = "m8n8k4 f64";
  static __device__ __forceinline__ void multiply_add(double (&d)[2], const double (&a)[1],
                                                      const double (&b)[1]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a[0]), "d"(b[0]));
#endif
  }
};

struct WideTiles : Tiles {
  static constexpr int m = 16;
  static constexpr int n = 8;
  static constexpr int d_registers = 4;
  static constexpr int a_tiles = 2;
  static constexpr int b_tiles = 4;
  static constexpr int capability = 90;
};

struct M16n8k4 : WideTiles {
  static constexpr int k = 4;
  static constexpr int a_registers = 2;
  static constexpr int b_registers = 1;
  static constexpr int slices = 4;
  static constexpr char instruction[] = "m16n8k4 f64";
  static __device__ __forceinline__ void multiply_add(double (&d)[4], const double (&a)[2],
                                                      const double (&b)[1]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#endif
  }
};

struct M16n8k8 : WideTiles {
  static constexpr int k = 8;
  static constexpr int a_registers = 4;
  static constexpr int b_registers = 2;
  static constexpr int slices = 2;
  static constexpr char instruction[] = "m16n8k8 f64";
  static __device__ __forceinline__ void multiply_add(double (&d)[4], const double (&a)[4],
                                                      const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#endif
  }
};

struct M16n8k16 : WideTiles {
  static constexpr int k = 16;
  static constexpr int a_registers = 8;
  static constexpr int b_registers = 4;
  static constexpr int slices = 1;
  static constexpr char instruction[] = "m16n8k16 f64";
  static __device__ __forceinline__ void multiply_add(double (&d)[4], const double (&a)[8],
                                                      const double (&b)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, "
        "%9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
          "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#endif
  }
};

}  // namespace

std::vector<CeilingCandidate> prepare_f64_tensor_mma_sync(Device& device, DataPattern pattern) {
  return ceilings::prepare_mma<M8n8k4, M16n8k4, M16n8k8, M16n8k16>(
      device, pattern, launch_rate(Pipe::f64_tensor, device.facts()));
}

}  // namespace gpubench
