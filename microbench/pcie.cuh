// What the ceilings of the bus between host and device share: page-locked memory, which the
// device's copy engines read and write without the processor, and blocks so large that starting a
// copy (some microseconds) does not count. Called pcie, whatever the link is.
#pragma once

#include <memory>

#include "microbench/support.cuh"

namespace gpubench::ceilings {

struct BusBuffers {
  static constexpr std::size_t bytes = std::size_t{256} << 20;  // 5 ms at 55 GB/s
  explicit BusBuffers(Device& gpu)
      : host(gpu.allocate(bytes, MemoryKind::host_pinned)), device(gpu.allocate(bytes)) {
    gpu.fill(device.data(), 0, bytes);
  }
  Memory host;
  Memory device;
};

inline void copy_to_device(const BusBuffers& buffers, cudaStream_t stream) {
  cuda::check(cudaMemcpyAsync(buffers.device.data(), buffers.host.data(), BusBuffers::bytes,
                              cudaMemcpyHostToDevice, stream),
              "copying to the device for a ceiling");
}

inline void copy_to_host(const BusBuffers& buffers, cudaStream_t stream) {
  cuda::check(cudaMemcpyAsync(buffers.host.data(), buffers.device.data(), BusBuffers::bytes,
                              cudaMemcpyDeviceToHost, stream),
              "copying to the host for a ceiling");
}

}  // namespace gpubench::ceilings
