#include <string>

#include "base/table.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "device/devices.hpp"
#include "document/build_info/build_info.hpp"
#include "document/document.hpp"

namespace gpubench {
namespace {

template <class Value, class Format>
std::string or_unknown(const std::optional<Value>& value, Format format) {
  return value ? format(*value) : "unknown";
}

std::string megahertz(double hertz) {
  return fixed(hertz / 1e6, 0) + " MHz";
}

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

void add_device(Table& table, Device& device) {
  const DeviceFacts& facts = device.facts();
  const auto add = [&](std::string key, std::string value) {
    table.add({"  " + std::move(key), std::move(value)});
  };
  const auto same = [](const std::string& text) { return text; };
  const auto count = [](int n) { return std::to_string(n); };
  const auto size = [](std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  table.add({facts.id, facts.name});
  const double free = static_cast<double>(device.free_bytes());
  add("memory", size(facts.memory_bytes) + ", " + bytes_text(free) + " free");
  if (facts.kind == DeviceKind::host) {
    add("cores usable", or_unknown(facts.multiprocessors, count));
    add("vector unit", or_unknown(facts.vector_unit, same));
    add("last-level cache", or_unknown(facts.l2_bytes, size));
    add("clock, maximum", or_unknown(facts.sm_clock_max_hz, megahertz));
    return;
  }
  add("UUID", or_unknown(facts.uuid, same));
  add("compute capability", or_unknown(facts.compute_capability, capability_text));
  add("multiprocessors", or_unknown(facts.multiprocessors, count));
  add("L2", or_unknown(facts.l2_bytes, size));
  add("SM clock, maximum", or_unknown(facts.sm_clock_max_hz, megahertz));
  add("memory clock, maximum", or_unknown(facts.memory_clock_max_hz, megahertz));
  add("memory bus",
      or_unknown(facts.memory_bus_bits, [](int bits) { return std::to_string(bits) + " bits"; }));
  add("ECC", or_unknown(facts.ecc_enabled, [](bool on) { return std::string(on ? "on" : "off"); }));
  add("MIG", facts.mig_profile.value_or("off"));
  add("power limit",
      or_unknown(facts.power_limit_w, [](double watts) { return fixed(watts, 0) + " W"; }));
  add("driver", or_unknown(facts.driver_version, same) + ", serves CUDA " +
                    or_unknown(facts.driver_api_version, same));
  add("CUDA runtime", or_unknown(facts.cuda_runtime_version, same));
  const TelemetryReading now = device.telemetry();
  add("clocks now", "SM " + or_unknown(now.sm_clock_hz, megahertz) + ", memory " +
                        or_unknown(now.memory_clock_hz, megahertz));
  add("temperature",
      or_unknown(now.temperature_c, [](double degrees) { return fixed(degrees, 0) + " °C"; }));
  add("other processes on it", or_unknown(now.other_processes, count));
  add("hardware counters", counters_permission(std::stoi(facts.id.substr(facts.id.find(':') + 1))));
}

}  // namespace

ExitCode command_info(const Arguments& arguments) {
  const BuildInfo& build = build_info();
  Table table({{"gpubench", false}, {build.version, false}});
  table.add(
      {"CUDA toolkit of the build", build.cuda_toolkit.value_or("none: built for the host only")});
  if (build.cuda_toolkit) table.add({"CUDA architectures", join(build.cuda_architectures, " ")});
  if (arguments.device != "auto") {
    std::string note;
    add_device(table, *open_device(arguments.device, note));
    return print_output(table.text(output_width()));
  }
  const CudaStatus status = cuda_status();
  for (int i = 0; i < status.device_count; ++i) add_device(table, *open_cuda_device(i));
  if (status.device_count == 0) table.add({"cuda", status.reason});
  add_device(table, *open_host_device());
  return print_output(table.text(output_width()));
}

}  // namespace gpubench
