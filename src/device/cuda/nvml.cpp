#include "device/cuda/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <set>
#include <utility>
#include <vector>

namespace gpubench::cuda {
namespace {

// NVML's stable C ABI, as its documentation gives it (NVML API Reference Guide).
using Result = int;  // nvmlReturn_t, 0 is success
using Handle = void*;
constexpr Result success = 0;
constexpr Result insufficient_size = 7;
constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int temperature_gpu = 0;

struct ProcessInfo {  // nvmlProcessInfo_v2_t, used by the _v2 and _v3 queries
  unsigned int pid;
  unsigned long long used_bytes;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};

struct FieldValue {  // nvmlFieldValue_t
  unsigned int field;
  unsigned int scope;  // of power: 0 is the GPU
  long long timestamp_us;
  long long latency_us;
  unsigned int type;
  Result result;
  union {
    unsigned int as_unsigned;
    unsigned long long widest;
  } value;
};
constexpr unsigned int field_power_instant = 186;  // NVML_FI_DEV_POWER_INSTANT, mW
constexpr unsigned int type_unsigned = 1;          // NVML_VALUE_TYPE_UNSIGNED_INT

// nvmlClocksThrottleReason*: gpu_idle (bit 0) limits nothing and is left out.
constexpr std::array<std::pair<unsigned long long, const char*>, 8> throttle_names{{
    {0x02, "applications_clocks_setting"},
    {0x04, "sw_power_cap"},
    {0x08, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
}};

template <class Function>
void find(void* library, Function*& function, const char* symbol) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
}

}  // namespace

struct Nvml::Library {
  void* file = nullptr;
  bool initialised = false;
  Handle device = nullptr;  // the GPU, or the MIG instance
  Handle board = nullptr;   // the GPU: a MIG instance has no sensors of its own

  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*system_driver_version)(char*, unsigned int) = nullptr;
  Result (*handle_by_uuid)(const char*, Handle*) = nullptr;
  Result (*board_of_mig)(Handle, Handle*) = nullptr;
  Result (*clock)(Handle, int, unsigned int*) = nullptr;      // MHz
  Result (*max_clock)(Handle, int, unsigned int*) = nullptr;  // MHz
  Result (*power)(Handle, unsigned int*) = nullptr;           // mW
  Result (*field_values)(Handle, int, FieldValue*) = nullptr;
  Result (*compute_capability)(Handle, int*, int*) = nullptr;
  Result (*power_limit)(Handle, unsigned int*) = nullptr;       // mW
  Result (*energy)(Handle, unsigned long long*) = nullptr;      // mJ since the driver was loaded
  Result (*temperature)(Handle, int, unsigned int*) = nullptr;  // degrees Celsius
  Result (*throttle_reasons)(Handle, unsigned long long*) = nullptr;
  Result (*processes)(Handle, unsigned int*, ProcessInfo*) = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (initialised && shutdown) shutdown();
    if (file) dlclose(file);
  }

  bool load() {
    file = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!file) return false;
    find(file, init, "nvmlInit_v2");
    find(file, shutdown, "nvmlShutdown");
    find(file, system_driver_version, "nvmlSystemGetDriverVersion");
    find(file, handle_by_uuid, "nvmlDeviceGetHandleByUUID");
    find(file, board_of_mig, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
    find(file, clock, "nvmlDeviceGetClockInfo");
    find(file, max_clock, "nvmlDeviceGetMaxClockInfo");
    find(file, power, "nvmlDeviceGetPowerUsage");
    find(file, field_values, "nvmlDeviceGetFieldValues");
    find(file, compute_capability, "nvmlDeviceGetCudaComputeCapability");
    find(file, power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    find(file, energy, "nvmlDeviceGetTotalEnergyConsumption");
    find(file, temperature, "nvmlDeviceGetTemperature");
    // Renamed in driver 535; the older name stays as an alias of the same ABI.
    find(file, throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    if (!throttle_reasons)
      find(file, throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(file, processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    if (!processes) find(file, processes, "nvmlDeviceGetComputeRunningProcesses_v2");
    initialised = init && init() == success;
    return initialised;
  }

  bool find_device(const std::string& uuid) {
    if (!handle_by_uuid || handle_by_uuid(uuid.c_str(), &device) != success) return false;
    board = device;
    if (uuid.starts_with("MIG-") && (!board_of_mig || board_of_mig(device, &board) != success))
      board = device;
    return true;
  }

  // One reading of the board, a whole number of `unit`s.
  template <class Value>
  std::optional<double> reading(Result (*query)(Handle, Value*), double unit) const {
    Value value = 0;
    if (!query || query(board, &value) != success) return std::nullopt;
    return static_cast<double>(value) * unit;
  }
  // The same, of a query that takes a kind of clock or sensor.
  std::optional<double> reading(Result (*query)(Handle, int, unsigned int*), int kind,
                                double unit) const {
    unsigned int value = 0;
    if (!query || query(board, kind, &value) != success) return std::nullopt;
    return static_cast<double>(value) * unit;
  }
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

std::unique_ptr<Nvml> Nvml::open(const std::string& uuid) {
  auto library = std::make_unique<Library>();
  if (!library->load() || !library->find_device(uuid)) return nullptr;
  return std::unique_ptr<Nvml>(new Nvml(std::move(library)));
}

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, 96> text{};
  const auto query = library_->system_driver_version;
  if (!query || query(text.data(), static_cast<unsigned int>(text.size()) - 1) != success)
    return std::nullopt;
  return std::string(text.data());
}

std::optional<double> Nvml::sm_clock_max_hz() const {
  return library_->reading(library_->max_clock, clock_sm, 1e6);
}

std::optional<double> Nvml::memory_clock_max_hz() const {
  return library_->reading(library_->max_clock, clock_memory, 1e6);
}

std::optional<double> Nvml::power_limit_w() const {
  return library_->reading(library_->power_limit, 1e-3);
}

// nvmlDeviceGetPowerUsage is the mean of the last second on Ampere (but GA100) and everything
// since, as its documentation says: most of it is then what ran before a case. There the field for
// the power of the moment, which came with driver 535, is asked, and nothing else will do.
std::optional<double> Nvml::power_w() const {
  const Library& nvml = *library_;
  FieldValue power{};
  power.field = field_power_instant;
  if (nvml.field_values && nvml.field_values(nvml.board, 1, &power) == success &&
      power.result == success && power.type == type_unsigned)
    return power.value.as_unsigned * 1e-3;
  int major = 0;
  int minor = 0;
  if (!nvml.compute_capability || nvml.compute_capability(nvml.board, &major, &minor) != success ||
      std::pair(major, minor) > std::pair(8, 0))
    return std::nullopt;
  return nvml.reading(nvml.power, 1e-3);
}

TelemetryReading Nvml::telemetry() const {
  const Library& nvml = *library_;
  TelemetryReading reading;
  reading.sm_clock_hz = nvml.reading(nvml.clock, clock_sm, 1e6);
  reading.memory_clock_hz = nvml.reading(nvml.clock, clock_memory, 1e6);
  reading.power_w = power_w();
  reading.energy_j = nvml.reading(nvml.energy, 1e-3);
  reading.temperature_c = nvml.reading(nvml.temperature, temperature_gpu, 1.0);
  unsigned long long reasons = 0;
  if (nvml.throttle_reasons && nvml.throttle_reasons(nvml.board, &reasons) == success)
    for (const auto& [bit, reason] : throttle_names)
      if (reasons & bit) reading.throttle_reasons.emplace_back(reason);
  reading.other_processes = other_processes();
  return reading;
}

std::optional<int> Nvml::other_processes() const {
  const Library& nvml = *library_;
  if (!nvml.processes) return std::nullopt;
  std::vector<ProcessInfo> processes(64);
  auto count = static_cast<unsigned int>(processes.size());
  Result result = nvml.processes(nvml.device, &count, processes.data());
  if (result == insufficient_size) {
    processes.resize(count + 64);  // more may start meanwhile
    count = static_cast<unsigned int>(processes.size());
    result = nvml.processes(nvml.device, &count, processes.data());
  }
  if (result != success) return std::nullopt;
  std::set<unsigned int> pids;
  for (unsigned int i = 0; i < count; ++i) pids.insert(processes[i].pid);
  // This process holds a context on the device, so that it is one of the list, under its own pid
  // or, in a container, under the one that the host knows. An empty list is a container's that sees
  // nobody.
  return pids.empty() ? 0 : static_cast<int>(pids.size()) - 1;
}

}  // namespace gpubench::cuda
