#include "device/cuda/support.hpp"

#include <string>

#include "base/error.hpp"

namespace gpubench::cuda {
namespace {

// What the user can do about the commonest errors.
std::string_view advice(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return "the device is out of memory: choose smaller parameters, or end other processes that "
             "use it";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return "this gpubench holds no code for the device's architecture: rebuild it with "
             "-DGPUBENCH_ARCH=<compute capability, e.g. 89>";
    case cudaErrorUnsupportedPtxVersion:
      return "the driver is older than the toolkit that built this gpubench: update the driver, or "
             "rebuild with -DGPUBENCH_ARCH=<compute capability>-real";
    case cudaErrorInvalidConfiguration:
      return "the grid, the block or its shared memory is beyond what the device takes";
    case cudaErrorLaunchOutOfResources:
      return "a block needs more registers or shared memory than a multiprocessor has";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
      return "run the same command under compute-sanitizer to find the access";
    case cudaErrorLaunchTimeout:
      return "the display's watchdog ended the kernel: choose smaller parameters, or a GPU without "
             "a display";
    case cudaErrorDevicesUnavailable:
      return "another process holds the device in exclusive mode, or it is being reset";
    case cudaErrorECCUncorrectable:
      return "the device has a memory fault: nvidia-smi -q -d ECC shows it";
    case cudaErrorSystemNotReady:
      return "the system services of the driver (nvidia-fabricmanager) are not running";
    default:
      return {};
  }
}

}  // namespace

std::string describe(cudaError_t error) {
  std::string text = cudaGetErrorName(error);
  text += ": ";
  text += cudaGetErrorString(error);
  if (const std::string_view hint = advice(error); !hint.empty()) {
    text += "; ";
    text += hint;
  }
  return text;
}

void check(cudaError_t result, std::string_view what) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // the error is reported here: the next check must not find it again
  throw Error(ExitCode::no_device, std::string(what) + " failed: " + describe(result));
}

void check_launch(std::string_view kernel) {
  const cudaError_t result = cudaGetLastError();
  if (result != cudaSuccess) check(result, "launching " + std::string(kernel));
}

}  // namespace gpubench::cuda
