#include "tests/fuzz/seeds.hpp"

#include <cstdint>

#include "compare/noise.hpp"
#include "tests/unit/compare_documents.hpp"

namespace gpubench::fuzz {
namespace {

using testing::noisy;

// A case of that many processes, with all that a process can say of itself.
CaseRecord case_of(std::int64_t n, int processes, int samples, double seconds) {
  std::vector<std::vector<double>> by_process;
  for (int i = 0; i < processes; ++i)
    by_process.push_back(
        noisy(seconds * (1 + 0.002 * i), 0.01, samples, static_cast<std::uint64_t>(n + i)));
  CaseRecord record = testing::timed_case(n, by_process);
  record.roof->memory_ceiling = "dram_read";
  record.verification = Verification{};
  record.verification->passed = true;
  record.achieved = Achieved{1e12, 1.2e13, 0.08, std::nullopt};
  record.telemetry.energy_j_per_launch = 0.5;
  for (int i = 0; processes > 1 && i < processes; ++i) {
    Telemetry telemetry = record.telemetry;
    telemetry.sm_clock_during_hz = 1.5e9 + 1e7 * i;
    telemetry.energy_j_per_launch = 0.5 + 0.001 * i;
    record.telemetry_by_process.push_back(telemetry);
  }
  return record;
}

Document document_of(double seconds) {
  Document document = testing::empty_document();
  document.command = {"gpubench", "run", "vector_add"};
  document.ceilings = {testing::timed_ceiling("fp32_fma", "flop/s", 6e13),
                       testing::timed_ceiling("dram_latency", "s", 6e-7)};
  // Judged by Welch's interval, by bootstrap, which takes its time, and by Welch's again.
  document.cases = {case_of(1024, 5, 2, seconds), case_of(2048, 2, 9, seconds),
                    case_of(4096, 6, 2, seconds)};
  return document;
}

Document ceilings_alone() {
  Document document = document_of(1e-3);
  document.device.kind = DeviceKind::host;
  document.device.mig_profile = "1g.10gb";
  document.cases.clear();
  document.ceilings.push_back(testing::timed_ceiling("dram_read", "byte/s", 4.6e12));
  document.ceilings.back().telemetry.throttle_reasons = {"sw_power_cap"};
  return document;
}

// What is not ok, and what only some documents have.
Document odd() {
  Document document = document_of(1e-5);
  document.status = Document::Status::interrupted;
  document.cases[0].status = CaseStatus::failed;
  document.cases[0].reason = "the answer is wrong: 3 of 1024";
  document.cases[1].notes = {
      "power_limited", "launch_bound", "l2_transition", "above_roof", "odd", "|", "`", "_"};
  document.cases[1].stages = {{"copy", 1e-3}, {"add", 2e-3}};
  document.cases[1].transfer_share = 0.3;
  document.cases[2].input = InputKind::outlier;
  document.cases[2].cache = CacheMode::cold;
  document.ceilings[1].status = "skipped";
  document.ceilings[1].reason = "no counter";
  return document;
}

}  // namespace

std::vector<std::string> seed_documents() {
  std::vector<std::string> texts;
  for (const Document& document :
       {document_of(1e-3), document_of(1.15e-3), ceilings_alone(), odd()})
    texts.push_back(to_json(document).dump());
  return texts;
}

std::vector<std::string> seed_noise_files() {
  const Document document = document_of(1e-3);
  Noise noise{.device = document.device.name,
              .created_at = document.started_at,
              .files = {"a.json", "b.json"},
              .cases = {}};
  for (const CaseRecord& record : document.cases)
    noise.cases.push_back({.id = record.id,
                           .processes = 4,
                           .time = 0.03,
                           .percent_of_roof = 0.03,
                           .percent_of_roof_at_clock = 0.01,
                           .energy = std::nullopt});
  return {noise_json(noise)};
}

std::vector<std::string> seed_suites() {
  return {R"({
 "schema": "gpubench.suite/1",
 "description": "of every kind of value",
 "cases": [
  {"family": "matmul", "parameters": {"M": 4096, "N": [1024, "2048:8192:*2"], "causal": true},
   "variants": "tiled|wgmma", "dtypes": ["f16", "bf16"], "cache": "cold"},
  {"family": "vector_add"}
 ]
})"};
}

}  // namespace gpubench::fuzz
