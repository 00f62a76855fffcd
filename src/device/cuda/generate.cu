#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "device/cuda/generate.hpp"
#include "device/cuda/support.hpp"

namespace gpubench::cuda {
namespace {

// Round to nearest even, as round_to() of base/dtype.hpp does for the oracle.
__device__ void put(float& out, float value) {
  out = value;
}
__device__ void put(double& out, float value) {
  out = value;
}
__device__ void put(__half& out, float value) {
  out = __float2half_rn(value);
}
__device__ void put(__nv_bfloat16& out, float value) {
  out = __float2bfloat16_rn(value);
}

template <class T>
__global__ void generate_elements(T* destination, std::int64_t first, std::int64_t count,
                                  Generator generator) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    put(destination[i], element(generator, first + i));
}

template <class T>
void launch_typed(void* destination, std::int64_t first, std::int64_t count,
                  const Generator& generator, Stream stream) {
  constexpr int threads = 256;
  constexpr std::int64_t most_blocks = 4096;  // fills every device; the loop does the rest
  const auto blocks =
      static_cast<unsigned int>(std::min((count + threads - 1) / threads, most_blocks));
  generate_elements<T><<<blocks, threads, 0, native(stream)>>>(static_cast<T*>(destination), first,
                                                               count, generator);
  check_launch("the input generator");
}

}  // namespace

void launch_generate(void* destination, DType type, std::int64_t first, std::int64_t count,
                     const Generator& generator, Stream stream) {
  if (count <= 0) return;
  switch (type) {
    case DType::f32:
      return launch_typed<float>(destination, first, count, generator, stream);
    case DType::f64:
      return launch_typed<double>(destination, first, count, generator, stream);
    case DType::f16:
      return launch_typed<__half>(destination, first, count, generator, stream);
    case DType::bf16:
      return launch_typed<__nv_bfloat16>(destination, first, count, generator, stream);
  }
}

}  // namespace gpubench::cuda
