#include "device/cuda/library.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/devices.hpp"
#include "document/build_info/build_info.hpp"

namespace gpubench::cuda {
namespace {

struct Loaded {
  void* handle = nullptr;
  std::string path;
};

std::string last_error() {
  const char* text = dlerror();
  return text ? text : "";
}

// The library, or a null handle and in `failure` the sentence for the user.
Loaded load_first(std::span<const std::string> file_names, std::string& failure) {
  std::vector<std::string> candidates(file_names.begin(), file_names.end());
  const std::vector<std::string> directories = library_directories();
  for (const std::string& directory : directories)
    for (const std::string& file : file_names) candidates.push_back(directory + "/" + file);

  std::string last_reason;
  for (const std::string& candidate : candidates) {
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, candidate};
    // A file that is there but cannot be used, as when a library that it needs itself is missing,
    // says more than the ones that are not there.
    const std::string reason = last_error();
    if (!(reason.starts_with(candidate) && reason.ends_with("No such file or directory")))
      last_reason = reason;
  }
  failure = "cannot load " + join(file_names, " or ") +
            "; tried the loader's path (LD_LIBRARY_PATH, ldconfig), " + join(directories, ", ");
  if (!last_reason.empty()) failure += " (" + last_reason + ")";
  failure += "; install it, or set CUDA_HOME to the toolkit that has it";
  return {};
}

}  // namespace

Library::Library(std::span<const std::string> file_names) {
  std::string failure;
  Loaded loaded = load_first(file_names, failure);
  if (!loaded.handle) throw Error(ExitCode::no_device, failure);
  handle_ = loaded.handle;
  path_ = std::move(loaded.path);
}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Library::~Library() {
  if (handle_) dlclose(handle_);
}

void* Library::address(const char* name) const {
  void* found = dlsym(handle_, name);
  if (!found)
    throw Error(ExitCode::no_device, path_ + " has no function " + name +
                                         ": this version of the library is not usable here");
  return found;
}

std::vector<std::string> library_directories() {
  std::vector<std::string> directories;
  const auto add = [&](std::string directory) {
    if (std::find(directories.begin(), directories.end(), directory) == directories.end())
      directories.push_back(std::move(directory));
  };
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable); home && *home) add(std::string(home) + "/lib64");
  add("/usr/local/cuda/lib64");
  if (const std::string& directory = build_info().cuda_library_directory; !directory.empty())
    add(directory);
  return directories;
}

std::vector<std::string> toolkit_library(std::string_view name) {
  const std::string file = "lib" + std::string(name) + ".so";
  return {file + "." + std::to_string(CUDART_VERSION / 1000), file};
}

std::optional<std::string> missing_library(std::span<const std::string> file_names) {
  std::string failure;
  const Loaded loaded = load_first(file_names, failure);
  if (!loaded.handle) return failure;
  dlclose(loaded.handle);
  return std::nullopt;
}

}  // namespace gpubench::cuda

namespace gpubench {

std::optional<std::string> missing_toolkit_library(std::string_view name) {
  // Asked before every case, and opening a library of hundreds of megabytes takes its time.
  static std::map<std::string, std::optional<std::string>, std::less<>> answers;
  auto answer = answers.find(name);
  if (answer == answers.end())
    answer = answers.emplace(name, cuda::missing_library(cuda::toolkit_library(name))).first;
  return answer->second;
}

}  // namespace gpubench
