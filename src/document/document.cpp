#include "document/document.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "document/build_info/build_info.hpp"

namespace gpubench {
namespace {

// The value of the first line of the file that begins with `key`, quotes taken off.
std::optional<std::string> value_in(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(separator);
    if (at == std::string::npos) continue;
    const auto strip = [](std::string_view text) {
      constexpr std::string_view around = " \t\"'";
      const auto first = text.find_first_not_of(around);
      if (first == std::string_view::npos) return std::string_view{};
      return text.substr(first, text.find_last_not_of(around) - first + 1);
    };
    const std::string_view whole = line;
    const std::string_view value = strip(whole.substr(at + 1));
    if (strip(whole.substr(0, at)) == key && !value.empty()) return std::string(value);
  }
  return std::nullopt;
}

std::optional<std::int64_t> system_number(int what) {
  const long value = ::sysconf(what);
  if (value <= 0) return std::nullopt;
  return value;
}

template <class T>
std::string known(const std::optional<T>& value) {
  if (!value) return "unknown";
  if constexpr (std::is_integral_v<T>)
    return std::to_string(*value);
  else if constexpr (std::is_floating_point_v<T>)
    return shortest(*value);
  else
    return *value;
}

// The ceiling that a run on zeros belongs to.
std::string_view without_pattern(std::string_view ceiling) {
  constexpr std::string_view zeros = "_zeros";
  return ceiling.ends_with(zeros) ? ceiling.substr(0, ceiling.size() - zeros.size()) : ceiling;
}

}  // namespace

std::string_view name(CaseStatus status) {
  switch (status) {
    case CaseStatus::ok:
      return "ok";
    case CaseStatus::failed:
      return "failed";
    case CaseStatus::skipped:
      return "skipped";
    case CaseStatus::interrupted:
      return "interrupted";
  }
  return "";
}

std::string_view name(Document::Status status) {
  return status == Document::Status::complete ? "complete" : "interrupted";
}

WorkRecord record(const Work& work, std::optional<double> modelled_bytes) {
  return {.flops = work.flops,
          .bytes_read = work.bytes_read,
          .bytes_written = work.bytes_written,
          .modelled_bytes = modelled_bytes,
          .working_set_bytes = work.working_set_bytes,
          .convention = std::string(work.convention)};
}

Achieved achieved(const Work& work, double seconds, std::optional<double> energy_j_per_launch) {
  const double bytes = work.bytes_read + work.bytes_written;
  Achieved result{.flops_per_s = work.flops / seconds,
                  .bytes_per_s = bytes / seconds,
                  .arithmetic_intensity = std::nullopt,
                  .flops_per_j = std::nullopt};
  if (bytes > 0) result.arithmetic_intensity = work.flops / bytes;
  if (energy_j_per_launch && *energy_j_per_launch > 0)
    result.flops_per_j = work.flops / *energy_j_per_launch;
  return result;
}

Tool this_tool() {
  const BuildInfo& info = build_info();
  return {.version = info.version,
          .git_commit = info.git_commit,
          .git_dirty = info.git_dirty,
          .compiler = info.compiler,
          .cuda_toolkit = info.cuda_toolkit,
          .cuda_architectures = info.cuda_architectures,
          .build_type = info.build_type,
          .kernel_sources_sha256 = info.kernel_sources_sha256};
}

HostFacts this_host() {
  HostFacts facts;
  utsname system{};
  if (::uname(&system) == 0) {
    facts.name = system.nodename;
    facts.os = fmt::format("{} {}", system.sysname, system.release);
    facts.cpu = system.machine;
  }
  if (auto pretty = value_in("/etc/os-release", "PRETTY_NAME", '=')) facts.os = pretty;
  // x86 has the name here; other processors keep the machine's architecture.
  if (auto model = value_in("/proc/cpuinfo", "model name", ':')) facts.cpu = model;
  facts.logical_cores = system_number(_SC_NPROCESSORS_ONLN);
  const auto pages = system_number(_SC_PHYS_PAGES);
  const auto page_bytes = system_number(_SC_PAGESIZE);
  if (pages && page_bytes) facts.memory_bytes = *pages * *page_bytes;
  return facts;
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string case_id(std::string_view family, std::string_view variant, DType dtype,
                    const ParameterSet& parameters, CacheMode cache, InputKind input) {
  std::string id = fmt::format("{}/{}?dtype={}", family, variant, name(dtype));
  for (const auto& [key, value] : parameters.values())
    id += fmt::format("&{}={}", key, text(value));
  id += fmt::format("&cache={}", name(cache));
  if (input != InputKind::random) id += fmt::format("&input={}", name(input));
  return id;
}

void check_ceilings_fit(const Document& document, const DeviceFacts& device,
                        const HostFacts& host) {
  const DeviceFacts& measured = document.device;
  const auto refuse = [](std::string_view what, std::string_view there, std::string_view here) {
    throw Error(
        ExitCode::not_comparable,
        fmt::format("the ceilings do not fit this device: they were measured with {} {}, and "
                    "this is {}; measure them here with 'gpubench roofline --json FILE'",
                    what, there, here));
  };
  if (document.ceilings.empty())
    throw Error(
        ExitCode::not_comparable,
        "the document has no ceilings; 'gpubench roofline --json FILE' writes one that has");
  if (document.status == Document::Status::interrupted)
    throw Error(ExitCode::not_comparable,
                "the measurement of the document was interrupted, so that ceilings are missing; "
                "'gpubench roofline --json FILE' writes a complete one");
  if (measured.kind != device.kind) refuse("device", measured.id, device.id);
  if (measured.uuid != device.uuid) refuse("device UUID", known(measured.uuid), known(device.uuid));
  if (measured.name != device.name) refuse("device", measured.name, device.name);
  if (measured.driver_version != device.driver_version)
    refuse("driver version", known(measured.driver_version), known(device.driver_version));
  if (measured.power_limit_w != device.power_limit_w)
    refuse("a power limit in watts of", known(measured.power_limit_w), known(device.power_limit_w));
  if (measured.multiprocessors != device.multiprocessors)
    refuse(device.kind == DeviceKind::host ? "a number of processors of"
                                           : "a number of multiprocessors of",
           known(measured.multiprocessors), known(device.multiprocessors));
  if (measured.l2_bytes != device.l2_bytes)
    refuse(device.kind == DeviceKind::host ? "a last-level cache in bytes of" : "an L2 in bytes of",
           known(measured.l2_bytes), known(device.l2_bytes));
  if (device.kind == DeviceKind::host) {
    if (document.host.cpu != host.cpu)
      refuse("processor", known(document.host.cpu), known(host.cpu));
    if (document.host.name != host.name)
      refuse("host name", known(document.host.name), known(host.name));
  }
  bool usable = false;
  for (const Ceiling& ceiling : document.ceilings) {
    usable = usable || (ceiling.status == "ok" && ceiling.value);
    const CeilingSpec* spec = find_spec(device.kind, without_pattern(ceiling.name));
    if (spec && ceiling.unit != spec->unit)
      throw Error(ExitCode::not_comparable,
                  fmt::format("the ceiling {} is in {}, and this gpubench measures it in {}",
                              ceiling.name, ceiling.unit, spec->unit));
  }
  if (!usable)
    throw Error(ExitCode::not_comparable,
                "none of the document's ceilings was measured with success (status ok)");
}

}  // namespace gpubench
