// Idea: the plain way. Both inputs are copied in from ordinary memory, added, and the result is
// copied out, one after another on one stream.
//
// Predecessor: none. What a program does that was not written with the bus in mind.
//
// Bound: the driver's copies. Pageable memory cannot be read by the device directly: a thread of
// the host copies it piece by piece through a small pinned buffer, and the bus, the cores and the
// other direction wait for each other.
//
// Shapes: every n up to the parameter's limit. chunks has no meaning here.
#include "device/cuda/support.hpp"
#include "kernels/streams/problem.hpp"
#include "kernels/streams/staging.hpp"
#include "kernels/vector_add/add.hpp"

namespace gpubench::streams {

void launch_pageable_sync_copy_in(const Problem& p, const Buffers& buffers, Stream stream) {
  const Staging device = staging(p, buffers);
  const std::size_t bytes = static_cast<std::size_t>(p.n) * sizeof(float);
  cuda::check(cudaMemcpyAsync(device.a, buffers.inputs[0], bytes, cudaMemcpyHostToDevice,
                              cuda::native(stream)),
              "copying a to the device");
  cuda::check(cudaMemcpyAsync(device.b, buffers.inputs[1], bytes, cudaMemcpyHostToDevice,
                              cuda::native(stream)),
              "copying b to the device");
}

void launch_pageable_sync_add(const Problem& p, const Buffers& buffers, Stream stream) {
  const Staging device = staging(p, buffers);
  vector_add::add(device.a, device.b, device.c, p.n, stream);
}

// Returns when c is in host memory: a copy to pageable memory never runs behind the caller's back.
void launch_pageable_sync_copy_out(const Problem& p, const Buffers& buffers, Stream stream) {
  const Staging device = staging(p, buffers);
  const std::size_t bytes = static_cast<std::size_t>(p.n) * sizeof(float);
  cuda::check(cudaMemcpyAsync(buffers.output, device.c, bytes, cudaMemcpyDeviceToHost,
                              cuda::native(stream)),
              "copying c to the host");
}

void launch_pageable_sync(const Problem& p, const Buffers& buffers, Stream stream) {
  launch_pageable_sync_copy_in(p, buffers, stream);
  launch_pageable_sync_add(p, buffers, stream);
  launch_pageable_sync_copy_out(p, buffers, stream);
}

}  // namespace gpubench::streams
