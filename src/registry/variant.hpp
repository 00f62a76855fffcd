// One implementation of a family, as its manifest lists it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "device/device.hpp"
#include "registry/work.hpp"

namespace gpubench {

enum class Role { ladder, reference };
std::string_view name(Role);

struct Requirement {
  int compute_capability = 0;      // at least, 80 for 8.0
  bool exact_architecture = false; // arch-specific code: the device must be exactly compute_capability
  std::string_view library = {};   // "cublas": loaded at run time
};

// Device pointers of a case, in the order of the family's buffers.
struct Buffers {
  static constexpr std::size_t max_inputs = 4;
  std::array<const void*, max_inputs> inputs{};
  void* output = nullptr;
  void* workspace = nullptr;  // device memory, 256-byte aligned, contents undefined

  template <class T>
  const T* input(std::size_t index) const { return static_cast<const T*>(inputs[index]); }
  template <class T>
  T* out() const { return static_cast<T*>(output); }
  template <class T>
  T* work() const { return static_cast<T*>(workspace); }
};

// A part of a variant that can be launched, and is timed, alone (after a whole launch has filled what it reads).
template <class Problem>
struct Stage {
  std::string_view name;
  void (*launch)(const Problem&, const Buffers&, Stream) = nullptr;
  bool host_transfer = false;  // counts into the case's transfer share
};

template <class Problem>
struct Variant {
  std::string_view name;         // the technique, never a number alone
  std::string_view technique;    // one line: the idea
  std::string_view predecessor = {};  // the rung it improves on, "" for the first
  DType dtype = DType::f32;
  Role role = Role::ladder;
  DeviceKind device = DeviceKind::cuda;
  Requirement needs = {};
  std::optional<std::string> (*unsupported)(const Problem&) = nullptr;  // a reason, or nothing
  std::size_t (*workspace_bytes)(const Problem&) = nullptr;
  double (*modelled_bytes)(const Problem&) = nullptr;  // the traffic it causes, where that is not the minimum
  void (*launch)(const Problem&, const Buffers&, Stream) = nullptr;  // null in a build without CUDA
  std::span<const Stage<Problem>> stages = {};
  Submission submission = Submission::graph;
  MemoryKind memory = MemoryKind::device;  // where inputs and output live
};

#if defined(GPUBENCH_CUDA)
inline constexpr bool built_with_cuda = true;
#else
inline constexpr bool built_with_cuda = false;
#endif

// The launch function of a CUDA variant, or null in a build without CUDA, where it does not exist. The
// manifest lists the variant either way.
template <auto function>
constexpr auto cuda_launch() {
  if constexpr (built_with_cuda) return function;
  else return static_cast<decltype(function)>(nullptr);
}

// (name, dtype, device) is a key. For a static_assert beside every manifest.
template <class Problem, std::size_t count>
constexpr bool keys_are_unique(const std::array<Variant<Problem>, count>& variants) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j)
      if (variants[i].name == variants[j].name && variants[i].dtype == variants[j].dtype &&
          variants[i].device == variants[j].device)
        return false;
  return true;
}

}  // namespace gpubench
