// The threads that host work runs on: how many, on which processors, and which part of an array is
// whose.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gpubench::host {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
};

// The part of 0..n that member `index` of `members` owns, in whole multiples of `granule` (the last
// one takes the rest). The same split everywhere is what keeps a thread on memory that it touched
// first.
inline Range part(std::int64_t n, std::int64_t granule, int index, int members) {
  const std::int64_t granules = (n + granule - 1) / granule;
  const std::int64_t share = granules / members, extra = granules % members;
  const auto first = [&](std::int64_t i) {
    return std::min(n, (i * share + std::min(i, extra)) * granule);
  };
  return {first(index), first(index + 1)};
}

// Inside a parallel region: the calling thread's part.
inline Range my_part(std::int64_t n, std::int64_t granule) {
  return part(n, granule, omp_get_thread_num(), omp_get_num_threads());
}

// Pins each OpenMP thread of the calling thread's team to one of `cpus` (the calling thread is the
// first of the team) and makes the team as large as that list. The workers stay pinned. The calling
// thread gets its old mask back at the end of the scope: threads that the program starts elsewhere
// inherit it, and must not all land on one processor.
class PinnedTeam {
 public:
  explicit PinnedTeam(const std::vector<int>& cpus);
  ~PinnedTeam();
  PinnedTeam(const PinnedTeam&) = delete;
  PinnedTeam& operator=(const PinnedTeam&) = delete;

 private:
  std::vector<unsigned char> old_mask_;
};

// The processors that this process may use, ascending: as they were at the first call, since
// pinning narrows the mask of the thread that asks.
const std::vector<int>& allowed_cpus();

}  // namespace gpubench::host
