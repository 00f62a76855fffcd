// Documents for tests of compare: made, not measured.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/generator.hpp"
#include "document/document.hpp"
#include "document/write.hpp"

namespace gpubench::testing {

// A device of the kind that gates run on, with 50 MiB of L2.
inline DeviceFacts gate_device() {
  DeviceFacts device;
  device.kind = DeviceKind::cuda;
  device.id = "cuda:0";
  device.name = "Test GPU";
  device.uuid = "GPU-1";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.l2_bytes = 50 << 20;
  device.memory_bytes = std::int64_t{80} << 30;
  device.sm_clock_max_hz = 1.98e9;
  device.driver_version = "580.1";
  device.power_limit_w = 700;
  return device;
}

// A whole document without cases or ceilings.
inline Document empty_document() {
  Document document;
  document.tool.version = "0.1.0";
  document.tool.git_commit = "0123456789abcdef";
  document.started_at = "2026-11-29T18:00:00Z";
  document.device = gate_device();
  return document;
}

// `count` samples, uniform within a relative `spread` around `seconds`; the same for the same seed.
inline std::vector<double> noisy(double seconds, double spread, int count, std::uint64_t seed) {
  const Generator generator{.seed = seed};
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(seconds * (1 + spread * element(generator, i)));
  return samples;
}

// A case of `vector_add` of n elements that is ok, with these samples by process; its roof allows
// 0.8 ms at 1.5 GHz and is limited by fp32_fma.
inline CaseRecord timed_case(std::int64_t n,
                             const std::vector<std::vector<double>>& samples_by_process) {
  CaseRecord record;
  record.family = "vector_add";
  record.variant = "scalar";
  record.parameters.set("N", n);
  record.id = case_id(record.family, record.variant, record.dtype, record.parameters, record.cache,
                      record.input);
  record.seed = 1;
  std::vector<double> all;
  for (const auto& samples : samples_by_process)
    all.insert(all.end(), samples.begin(), samples.end());
  record.timing = summarize(all);
  record.timing->clock = "cuda_event";
  if (samples_by_process.size() > 1) record.timing->samples_by_process_s = samples_by_process;
  record.telemetry.sm_clock_during_hz = 1.5e9;
  record.work.flops = 1e9;
  record.work.bytes_read = 8e9;
  record.work.bytes_written = 4e9;
  record.work.working_set_bytes = 12e9;
  Roof roof;
  roof.compute_ceiling = "fp32_fma";
  roof.limited_by = "fp32_fma";
  roof.attainable_s = 0.8e-3;
  roof.percent_of_roof = 100 * roof.attainable_s / record.timing->median_s;
  roof.percent_of_roof_at_clock = roof.percent_of_roof;
  record.roof = roof;
  return record;
}

// A ceiling that is ok: `value` in its unit, from samples around 1 ms.
inline Ceiling timed_ceiling(const std::string& name, const std::string& unit, double value) {
  Ceiling ceiling;
  ceiling.name = name;
  ceiling.unit = unit;
  ceiling.value = value;
  ceiling.timing = summarize(noisy(1e-3, 0.001, 20, 3));
  ceiling.timing->clock = "cuda_event";
  return ceiling;
}

// A folder that goes with the object, and documents in it.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "gpubench-compare-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(folder_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const Document& document) const {
    std::ofstream(path(name)) << document_text(document);
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace gpubench::testing
