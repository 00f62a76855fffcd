#include "device/devices.hpp"

#include <algorithm>
#include <climits>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gpubench {
namespace {

// Digits alone: "cuda:+1", "cuda:-1" and "cuda:" are not device names. No machine has as many
// devices as the largest number that is returned.
std::optional<std::int64_t> parse_ordinal(std::string_view text) {
  if (text.empty() ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return parse_integer(text).value_or(std::numeric_limits<std::int64_t>::max());
}

std::string inventory(int count) {
  std::string text =
      "this machine has " + counted(count, "CUDA device", "CUDA devices") + " (cuda:0";
  if (count > 1) text += " to cuda:" + std::to_string(count - 1);
  return text + ")";
}

std::unique_ptr<Device> open_cuda(std::string_view text, std::int64_t ordinal) {
  const CudaStatus status = cuda_status();
  if (status.device_count == 0)
    throw Error(ExitCode::no_device, "cannot run on " + std::string(text) + ": " + status.reason);
  if (ordinal >= status.device_count)
    throw Error(ExitCode::no_device,
                "there is no " + std::string(text) + ": " + inventory(status.device_count));
  return open_cuda_device(static_cast<int>(ordinal));
}

// The first GPU that opens: one may be busy in exclusive mode, or older than every architecture
// built.
std::unique_ptr<Device> open_first_usable(std::string& note) {
  const CudaStatus status = cuda_status();
  std::string reason = status.reason;
  for (int ordinal = 0; ordinal < status.device_count; ++ordinal) {
    try {
      auto device = open_cuda_device(ordinal);
      if (ordinal > 0) note = "running on cuda:" + std::to_string(ordinal) + ": " + reason;
      return device;
    } catch (const Error& error) {
      if (error.code() != ExitCode::no_device) throw;
      if (ordinal == 0) reason = error.what();
    }
  }
  note = "running on the host: " + reason;
  return open_host_device();
}

}  // namespace

std::unique_ptr<Device> open_device(std::string_view text, std::string& note) {
  note.clear();
  if (text == "auto") return open_first_usable(note);
  if (text == "host") return open_host_device();
  if (text == "cuda") return open_cuda(text, 0);
  constexpr std::string_view prefix = "cuda:";
  if (text.starts_with(prefix)) {
    if (const auto ordinal = parse_ordinal(text.substr(prefix.size())))
      return open_cuda(text, *ordinal);
  }
  throw Error(ExitCode::usage,
              "'" + std::string(text) +
                  "' is not a device; allowed: auto, cuda, cuda:N (N = 0, 1, ...), host");
}

}  // namespace gpubench
