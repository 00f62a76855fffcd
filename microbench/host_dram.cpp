#include "microbench/host_dram.hpp"

#include <omp.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/simd.hpp"
#include "base/text.hpp"
#include "device/host/team.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpubench::host {
namespace {

constexpr std::int64_t page_floats = 1024;
constexpr float factor = 1.5f;

// One pass over a part: whole pages, aligned.
using Pass = void (*)(const float* b, const float* c, float* a, std::int64_t count);

// The line `ahead` floats further on; past the end of the arrays asking does no harm.
template <int ahead>
inline void ask_for(const float* at) {
  if constexpr (ahead > 0) __builtin_prefetch(at + ahead, 0, 3);
}

#if defined(__x86_64__)
// A whole line a store, four lines at a time.
template <int sources, int ahead>
__attribute__((target("avx512f"))) void stream_avx512(const float* b, const float* c, float* a,
                                                      std::int64_t count) {
  const __m512 s = _mm512_set1_ps(factor);
  for (std::int64_t i = 0; i < count; i += 64) {
    __m512 x[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      ask_for<ahead>(b + i + v * 16);
      if (sources == 2) ask_for<ahead>(c + i + v * 16);
    }
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      x[v] = _mm512_load_ps(b + i + v * 16);
      if (sources == 2) x[v] = _mm512_fmadd_ps(_mm512_load_ps(c + i + v * 16), s, x[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) _mm512_stream_ps(a + i + v * 16, x[v]);
  }
  simd::stream_fence();
}
#endif

template <int sources, int ahead>
void stream_generic(const float* b, const float* c, float* a, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += 16) {
    ask_for<ahead>(b + i);
    if (sources == 2) ask_for<ahead>(c + i);
#pragma GCC unroll 4
    for (std::int64_t j = i; j < i + 16; j += 4) {
      float x[4];
      for (int k = 0; k < 4; ++k) x[k] = sources == 2 ? b[j + k] + factor * c[j + k] : b[j + k];
      simd::stream_store(a + j, x[0], x[1], x[2], x[3]);
    }
  }
  simd::stream_fence();
}

template <int sources>
std::vector<std::pair<Pass, std::string>> passes() {
  const std::string streaming = "streaming stores of 16 bytes";
  std::vector<std::pair<Pass, std::string>> all = {
      {stream_generic<sources, 0>, streaming},
      {stream_generic<sources, 2048>, streaming + ", prefetch 8 KiB ahead"}};
#if defined(__x86_64__)
  if (simd::level() == simd::Level::avx512) {
    const std::string lines = "streaming stores of 64 bytes";
    all.insert(all.end(), {{stream_avx512<sources, 0>, lines},
                           {stream_avx512<sources, 512>, lines + ", prefetch 2 KiB ahead"},
                           {stream_avx512<sources, 2048>, lines + ", prefetch 8 KiB ahead"}});
  }
#endif
  return all;
}

}  // namespace

std::size_t bytes_beyond_caches(const Device& device) {
  const std::int64_t cache = device.facts().l2_bytes.value_or(0);
  return static_cast<std::size_t>(std::max(std::int64_t{512} << 20, 4 * cache));
}

CeilingSpec dram_spec(std::string_view name,
                      std::vector<CeilingCandidate> (*prepare)(Device&, DataPattern)) {
  CeilingSpec spec;
  spec.name = name;
  spec.unit = "byte/s";
  spec.device = DeviceKind::host;
  spec.uses_data = true;
  spec.from_s = 0.05;
  spec.until_s = 0.35;
  spec.trial_s = 0.05;  // a launch takes some milliseconds
  spec.prepare = prepare;
  return spec;
}

std::vector<CeilingCandidate> stream_candidates(Device& device, DataPattern pattern, int sources,
                                                const std::string& what) {
  const int threads = device.facts().multiprocessors.value_or(1);
  const std::size_t unit = 4096 * static_cast<std::size_t>(threads);
  const std::size_t arrays = static_cast<std::size_t>(sources) + 1;
  const std::size_t bytes = (bytes_beyond_caches(device) / arrays + unit - 1) / unit * unit;
  const auto count = static_cast<std::int64_t>(bytes / 4);
  const auto memory = std::make_shared<std::vector<Memory>>();
  for (std::size_t i = 0; i < arrays; ++i) {
    memory->push_back(device.allocate(bytes));
    if (i == 0 || pattern == DataPattern::zeros)
      device.fill(memory->back().data(), 0, bytes);
    else
      device.generate(memory->back().data(), DType::f32, count,
                      Generator{.seed = 1, .buffer = static_cast<std::int32_t>(i)});
  }
  auto* a = static_cast<float*>(memory->front().data());
  const auto* b = static_cast<const float*>((*memory)[1].data());
  const auto* c = static_cast<const float*>(memory->back().data());

  std::vector<CeilingCandidate> candidates;
  for (const auto& [pass, how] : sources == 2 ? passes<2>() : passes<1>()) {
    CeilingCandidate made;
    made.technique = what + ", " + how + ", " + bytes_text(static_cast<double>(bytes * arrays)) +
                     " on " + counted(threads, "core", "cores");
    made.amount = static_cast<double>(bytes * arrays);
    made.working_set_bytes = bytes * arrays;
    made.launch = [memory, a, b, c, count, threads, pass = pass](Stream) {
#pragma omp parallel num_threads(threads)
      {
        const Range mine = my_part(count, page_floats);
        pass(b + mine.begin, c + mine.begin, a + mine.begin, mine.size());
      }
    };
    candidates.push_back(std::move(made));
  }
  return candidates;
}

}  // namespace gpubench::host
