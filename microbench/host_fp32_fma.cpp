// Ceiling fp32_fma of the host: multiply-adds in float on all cores.
#include "microbench/host_fma.hpp"
#include "microbench/specs.hpp"

namespace gpubench {

CeilingSpec host_fp32_fma() {
  return host::fma_spec<float>("fp32_fma");
}

}  // namespace gpubench
