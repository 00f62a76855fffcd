// The library's answer, as a reference: cuBLAS, loaded when it is first launched.
// It is column-major: a row-major matrix read so is its transpose, so that C = A B is asked for as
// C^T = B^T A^T, with the operands exchanged and nothing moved.
// f32 is SGEMM in the default math mode: FP32 arithmetic, no TF32. f16 has f16 storage and f32
// sums, also where it splits K (reductions in f16 are forbidden: they would not meet the tolerance
// that the other variants are held to).
// Takes M, N, K up to 2^31 - 1: the interface counts in int.
#include <cublas_v2.h>

#include <map>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "device/cuda/library.hpp"
#include "device/cuda/support.hpp"
#include "kernels/matmul/problem.hpp"
#include "kernels/matmul/tiling.hpp"

namespace gpubench::matmul {
namespace {

// The overload of cublasGemmEx that exists in the library (the header adds one for old callers).
using GemmExSignature = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                       int, int, const void*, const void*, cudaDataType, int,
                                       const void*, cudaDataType, int, const void*, void*,
                                       cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
using GemmEx = decltype(static_cast<GemmExSignature*>(cublasGemmEx));

// The functions used here. cublas_v2.h gives their types; nothing is linked.
struct Api {
  cuda::Library library{cuda::toolkit_library("cublas")};
  decltype(cublasCreate_v2)* create = library.symbol<decltype(cublasCreate_v2)>("cublasCreate_v2");
  decltype(cublasSetStream_v2)* set_stream =
      library.symbol<decltype(cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(cublasSetWorkspace_v2)* set_workspace =
      library.symbol<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2");
  decltype(cublasSetMathMode)* set_math_mode =
      library.symbol<decltype(cublasSetMathMode)>("cublasSetMathMode");
  decltype(cublasSgemm_v2)* sgemm = library.symbol<decltype(cublasSgemm_v2)>("cublasSgemm_v2");
  GemmEx gemm_ex = library.symbol<GemmExSignature>("cublasGemmEx");
  decltype(cublasGetStatusName)* status_name =
      library.symbol<decltype(cublasGetStatusName)>("cublasGetStatusName");

  void check(cublasStatus_t status, const char* what) const {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw Error(ExitCode::no_device, std::string(what) + " failed: " + status_name(status) +
                                           " (" + library.path() + ")");
  }
};

// Kept until the process ends and never destroyed: when static objects are, the driver may have
// shut down already.
const Api& api() {
  static const Api& loaded = *new Api;
  return loaded;
}

// The handle of the current device, made at its first use (which therefore must not be under
// capture: it allocates).
cublasHandle_t handle() {
  static std::mutex mutex;
  static auto& handles = *new std::map<int, cublasHandle_t>;
  int device = 0;
  cuda::check(cudaGetDevice(&device), "cudaGetDevice for cuBLAS");
  const std::lock_guard lock(mutex);
  cublasHandle_t& handle = handles[device];
  if (!handle) api().check(api().create(&handle), "cublasCreate");
  return handle;
}

cublasHandle_t prepared_handle(const Buffers& buffers, Stream stream, int math_mode) {
  const Api& cublas = api();
  const cublasHandle_t prepared = handle();
  cublas.check(cublas.set_stream(prepared, cuda::native(stream)), "cublasSetStream");
  // After the stream, which resets it. With a workspace of the caller's the call can be captured.
  cublas.check(cublas.set_workspace(prepared, buffers.workspace, cublas_workspace_bytes),
               "cublasSetWorkspace");
  cublas.check(cublas.set_math_mode(prepared, static_cast<cublasMath_t>(math_mode)),
               "cublasSetMathMode");
  return prepared;
}

}  // namespace

void launch_cublas(const Problem& p, const Buffers& buffers, Stream stream) {
  const cublasHandle_t cublas = prepared_handle(buffers, stream, CUBLAS_DEFAULT_MATH);
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const float one = 1, zero = 0;
  api().check(api().sgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, buffers.input<float>(1),
                          n, buffers.input<float>(0), k, &zero, buffers.out<float>(), n),
              "cublasSgemm");
  cuda::check_launch("matmul cublas");
}

void launch_cublas_f16(const Problem& p, const Buffers& buffers, Stream stream) {
  const cublasHandle_t cublas = prepared_handle(
      buffers, stream, CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const float one = 1, zero = 0;
  api().check(api().gemm_ex(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, buffers.inputs[1],
                            CUDA_R_16F, n, buffers.inputs[0], CUDA_R_16F, k, &zero, buffers.output,
                            CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
              "cublasGemmEx");
  cuda::check_launch("matmul cublas f16");
}

}  // namespace gpubench::matmul
