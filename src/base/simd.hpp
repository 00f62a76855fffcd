// Host code in three widths, chosen by the processor at run time: put GPUBENCH_SIMD_CLONES before a plain loop
// function and the compiler builds it for AVX-512, AVX2 + FMA and the baseline. (An attribute cannot be spelt as a
// function; other processors get the baseline alone.) Clones are never inlined and must not contain OpenMP regions.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define GPUBENCH_SIMD_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline))
#else
#define GPUBENCH_SIMD_CLONES __attribute__((noinline))
#endif
