// The results document as plain data: what `run`, `roofline` and `verify` write and `compare`
// reads. docs/results.md explains it, docs/result.schema.json is its contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/generator.hpp"
#include "device/device.hpp"
#include "measure/measure.hpp"
#include "registry/parameter.hpp"
#include "registry/variant.hpp"
#include "registry/work.hpp"
#include "roofline/ceiling.hpp"
#include "roofline/roof.hpp"
#include "verify/verification.hpp"

namespace gpubench {

inline constexpr std::string_view document_schema = "gpubench.results/1";

// The program that measured.
struct Tool {
  std::string version;
  std::optional<std::string> git_commit;
  std::optional<bool> git_dirty;
  std::string compiler;
  std::optional<std::string> cuda_toolkit;
  std::vector<std::string> cuda_architectures;
  std::string build_type;
  std::optional<std::string> kernel_sources_sha256;
};

struct HostFacts {
  std::optional<std::string> name;
  std::optional<std::string> os;
  std::optional<std::string> cpu;
  std::optional<std::int64_t> logical_cores;
  std::optional<std::int64_t> memory_bytes;
};

enum class CaseStatus { ok, failed, skipped, interrupted };
std::string_view name(CaseStatus);

// The document's `work`: a family's Work with a convention that lives as long as the record.
struct WorkRecord {
  double flops = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  std::optional<double> modelled_bytes;
  double working_set_bytes = 0;
  std::string convention;
};
WorkRecord record(const Work&, std::optional<double> modelled_bytes);

struct Achieved {
  double flops_per_s = 0;
  double bytes_per_s = 0;                      // the bytes of the work, not the modelled ones
  std::optional<double> arithmetic_intensity;  // FLOPs / bytes; empty when no bytes move
  std::optional<double> flops_per_j;           // empty where the energy is unknown
};
// `seconds` is the median of a launch, above 0.
Achieved achieved(const Work&, double seconds, std::optional<double> energy_j_per_launch);

// A part of a case, timed alone.
struct StageTime {
  std::string name;
  double median_s = 0;
};

// One case. Of a case that failed or was skipped, timing, telemetry, achieved, roof, stages and
// transfer_share are never written, whatever they hold. Verification::failure is not a field of the
// document: it belongs into `reason`.
struct CaseRecord {
  std::string id;
  std::string family;
  std::string variant;
  Role role = Role::ladder;
  DType dtype = DType::f32;
  ParameterSet parameters;
  std::uint64_t seed = 0;
  CacheMode cache = CacheMode::warm;
  InputKind input = InputKind::random;
  CaseStatus status = CaseStatus::ok;
  std::optional<std::string> reason;
  std::optional<Verification> verification;
  std::optional<Timing> timing;
  Telemetry telemetry;                          // written only with a timing
  std::vector<Telemetry> telemetry_by_process;  // empty where one process ran the case
  WorkRecord work;
  std::optional<Achieved> achieved;
  std::optional<Roof> roof;
  std::vector<std::string> notes;
  std::vector<StageTime> stages;  // empty: not a case of stages
  std::optional<double> transfer_share;
};

struct Document {
  enum class Status { complete, interrupted };
  Status status = Status::complete;
  Tool tool;
  std::vector<std::string> command;
  std::string started_at;  // now_utc()
  std::optional<std::string> finished_at;
  HostFacts host;
  std::optional<std::string> ceilings_source;  // empty: measured in this run
  DeviceFacts device;                          // of its fields, those that the schema has
  std::vector<Ceiling> ceilings;               // names unique
  std::vector<CaseRecord> cases;               // ids unique
};
std::string_view name(Document::Status);

Tool this_tool();
HostFacts this_host();
// RFC 3339 in UTC, to the second: "2026-11-29T18:00:00Z".
std::string now_utc();

// The stable key of a case, parameters in the family's order:
// "attention/fused_row?dtype=f32&B=1&N=4096&causal=false&cache=warm", and "&input=outlier" unless
// random.
std::string case_id(std::string_view family, std::string_view variant, DType, const ParameterSet&,
                    CacheMode, InputKind);

// Whether ceilings measured for `document` hold for this device: same UUID, name, multiprocessors,
// last-level cache, driver version and power limit, and for a host the same machine and processor.
// Throws Error{not_comparable} saying what differs; also where the document is an interrupted one,
// has no ceiling of status ok, or one in another unit than this program measures it in.
void check_ceilings_fit(const Document& document, const DeviceFacts& device, const HostFacts& host);

}  // namespace gpubench
