// Warpgroup matrix products (wgmma), sm_90a only: D += A B, issued by 128 consecutive threads whose
// first warp's index is divisible by 4, all of them converged. PTX ISA, "Asynchronous
// warpgroup-level matrix instructions".
//
// Order of use: write the operands to shared memory, fence_async_shared() and a barrier;
// wgmma_fence(); products; wgmma_commit(); wgmma_wait<n>(); registers_ready(d) before D is read.
#pragma once

#include <cstdint>

namespace gpubench::ptx {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Makes ordinary writes to shared memory visible to the asynchronous proxy, which wgmma reads
// through. By each writer, before the barrier.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Before the first product, and whenever other instructions have touched registers that the next
// one uses.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Closes the group of the products issued since the last one.
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most `pending` of the latest groups are unfinished.
template <int pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Keeps the compiler from moving reads of D above the wait: it knows of no tie between the two.
template <int count>
__device__ __forceinline__ void registers_ready(float (&d)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <int count>
__device__ __forceinline__ void registers_ready(std::int32_t (&d)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

// Describes an operand tile in shared memory, K-major, 128 bytes a row (64 halves), with the
// 128-byte swizzle: its 16-byte pieces are permuted within groups of 8 rows (piece p of row r lies
// at p ^ (r % 8)), and a group is 1024 consecutive bytes. `address` is that of the first group, a
// multiple of 1024. A product takes 32 bytes of each row (16 halves); those of the next are at
// descriptor + next_32_bytes.
__device__ __forceinline__ std::uint64_t swizzled_tile(std::uint32_t address) {
  constexpr std::uint64_t group_stride = 1024 >> 4;  // bits 32-45, in units of 16 bytes
  constexpr std::uint64_t swizzle_128_bytes = 1;     // bits 62-63
  constexpr std::uint64_t leading_stride = 1;        // bits 16-29, unused in this layout
  return (address & 0x3ffff) >> 4 | leading_stride << 16 | group_stride << 32 |
         swizzle_128_bytes << 62;
}
inline constexpr std::uint64_t next_32_bytes = 32 >> 4;
inline constexpr std::uint64_t next_k16 = next_32_bytes;  // of halves

// D (64 x 256) = A (64 x K) B (K x 256) + (accumulate ? D : 0), A and B tiles in shared memory; K
// is 32 bytes of the type. Thread t of the warpgroup holds rows 16 (t / 32) + t % 32 / 4 and 8
// more: d[4 j], d[4 j + 1] are columns 8 j + 2 (t % 4) and the next of the former, d[4 j + 2], d[4
// j + 3] those of the latter.
//
// With A in registers, each of which holds 32 bits of one row (two halves, four bytes): a[0] and
// a[2] belong to row 16 (t / 32) + t % 32 / 4, a[1] and a[3] to that 8 below; a[0] and a[1] are
// word t % 4 of the row's 8 words of K, a[2] and a[3] that 4 further.
//
// An asm statement takes literal text only, so each instruction has a statement of its own; what
// they share, the accumulators, is included.

__device__ __forceinline__ void wgmma_m64n256k16_f16(float (&d)[128], std::uint64_t a,
                                                     std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
#include "kernels/ptx/accumulators_128.inc"
      ", %128, %129, p, 1, 1, 0, 0;\n}\n"
      :
#include "kernels/ptx/accumulators_128_f32.inc"
      : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_m64n256k16_f16(float (&d)[128], const std::uint32_t (&a)[4],
                                                     std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %133, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
#include "kernels/ptx/accumulators_128.inc"
      ", {%128, %129, %130, %131}, %132, p, 1, 1, 0;\n}\n"
      :
#include "kernels/ptx/accumulators_128_f32.inc"
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));
}

__device__ __forceinline__ void wgmma_m64n256k16_bf16(float (&d)[128], std::uint64_t a,
                                                      std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
#include "kernels/ptx/accumulators_128.inc"
      ", %128, %129, p, 1, 1, 0, 0;\n}\n"
      :
#include "kernels/ptx/accumulators_128_f32.inc"
      : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_m64n256k16_bf16(float (&d)[128], const std::uint32_t (&a)[4],
                                                      std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %133, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
#include "kernels/ptx/accumulators_128.inc"
      ", {%128, %129, %130, %131}, %132, p, 1, 1, 0;\n}\n"
      :
#include "kernels/ptx/accumulators_128_f32.inc"
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));
}

// The lower 13 bits of the f32 words are not looked at.
__device__ __forceinline__ void wgmma_m64n256k8_tf32(float (&d)[128], std::uint64_t a,
                                                     std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 "
#include "kernels/ptx/accumulators_128.inc"
      ", %128, %129, p, 1, 1;\n}\n"
      :
#include "kernels/ptx/accumulators_128_f32.inc"
      : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_m64n256k8_tf32(float (&d)[128], const std::uint32_t (&a)[4],
                                                     std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %133, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 "
#include "kernels/ptx/accumulators_128.inc"
      ", {%128, %129, %130, %131}, %132, p, 1, 1;\n}\n"
      :
#include "kernels/ptx/accumulators_128_f32.inc"
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));
}

__device__ __forceinline__ void wgmma_m64n256k32_e4m3(float (&d)[128], std::uint64_t a,
                                                      std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 "
#include "kernels/ptx/accumulators_128.inc"
      ", %128, %129, p, 1, 1;\n}\n"
      :
#include "kernels/ptx/accumulators_128_f32.inc"
      : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_m64n256k32_e4m3(float (&d)[128], const std::uint32_t (&a)[4],
                                                      std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %133, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 "
#include "kernels/ptx/accumulators_128.inc"
      ", {%128, %129, %130, %131}, %132, p, 1, 1;\n}\n"
      :
#include "kernels/ptx/accumulators_128_f32.inc"
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));
}

__device__ __forceinline__ void wgmma_m64n256k32_s8(std::int32_t (&d)[128], std::uint64_t a,
                                                    std::uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 "
#include "kernels/ptx/accumulators_128.inc"
      ", %128, %129, p;\n}\n"
      :
#include "kernels/ptx/accumulators_128_s32.inc"
      : "l"(a), "l"(b), "r"(accumulate));
}
__device__ __forceinline__ void wgmma_m64n256k32_s8(std::int32_t (&d)[128],
                                                    const std::uint32_t (&a)[4], std::uint64_t b,
                                                    int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %133, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 "
#include "kernels/ptx/accumulators_128.inc"
      ", {%128, %129, %130, %131}, %132, p;\n}\n"
      :
#include "kernels/ptx/accumulators_128_s32.inc"
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));
}

}  // namespace gpubench::ptx
