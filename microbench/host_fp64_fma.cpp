// Ceiling fp64_fma of the host: multiply-adds in double on all cores, half as many lanes as in
// float.
#include "microbench/host_fma.hpp"
#include "microbench/specs.hpp"

namespace gpubench {

CeilingSpec host_fp64_fma() {
  return host::fma_spec<double>("fp64_fma");
}

}  // namespace gpubench
