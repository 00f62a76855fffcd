// A family: a problem, its parameters, inputs, oracle and work, and the variants that solve it.
// A family's folder fills in a Manifest<Problem>; FamilyOf erases the type for the command line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "registry/inputs.hpp"
#include "registry/parameter.hpp"
#include "registry/variant.hpp"
#include "registry/work.hpp"

namespace gpubench {

struct BufferSpec {
  std::string_view name;
  DType dtype = DType::f32;
  std::int64_t count = 0;
  std::size_t bytes() const { return static_cast<std::size_t>(count) * size_of(dtype); }
};

// How the output is laid out and what the oracle needs for it, in multiply-adds: the verifier
// chooses from this what it checks. A row costs row_cost once and element_cost for each of its
// outputs.
struct OutputShape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  double row_cost = 0;
  double element_cost = 1;
};

// One shape of `gpubench verify`, with the inputs to try on it.
struct VerifyShape {
  std::vector<std::pair<std::string_view, ParameterValue>> parameters;
  std::vector<InputKind> inputs;
  bool cuda_only = false;  // takes a CPU minutes: left out on the host
};

template <class Problem>
struct Manifest {
  std::string_view name;
  std::string_view summary;  // one line
  std::span<const Parameter> parameters;
  std::span<const ParameterAlias> aliases = {};
  Problem (*problem)(const ParameterSet&) = nullptr;  // the set is complete and in range
  std::vector<BufferSpec> (*inputs)(const Problem&, DType) = nullptr;
  BufferSpec (*output)(const Problem&, DType) = nullptr;
  Generator (*generator)(const Problem&, DType, std::size_t input, InputKind,
                         std::uint64_t seed) = nullptr;
  Work (*work)(const Problem&, DType) = nullptr;
  OutputShape (*output_shape)(const Problem&) = nullptr;
  // Expected values of the outputs at `indices` (flat, ascending). Float64, thread-safe, shares
  // nothing with the kernels; may reuse work between indices of one row.
  void (*oracle)(const Problem&, DType, const Inputs&, std::span<const std::int64_t> indices,
                 std::span<Expected>) = nullptr;
  std::vector<VerifyShape> (*verify_shapes)() = nullptr;
  std::span<const Variant<Problem>> variants;
};

// What the program may know of a variant without a problem.
struct VariantFacts {
  std::string_view name, technique, predecessor;
  DType dtype = DType::f32;
  Role role = Role::ladder;
  DeviceKind device = DeviceKind::cuda;
  Requirement needs;
  bool built = true;  // false: a CUDA variant in a build without CUDA
};

// A variant on a concrete problem: everything needed to run, time and judge it.
class Instance {
 public:
  virtual ~Instance() = default;
  virtual std::optional<std::string> unsupported() const = 0;  // of this problem, a reason
  virtual std::vector<BufferSpec> inputs() const = 0;
  virtual BufferSpec output() const = 0;
  virtual std::size_t workspace_bytes() const = 0;
  virtual Generator generator(std::size_t input, InputKind, std::uint64_t seed) const = 0;
  virtual Work work() const = 0;
  virtual std::optional<double> modelled_bytes() const = 0;
  virtual OutputShape output_shape() const = 0;
  virtual void oracle(const Inputs&, std::span<const std::int64_t>, std::span<Expected>) const = 0;
  virtual Submission submission() const = 0;
  virtual MemoryKind memory() const = 0;
  virtual void launch(const Buffers&, Stream) const = 0;
  struct StageFacts {
    std::string_view name;
    bool host_transfer = false;
  };
  virtual std::vector<StageFacts> stages() const = 0;
  virtual void launch_stage(std::size_t stage, const Buffers&, Stream) const = 0;
};

class Family {
 public:
  virtual ~Family() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual std::span<const Parameter> parameters() const = 0;
  virtual std::span<const ParameterAlias> aliases() const = 0;
  virtual std::vector<VariantFacts> variants() const = 0;
  virtual std::vector<VerifyShape> verify_shapes() const = 0;
  // `parameters` must be complete. Throws Error{usage} where they contradict each other.
  virtual std::unique_ptr<Instance> instantiate(std::size_t variant, const ParameterSet&) const = 0;
};

// Why a device cannot run a variant at all (architecture, missing build), or nothing.
std::optional<std::string> unsupported(const VariantFacts&, const DeviceFacts&);

template <class Problem>
class FamilyOf final : public Family {
 public:
  explicit constexpr FamilyOf(const Manifest<Problem>& manifest) : manifest_(manifest) {}
  std::string_view name() const override { return manifest_.name; }
  std::string_view summary() const override { return manifest_.summary; }
  std::span<const Parameter> parameters() const override { return manifest_.parameters; }
  std::span<const ParameterAlias> aliases() const override { return manifest_.aliases; }
  std::vector<VariantFacts> variants() const override {
    std::vector<VariantFacts> facts;
    for (const auto& v : manifest_.variants)
      facts.push_back({v.name, v.technique, v.predecessor, v.dtype, v.role, v.device, v.needs,
                       v.launch != nullptr});
    return facts;
  }
  std::vector<VerifyShape> verify_shapes() const override { return manifest_.verify_shapes(); }
  std::unique_ptr<Instance> instantiate(std::size_t variant,
                                        const ParameterSet& parameters) const override {
    return std::make_unique<InstanceOf>(manifest_, manifest_.variants[variant],
                                        manifest_.problem(parameters));
  }

 private:
  class InstanceOf final : public Instance {
   public:
    InstanceOf(const Manifest<Problem>& m, const Variant<Problem>& v, Problem p)
        : m_(m), v_(v), p_(std::move(p)) {}
    std::optional<std::string> unsupported() const override {
      return v_.unsupported ? v_.unsupported(p_) : std::nullopt;
    }
    std::vector<BufferSpec> inputs() const override { return m_.inputs(p_, v_.dtype); }
    BufferSpec output() const override { return m_.output(p_, v_.dtype); }
    std::size_t workspace_bytes() const override {
      return v_.workspace_bytes ? v_.workspace_bytes(p_) : 0;
    }
    Generator generator(std::size_t input, InputKind kind, std::uint64_t seed) const override {
      return m_.generator(p_, v_.dtype, input, kind, seed);
    }
    Work work() const override { return m_.work(p_, v_.dtype); }
    std::optional<double> modelled_bytes() const override {
      if (!v_.modelled_bytes) return std::nullopt;
      return v_.modelled_bytes(p_);
    }
    OutputShape output_shape() const override { return m_.output_shape(p_); }
    void oracle(const Inputs& inputs, std::span<const std::int64_t> indices,
                std::span<Expected> out) const override {
      m_.oracle(p_, v_.dtype, inputs, indices, out);
    }
    Submission submission() const override { return v_.submission; }
    MemoryKind memory() const override { return v_.memory; }
    void launch(const Buffers& buffers, Stream stream) const override {
      v_.launch(p_, buffers, stream);
    }
    std::vector<StageFacts> stages() const override {
      std::vector<StageFacts> facts;
      for (const auto& stage : v_.stages) facts.push_back({stage.name, stage.host_transfer});
      return facts;
    }
    void launch_stage(std::size_t stage, const Buffers& buffers, Stream stream) const override {
      v_.stages[stage].launch(p_, buffers, stream);
    }

   private:
    const Manifest<Problem>& m_;
    const Variant<Problem>& v_;
    Problem p_;
  };

  const Manifest<Problem>& manifest_;
};

}  // namespace gpubench
