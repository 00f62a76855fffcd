#include "document/document.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "document/read.hpp"
#include "document/write.hpp"

namespace gpubench {
namespace {

using Json = nlohmann::ordered_json;

Timing full_timing() {
  Timing timing;
  timing.clock = "cuda_event";
  timing.launches_per_sample = 20;
  timing.warmup_s = 0.4;
  timing.samples_s = {0.1, 0.3, 1.0 / 3};
  timing.samples_by_process_s = {{0.1, 0.3}, {1.0 / 3}};
  timing.median_s = 0.3;
  timing.min_s = 0.1;
  timing.max_s = 1.0 / 3;
  timing.mad_s = 0.0333;
  timing.median_ci95_s = Interval{0.1, 1.0 / 3};
  timing.burst_s = 0.25;
  timing.stop_reason = "interval within 0.5 %";
  return timing;
}

Telemetry full_telemetry() {
  Telemetry telemetry;
  telemetry.sm_clock_before_hz = 1.98e9;
  telemetry.sm_clock_during_hz = 1.45e9;
  telemetry.sm_clock_after_hz = 1.5e9;
  telemetry.sm_clock_burst_hz = 1.97e9;
  telemetry.memory_clock_hz = 3.2e9;
  telemetry.power_w = 699.5;
  telemetry.energy_j_per_launch = 1.25;
  telemetry.temperature_c = 61;
  telemetry.throttle_reasons = {"sw_power_cap"};
  telemetry.other_processes = 1;
  return telemetry;
}

// Every field that can be known is.
Document full_document() {
  Document document;
  document.status = Document::Status::interrupted;
  document.tool = {.version = "0.1.0",
                   .git_commit = "abc",
                   .git_dirty = true,
                   .compiler = "GNU 12.2.0",
                   .cuda_toolkit = "13.0.88",
                   .cuda_architectures = {"90-real", "90a"},
                   .build_type = "Release",
                   .kernel_sources_sha256 = "00ff"};
  document.command = {"gpubench", "run", "-\xc3\xa9"};
  document.started_at = "2026-11-29T18:00:00Z";
  document.finished_at = "2026-11-29T18:00:05Z";
  document.host = {.name = "node1",
                   .os = "Debian",
                   .cpu = "a cpu",
                   .logical_cores = 16,
                   .memory_bytes = std::int64_t{1} << 37};
  document.ceilings_source = "ceilings.json";
  DeviceFacts& device = document.device;
  device.kind = DeviceKind::cuda;
  device.id = "cuda:1";
  device.name = "NVIDIA H200";
  device.uuid = "GPU-1";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.l2_bytes = 62914560;
  device.memory_bytes = 150109880320;
  device.sm_clock_max_hz = 1.98e9;
  device.memory_clock_max_hz = 3.201e9;
  device.driver_version = "580.1";
  device.cuda_runtime_version = "13.0";
  device.ecc_enabled = true;
  device.mig_profile = "1g.18gb";
  device.power_limit_w = 700;

  Ceiling ceiling;
  ceiling.name = "f16_tensor";
  ceiling.unit = "flop/s";
  ceiling.status = "ok";
  ceiling.reason = "none";
  ceiling.value = 6.5e14;
  ceiling.burst = 7.67e14;
  ceiling.sustained = 6.5e14;
  ceiling.theoretical = 1.07e15;
  ceiling.percent_of_theoretical = 60.7;
  ceiling.percent_of_theoretical_at_clock = 90.1;
  ceiling.technique = "wgmma";
  ceiling.data_pattern = DataPattern::zeros;
  ceiling.working_set_bytes = 4096;
  ceiling.timing = full_timing();
  ceiling.telemetry = full_telemetry();
  document.ceilings = {ceiling};

  CaseRecord record;
  record.family = "attention";
  record.variant = "fused_row";
  record.role = Role::reference;
  record.dtype = DType::bf16;
  record.parameters.set("N_q", std::int64_t{4096});
  record.parameters.set("D", std::int64_t{128});
  record.parameters.set("causal", false);
  record.parameters.set("op", std::string("sum"));
  record.seed = std::numeric_limits<std::uint64_t>::max();
  record.cache = CacheMode::cold;
  record.input = InputKind::outlier;
  record.id = case_id(record.family, record.variant, record.dtype, record.parameters, record.cache,
                      record.input);
  record.status = CaseStatus::ok;
  record.reason = "a reason";
  Verification verification;
  verification.passed = true;
  verification.full = true;
  verification.checked = std::int64_t{1} << 40;
  verification.max_abs_error = 3e-7;
  verification.max_rel_error = 1e-5;
  verification.bound = 2e-6;
  record.verification = verification;
  record.timing = full_timing();
  record.telemetry = full_telemetry();
  record.telemetry_by_process = {full_telemetry(), full_telemetry()};
  record.work = {.flops = 8589934592.0,
                 .bytes_read = 6291456.5,
                 .bytes_written = 1e300,
                 .modelled_bytes = 17179869184.0,
                 .working_set_bytes = 8388608,
                 .convention = "counted so"};
  record.achieved = Achieved{.flops_per_s = 2.4e12,
                             .bytes_per_s = 2.3e9,
                             .arithmetic_intensity = 1024,
                             .flops_per_j = 7.1e9};
  Roof roof;
  roof.compute_ceiling = "f16_tensor";
  roof.memory_ceiling = "l2_read";
  roof.compute_flops_per_s = 6.5e14;
  roof.memory_bytes_per_s = 9.5e12;
  roof.limited_by = "f16_tensor";
  roof.attainable_s = 0.00013;
  roof.percent_of_roof = 101.5;
  roof.percent_of_roof_at_clock = 99;
  roof.percent_of_roof_burst = 80;
  roof.above_roof = true;
  record.roof = roof;
  record.notes = {"above_roof", "power_limited"};
  record.stages = {{.name = "copy_in", .median_s = 0.1}, {.name = "add", .median_s = 0.2}};
  record.transfer_share = 0.9;
  document.cases = {record};
  return document;
}

// A document in which nothing is known that need not be.
Document bare_document() {
  Document document;
  document.tool.version = "0.1.0";
  document.started_at = "2026-11-29T18:00:00Z";
  document.device.id = "host";
  Ceiling ceiling;
  ceiling.name = "f16_tensor";
  ceiling.unit = "flop/s";
  ceiling.status = "skipped";
  document.ceilings = {ceiling};
  CaseRecord record;
  record.id = "vector_add/x?dtype=f32&N=1&cache=warm";
  record.status = CaseStatus::skipped;
  document.cases = {record};
  return document;
}

class DocumentFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "gpubench-document-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = (folder / "d.json").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Document again(const Document& document) {
    std::ofstream(path, std::ios::binary) << document_text(document);
    return read_document(path);
  }

  std::filesystem::path folder;
  std::string path;
};

TEST_F(DocumentFile, comes_back_as_it_was_written) {
  const Document full = full_document();
  EXPECT_EQ(to_json(again(full)), to_json(full));
  const Document bare = bare_document();
  EXPECT_EQ(to_json(again(bare)), to_json(bare));
  // The fields whose JSON form is not their own.
  const Document back = again(full);
  EXPECT_EQ(back.device.compute_capability, 90);
  EXPECT_EQ(back.cases[0].parameters, full.cases[0].parameters);
  EXPECT_EQ(back.cases[0].seed, full.cases[0].seed);
  EXPECT_EQ(back.cases[0].timing->samples_s, full.cases[0].timing->samples_s);
  EXPECT_EQ(back.cases[0].work.bytes_read, full.cases[0].work.bytes_read);
}

// Follows the schema and the document together: every property is written, and known.
void expect_all_written(const Json& schema, Json at, const Json& value, const std::string& path) {
  while (at.contains("$ref"))
    at = schema.at(Json::json_pointer(at["$ref"].get<std::string>().substr(1)));
  const std::set<std::string> of_other_commands = {".cases[].counters"};
  if (of_other_commands.contains(path)) return;
  EXPECT_FALSE(value.is_null()) << path;
  if (at.contains("properties") && value.is_object()) {
    for (const auto& [key, member] : at["properties"].items()) {
      ASSERT_TRUE(value.contains(key)) << path << "." << key;
      expect_all_written(schema, member, value[key], path + "." + key);
    }
    for (const auto& [key, member] : value.items())
      EXPECT_TRUE(at["properties"].contains(key)) << path << "." << key << " is not in the schema";
  }
  if (at.contains("items") && value.is_array()) {
    EXPECT_FALSE(value.empty()) << path;
    for (const Json& element : value) expect_all_written(schema, at["items"], element, path + "[]");
  }
}

TEST(Document, has_every_field_of_the_schema_and_no_other) {
  std::ifstream file(GPUBENCH_SOURCE_DIR "/docs/result.schema.json");
  const Json schema = Json::parse(file);
  expect_all_written(schema, schema, to_json(full_document()), "");
}

// tests/cli/test_schema.py runs this one and holds the files against the schema.
TEST(Document, is_written_for_the_schema_test) {
  const char* folder = std::getenv("GPUBENCH_WRITE_DOCUMENTS");
  if (!folder) GTEST_SKIP() << "GPUBENCH_WRITE_DOCUMENTS names no folder";
  std::ofstream(std::string(folder) + "/full.json") << document_text(full_document());
  std::ofstream(std::string(folder) + "/bare.json") << document_text(bare_document());
}

TEST(Document, gives_no_figures_of_a_case_that_failed_or_was_skipped) {
  for (const CaseStatus status : {CaseStatus::failed, CaseStatus::skipped}) {
    Document document = full_document();
    document.cases[0].status = status;
    const Json json = to_json(document)["cases"][0];
    for (const char* key : {"timing", "telemetry", "achieved", "roof", "stages", "transfer_share"})
      EXPECT_TRUE(json[key].is_null()) << key;
    EXPECT_FALSE(json["verification"].is_null());
    EXPECT_EQ(json["status"], name(status));
  }
}

TEST(Document, is_refused_with_the_place_of_a_number_that_is_not_finite) {
  const auto refusal = [](auto change) {
    Document document = full_document();
    change(document);
    try {
      to_json(document);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal([](Document& d) { d.cases[0].timing->samples_s[1] = nan; }),
            "the document is not written: cases[0].timing.samples_s[1] is not a finite number");
  EXPECT_EQ(refusal([](Document& d) { d.cases[0].work.flops = infinity; }),
            "the document is not written: cases[0].work.flops is not a finite number");
  EXPECT_EQ(refusal([](Document& d) { d.ceilings[0].telemetry.sm_clock_during_hz = -infinity; }),
            "the document is not written: ceilings[0].telemetry.sm_clock_hz.during is not a finite "
            "number");
}

TEST(Document, has_null_for_an_infinite_error) {
  Document document = full_document();
  document.cases[0].verification->max_abs_error = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(to_json(document)["cases"][0]["verification"]["max_abs_error"].is_null());
}

TEST(Document, is_valid_text_whatever_the_command_holds) {
  Document document = full_document();
  document.command = {"gpubench", "\xff\n"};
  const std::string text = document_text(document);
  EXPECT_TRUE(text.ends_with("}\n"));
  EXPECT_EQ(Json::parse(text)["command"][1], "\xef\xbf\xbd\n");
}

TEST(CaseId, has_the_parameters_in_the_order_of_the_family) {
  ParameterSet parameters;
  for (const char* key : {"B", "H", "H_kv"}) parameters.set(key, std::int64_t{1});
  parameters.set("N_q", std::int64_t{4096});
  parameters.set("N_k", std::int64_t{4096});
  parameters.set("D", std::int64_t{128});
  parameters.set("causal", false);
  const std::string id =
      "attention/"
      "fused_row?dtype=f32&B=1&H=1&H_kv=1&N_q=4096&N_k=4096&D=128&causal=false&cache=warm";
  EXPECT_EQ(
      case_id("attention", "fused_row", DType::f32, parameters, CacheMode::warm, InputKind::random),
      id);
  EXPECT_EQ(case_id("attention", "fused_row", DType::f32, parameters, CacheMode::warm,
                    InputKind::outlier),
            id + "&input=outlier");
}

TEST(Achieved, has_no_intensity_without_bytes_and_no_efficiency_without_energy) {
  const Work work = {.flops = 100, .bytes_read = 30, .bytes_written = 20};
  const Achieved full = achieved(work, 0.5, 4.0);
  EXPECT_EQ(full.flops_per_s, 200);
  EXPECT_EQ(full.bytes_per_s, 100);
  EXPECT_EQ(full.arithmetic_intensity, 2);
  EXPECT_EQ(full.flops_per_j, 25);
  const Achieved bare = achieved({.flops = 100}, 0.5, std::nullopt);
  EXPECT_EQ(bare.arithmetic_intensity, std::nullopt);
  EXPECT_EQ(bare.flops_per_j, std::nullopt);
  EXPECT_EQ(achieved(work, 0.5, 0.0).flops_per_j, std::nullopt);
}

TEST(Facts, of_this_program_and_host_are_there) {
  EXPECT_FALSE(this_tool().version.empty());
  const HostFacts host = this_host();
  EXPECT_TRUE(host.name && host.os && host.cpu);
  EXPECT_GE(host.logical_cores.value_or(0), 1);
  EXPECT_GT(host.memory_bytes.value_or(0), 1 << 20);
  const std::string now = now_utc();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now[19], 'Z');
}

TEST(Ceilings, fit_only_the_device_as_it_was) {
  Document document = full_document();
  document.status = Document::Status::complete;
  const auto refusal = [&](auto change) {
    DeviceFacts device = document.device;
    change(device);
    try {
      check_ceilings_fit(document, device, document.host);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::not_comparable);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(refusal([](DeviceFacts&) {}), "accepted");
  EXPECT_EQ(refusal([](DeviceFacts& d) { d.id = "cuda:0"; }), "accepted");  // ordinals mean nothing
  EXPECT_TRUE(has(refusal([](DeviceFacts& d) { d.uuid = "GPU-2"; }),
                  "device UUID GPU-1, and this is GPU-2"));
  EXPECT_TRUE(has(refusal([](DeviceFacts& d) { d.driver_version = "575"; }),
                  "driver version 580.1, and this is 575"));
  EXPECT_TRUE(has(refusal([](DeviceFacts& d) { d.power_limit_w = 500; }),
                  "a power limit in watts of 700, and this is 500"));
  EXPECT_TRUE(has(refusal([](DeviceFacts& d) { d.power_limit_w = {}; }), "and this is unknown"));
  EXPECT_TRUE(has(refusal([](DeviceFacts& d) { d.kind = DeviceKind::host; }), "device cuda:1"));
  EXPECT_TRUE(has(refusal([](DeviceFacts& d) { d.multiprocessors = 100; }),
                  "a number of multiprocessors of 132, and this is 100"));
  EXPECT_TRUE(has(refusal([](DeviceFacts& d) { d.l2_bytes = 1; }), "an L2 in bytes of"));
  // Of a GPU the host is no part.
  HostFacts elsewhere;
  EXPECT_NO_THROW(check_ceilings_fit(document, document.device, elsewhere));
}

}  // namespace
}  // namespace gpubench
