// gpubench-micro: the ceilings and variants as Google Benchmarks, for people who live with its
// filters, its JSON and its compare script. Times are the device's own (manual time, from the same
// timers as gpubench's). Nothing is verified here: `gpubench verify` does that. The program's own
// paths are timed too: writing and reading a document, a plan, statistics.
//
// The device is GPUBENCH_DEVICE (auto, cuda, cuda:N, host); everything else is Google Benchmark's.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/case_memory.hpp"
#include "cli/plan.hpp"
#include "device/devices.hpp"
#include "document/output_file.hpp"
#include "document/read.hpp"
#include "document/write.hpp"
#include "kernels/families.hpp"
#include "measure/statistics.hpp"
#include "roofline/candidates.hpp"

namespace gpubench {
namespace {

// Samples of one launch as iterations, a millisecond of load at the least between two looks at the
// clock.
void time_launches(benchmark::State& state, Device& device, const Launch& launch,
                   Submission submission) {
  launch(device.stream());  // kernels are loaded on first use
  device.synchronize();
  const double once_s =
      device.timer(launch, {.submission = submission})->run(1).front().seconds_per_launch;
  constexpr double sample_s = 1e-3;
  TimerOptions options{.submission = submission};
  if (submission != Submission::blocking && once_s > 0)
    options.launches_per_sample = static_cast<int>(std::clamp(sample_s / once_s, 1.0, 1000.0));
  const auto timer = device.timer(launch, options);
  for (auto _ : state) state.SetIterationTime(timer->run(1).front().seconds_per_launch);
}

void report_rate(benchmark::State& state, const char* name, double amount) {
  if (amount > 0)
    state.counters[name] =
        benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
}

void run_ceiling(benchmark::State& state, Device& device, const CeilingSpec& spec) {
  try {
    const auto candidates = spec.prepare(device, DataPattern::random);
    const CeilingCandidate& candidate = candidates.front();
    state.SetLabel(candidate.technique);
    time_launches(state, device, candidate.launch, candidate.submission);
    report_rate(state, std::string(spec.unit) == "byte/s" ? "bytes" : "operations",
                candidate.amount);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void run_variant(benchmark::State& state, Device& device, const Family& family,
                 std::size_t variant) {
  try {
    const auto instance =
        family.instantiate(variant, complete(family.parameters(), {}, device.facts().kind));
    const CaseMemory memory(device, *instance, InputKind::random, 1);
    time_launches(
        state, device, [&](Stream stream) { instance->launch(memory.buffers(), stream); },
        instance->submission());
    const Work work = instance->work();
    report_rate(state, "flops", work.flops);
    report_rate(state, "bytes", work.bytes_read + work.bytes_written);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void register_device(Device& device) {
  for (const std::string_view name : ceiling_names(device.facts().kind)) {
    const SpecChoice choice = choose_spec(ceiling_specs(), name, device.facts());
    if (!choice.spec) continue;
    benchmark::RegisterBenchmark(("ceiling/" + std::string(name)).c_str(),
                                 [&device, spec = choice.spec](benchmark::State& state) {
                                   run_ceiling(state, device, *spec);
                                 })
        ->UseManualTime();
  }
  for (const Family* family : families()) {
    const auto variants = family->variants();
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if (unsupported(variants[i], device.facts())) continue;
      const std::string id = std::string(family->name()) + "/" + std::string(variants[i].name) +
                             "/" + std::string(name(variants[i].dtype));
      benchmark::RegisterBenchmark(id.c_str(), [&device, family, i](benchmark::State& state) {
        run_variant(state, device, *family, i);
      })->UseManualTime();
    }
  }
}

// A document of `count` cases with 20 samples each.
Document large_document(int count) {
  Document document;
  document.tool = this_tool();
  document.command = {"gpubench"};
  document.started_at = now_utc();
  document.host = this_host();
  document.device.id = "host";
  document.device.name = "made up";
  for (int i = 0; i < count; ++i) {
    CaseRecord record;
    record.family = "vector_add";
    record.variant = "scalar";
    record.parameters.set("N", std::int64_t{i + 1});
    record.id = case_id(record.family, record.variant, record.dtype, record.parameters,
                        record.cache, record.input);
    std::vector<double> samples(20);
    for (std::size_t s = 0; s < samples.size(); ++s)
      samples[s] = 1e-3 + 1e-6 * static_cast<double>((s * 7 + i) % 20);
    record.timing = summarize(std::move(samples));
    record.timing->clock = "steady_clock";
    document.cases.push_back(std::move(record));
  }
  return document;
}

constexpr int many_cases = 10'000;

void write_document(benchmark::State& state) {
  const Document document = large_document(many_cases);
  for (auto _ : state) benchmark::DoNotOptimize(document_text(document));
}

void read_document_back(benchmark::State& state) {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("gpubench-micro-" + std::to_string(getpid()) + ".json");
  OutputFile file(path);
  file.write(document_text(large_document(many_cases)));
  file.commit();
  for (auto _ : state) benchmark::DoNotOptimize(read_document(path));
  std::filesystem::remove(path);
}

void expand_plan(benchmark::State& state) {
  Arguments arguments;
  arguments.family = "vector_add";
  arguments.parameters = {{"N", "1:5000:1"}};
  for (auto _ : state) benchmark::DoNotOptimize(plan_run(arguments, DeviceKind::host));
}

void summarize_samples(benchmark::State& state) {
  std::vector<double> samples(3000);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = 1e-3 + 1e-9 * static_cast<double>(i * 7919 % 3000);
  for (auto _ : state) benchmark::DoNotOptimize(summarize(samples));
}

int run(int argc, char** argv) {
  const char* wanted = std::getenv("GPUBENCH_DEVICE");
  std::string note;
  const auto device = open_device(wanted && *wanted ? wanted : "auto", note);
  if (!note.empty()) std::fprintf(stderr, "gpubench-micro: %s\n", note.c_str());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return static_cast<int>(ExitCode::usage);
  benchmark::AddCustomContext("gpubench_device", device->facts().name);
  register_device(*device);
  benchmark::RegisterBenchmark("program/write_document", write_document)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("program/read_document", read_document_back)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("program/expand_plan", expand_plan)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("program/summarize", summarize_samples);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace gpubench

int main(int argc, char** argv) {
  try {
    return gpubench::run(argc, argv);
  } catch (const gpubench::Error& error) {
    std::fprintf(stderr, "gpubench-micro: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
