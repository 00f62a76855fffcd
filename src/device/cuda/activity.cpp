// Activity records of CUPTI, which is loaded when a cross-check is asked for and stays attached to
// the process from its first trace on: the driver then calls into the library, and a detached one
// (cuptiFinalize) crashes with graphs in versions before 12.6.
#include "device/activity.hpp"

#include <string>

#include "base/error.hpp"
#include "device/cuda/timer.hpp"
#include "device/cuda/timer_kernels.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

#include "device/cuda/library.hpp"

namespace gpubench::cuda {
namespace {

// Records only ever grew at their end, and the library says where the next one begins, so the
// layout of CUDA 12.0, the oldest toolkit that builds this, reads those of every later library.
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using FillRecord = CUpti_ActivityMemset4;
constexpr std::uint32_t oldest_version = 19;  // of CUDA 12.0, by cupti_version.h

// CONCURRENT_KERNEL, not KERNEL: that one runs kernels one after the other. Without GRAPH_TRACE
// every node of a graph has a record of its own.
constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

std::vector<std::string> cupti_files() {
  std::vector<std::string> files = toolkit_library("cupti");
  // Some toolkits keep it beside their libraries, some in extras/ alone.
  const std::string newest = files.front();
  for (const std::string& directory : library_directories())
    files.push_back(std::filesystem::path(directory).parent_path() / "extras/CUPTI/lib64" / newest);
  return files;
}

struct Cupti {
  Library library{cupti_files()};
  template <class Function>
  Function* find(const char* name) const {
    return library.symbol<Function>(name);
  }
  decltype(cuptiGetVersion)* version = find<decltype(cuptiGetVersion)>("cuptiGetVersion");
  decltype(cuptiGetResultString)* result_string =
      find<decltype(cuptiGetResultString)>("cuptiGetResultString");
  decltype(cuptiSubscribe)* subscribe = find<decltype(cuptiSubscribe)>("cuptiSubscribe");
  decltype(cuptiActivityRegisterCallbacks)* register_callbacks =
      find<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
  decltype(cuptiActivityEnable)* enable =
      find<decltype(cuptiActivityEnable)>("cuptiActivityEnable");
  decltype(cuptiActivityDisable)* disable =
      find<decltype(cuptiActivityDisable)>("cuptiActivityDisable");
  decltype(cuptiActivityFlushAll)* flush =
      find<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll");
  decltype(cuptiActivityGetNextRecord)* next_record =
      find<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
  decltype(cuptiActivityGetNumDroppedRecords)* dropped =
      find<decltype(cuptiActivityGetNumDroppedRecords)>("cuptiActivityGetNumDroppedRecords");
};

// Never unloaded, as the driver calls into it once it is attached.
const Cupti& cupti() {
  static const Cupti* const loaded = new Cupti;
  return *loaded;
}

std::string_view advice(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "; a profiler, sanitizer or debugger has CUPTI already: run without it";
    case CUPTI_ERROR_NOT_INITIALIZED:
      return "; CUPTI could not attach to the driver: another tool is attached, or the driver is "
             "older than the toolkit that CUPTI is of";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "; the driver keeps it to administrators: run as root or with CAP_SYS_ADMIN, or load "
             "the driver with NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "; the hypervisor does not allow it on this virtual GPU";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "; not possible in confidential computing mode";
    default:
      return {};
  }
}

void check_cupti(CUptiResult result, std::string_view what) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cupti().result_string(result, &text);
  throw Error(ExitCode::no_device,
              std::string(what) + " with CUPTI (" + cupti().library.path() + ") failed: " +
                  (text ? text : "error " + std::to_string(result)) + std::string(advice(result)));
}

// What CUPTI hands back, on a thread of its own or in a flush.
struct Received {
  std::mutex mutex;
  std::vector<ActivityRecord> records;
  std::size_t lost = 0;
};

// Never destroyed: CUPTI may hand back a buffer while the process ends.
Received& received() {
  static Received* const instance = new Received;
  return *instance;
}

Activity times(std::uint64_t start, std::uint64_t end) {
  return {static_cast<std::int64_t>(start), static_cast<std::int64_t>(end)};
}

void take(const CUpti_Activity* record, std::vector<ActivityRecord>& records) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto* kernel = reinterpret_cast<const KernelRecord*>(record);
      records.push_back(
          {owner(kernel->name ? kernel->name : ""), times(kernel->start, kernel->end)});
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* copy = reinterpret_cast<const CopyRecord*>(record);
      records.push_back({ActivityRecord::Of::launch, times(copy->start, copy->end)});
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto* fill = reinterpret_cast<const FillRecord*>(record);
      records.push_back({ActivityRecord::Of::launch, times(fill->start, fill->end)});
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI buffer_wanted(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  constexpr std::size_t size = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, size));  // null: CUPTI counts a loss
  *bytes = *buffer ? size : 0;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI buffer_filled(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                            std::size_t bytes) {
  Received& here = received();
  const std::lock_guard lock(here.mutex);
  try {
    CUpti_Activity* record = nullptr;
    CUptiResult result = CUPTI_SUCCESS;
    while (bytes > 0 && (result = cupti().next_record(buffer, bytes, &record)) == CUPTI_SUCCESS)
      take(record, here.records);
    // The buffer is read to its end, or to a record that was never finished.
    if (result != CUPTI_SUCCESS && result != CUPTI_ERROR_MAX_LIMIT_REACHED) ++here.lost;
  } catch (const std::bad_alloc&) {
    ++here.lost;
  }
  std::free(buffer);
}

void CUPTIAPI ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void attach() {
  static const bool attached = [] {
    // Subscribed to claim CUPTI for this process: with another client it fails here.
    CUpti_SubscriberHandle subscriber = nullptr;
    check_cupti(cupti().subscribe(&subscriber, ignore_callback, nullptr), "attaching");
    check_cupti(cupti().register_callbacks(buffer_wanted, buffer_filled), "handing over buffers");
    return true;
  }();
  static_cast<void>(attached);
}

// Records from construction to destruction. What it records ends within its life.
class Recording {
 public:
  Recording() {
    attach();
    try {
      for (const CUpti_ActivityKind kind : kinds)
        check_cupti(cupti().enable(kind), "recording what the device runs");
    } catch (...) {
      stop();
      throw;
    }
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    stop();
    cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);  // not into the next recording
  }

  // The records since the last call, and how many are missing among them. The device has ended its
  // work.
  std::pair<std::vector<ActivityRecord>, std::size_t> take() {
    check_cupti(cupti().flush(0), "collecting the records");  // those that are finished
    check_cupti(cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "collecting all records");
    std::size_t dropped = 0;
    check_cupti(cupti().dropped(nullptr, 0, &dropped), "counting the records that were dropped");
    Received& from = received();
    const std::lock_guard lock(from.mutex);
    return {std::exchange(from.records, {}), std::exchange(from.lost, 0) + dropped};
  }

 private:
  static void stop() {
    for (const CUpti_ActivityKind kind : kinds) cupti().disable(kind);
  }
};

class CuptiTracer final : public ActivityTracer {
 public:
  explicit CuptiTracer(Device& device) : device_(device) {}

  std::vector<TracedSample> trace(const Launch& launch, const TimerOptions& options,
                                  int samples) override {
    device_.synchronize();
    Recording recording;
    // CUPTI sets its own memory up at the first kernel it sees, and a graph must be made while it
    // records.
    launch(device_.stream());
    device_.synchronize();
    const auto timer = device_.timer(launch, options);
    std::vector<TracedSample> traced;
    for (int i = -1; i < samples; ++i) {  // the first one warms up
      recording.take();
      const Sample sample = timer->run(1).front();
      device_.synchronize();
      auto [records, lost] = recording.take();
      if (i >= 0)
        traced.push_back(cut_sample(sample.seconds_per_launch * options.launches_per_sample,
                                    std::move(records), lost));
    }
    return traced;
  }

 private:
  Device& device_;
};

std::unique_ptr<ActivityTracer> make_tracer(Device& device) {
  std::uint32_t version = 0;
  check_cupti(cupti().version(&version), "asking for its version");
  if (version < oldest_version)
    throw Error(ExitCode::no_device,
                cupti().library.path() + " has CUPTI API version " + std::to_string(version) +
                    ", and " + std::to_string(oldest_version) + " (CUDA 12.0) or newer is needed");
  return std::make_unique<CuptiTracer>(device);
}

}  // namespace
}  // namespace gpubench::cuda

#else

namespace gpubench::cuda {
namespace {

std::unique_ptr<ActivityTracer> make_tracer(Device&) {
  throw Error(ExitCode::no_device,
              "a cross-check needs CUPTI, whose headers the toolkit that built this gpubench does "
              "not have: install its CUPTI package (cuda-cupti-dev) and build again");
}

}  // namespace
}  // namespace gpubench::cuda

#endif

namespace gpubench {

std::unique_ptr<ActivityTracer> open_activity_tracer(Device& device) {
  if (device.facts().kind != DeviceKind::cuda)
    throw Error(ExitCode::no_device, device.facts().id +
                                         " keeps no records of what ran: a cross-check needs a GPU "
                                         "(--device cuda)");
  if (cuda::tool_attached())
    throw Error(ExitCode::no_device,
                "a cross-check needs CUPTI for itself, and a profiler, sanitizer or debugger "
                "watches this process: run without it");
  return cuda::make_tracer(device);
}

}  // namespace gpubench
