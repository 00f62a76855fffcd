// Libraries that are loaded when they are first wanted, so that the program starts where they are
// missing. No CUDA header is needed to include this.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpubench::cuda {

// Owns one loaded library; it is unloaded with the last user's object, so what points into it must
// not outlive it.
class Library {
 public:
  // Loads the first of `file_names` that is found: each on the loader's own path, then each in
  // library_directories(). Throws Error{no_device} with one sentence that lists what was tried.
  explicit Library(std::span<const std::string> file_names);
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  // The function of that name: symbol<decltype(cublasSgemm_v2)>("cublasSgemm_v2"). Throws
  // Error{no_device} naming the library when it has none.
  template <class Function>
  Function* symbol(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  // The name or path under which it was loaded.
  const std::string& path() const { return path_; }

 private:
  void* address(const char* name) const;
  void* handle_ = nullptr;
  std::string path_;
};

// Where a toolkit keeps its libraries, besides the loader's path: CUDA_HOME/lib64, CUDA_PATH/lib64,
// /usr/local/cuda/lib64, the toolkit of this build. Each once, whether or not it exists.
std::vector<std::string> library_directories();

// File names of a library of the CUDA Toolkit, the one of this build's major version first:
// "cublas" -> libcublas.so.13, libcublas.so.
std::vector<std::string> toolkit_library(std::string_view name);

// Why the library cannot be loaded (the sentence Library would throw), or nothing when it can.
std::optional<std::string> missing_library(std::span<const std::string> file_names);

}  // namespace gpubench::cuda
