#include "device/host/team.hpp"

#include <sched.h>

#include <cstring>

namespace gpubench::host {
namespace {

// A mask for any number of processors: cpu_set_t stops at 1024.
constexpr int mask_cpus = 16384;
const std::size_t mask_bytes = CPU_ALLOC_SIZE(mask_cpus);

std::vector<unsigned char> current_mask() {
  std::vector<unsigned char> mask(mask_bytes, 0);
  if (sched_getaffinity(0, mask_bytes, reinterpret_cast<cpu_set_t*>(mask.data())) != 0)
    mask.clear();
  return mask;
}

// Refusal (a sandbox) is no error: the threads then run where the system puts them.
void apply(const std::vector<unsigned char>& mask) {
  if (!mask.empty())
    (void)sched_setaffinity(0, mask.size(), reinterpret_cast<const cpu_set_t*>(mask.data()));
}

void pin_to(int cpu) {
  std::vector<unsigned char> mask(mask_bytes, 0);
  CPU_SET_S(static_cast<std::size_t>(cpu), mask_bytes, reinterpret_cast<cpu_set_t*>(mask.data()));
  apply(mask);
}

std::vector<int> read_allowed_cpus() {
  std::vector<int> cpus;
  // Under OMP_PROC_BIND the runtime has already narrowed the main thread's mask to one place: the
  // places are then what the process may use.
  if (omp_get_proc_bind() != omp_proc_bind_false) {
    for (int place = 0; place < omp_get_num_places(); ++place) {
      std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
      omp_get_place_proc_ids(place, ids.data());
      cpus.insert(cpus.end(), ids.begin(), ids.end());
    }
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  }
  if (!cpus.empty()) return cpus;
  const auto mask = current_mask();
  if (!mask.empty())
    for (int cpu = 0; cpu < mask_cpus; ++cpu)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), mask_bytes,
                      reinterpret_cast<const cpu_set_t*>(mask.data())))
        cpus.push_back(cpu);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

}  // namespace

const std::vector<int>& allowed_cpus() {
  static const std::vector<int> cpus = read_allowed_cpus();
  return cpus;
}

PinnedTeam::PinnedTeam(const std::vector<int>& cpus) : old_mask_(current_mask()) {
  const int members = static_cast<int>(cpus.size());
  omp_set_dynamic(0);
  omp_set_num_threads(members);
#pragma omp parallel num_threads(members)
  pin_to(cpus[static_cast<std::size_t>(omp_get_thread_num())]);
}

PinnedTeam::~PinnedTeam() {
  apply(old_mask_);
}

}  // namespace gpubench::host
