// What a case works on.
#pragma once

#include <cstdint>
#include <vector>

#include "registry/family.hpp"
#include "verify/verification.hpp"

namespace gpubench {

// The case's memory on the device, inputs generated. Lives as long as its launches.
class CaseMemory {
 public:
  CaseMemory(Device& device, const Instance& instance, InputKind input, std::uint64_t seed)
      : output_bytes_(instance.output().bytes()), workspace_bytes_(instance.workspace_bytes()) {
    const auto specs = instance.inputs();
    for (std::size_t i = 0; i < specs.size(); ++i) {
      inputs_.push_back(device.allocate(specs[i].bytes(), instance.memory()));
      device.generate(inputs_[i].data(), specs[i].dtype, specs[i].count,
                      instance.generator(i, input, seed));
      buffers_.inputs[i] = inputs_[i].data();
    }
    output_ = device.allocate(output_bytes_, instance.memory());
    buffers_.output = output_.data();
    if (workspace_bytes_ > 0) {
      workspace_ = device.allocate(workspace_bytes_);
      buffers_.workspace = workspace_.data();
    }
  }
  const Buffers& buffers() const { return buffers_; }
  // NaN in what a launch has to write, so that it shows what it left, and in the workspace, so that
  // it cannot live on what an earlier launch or case left there.
  void poison(Device& device) const {
    gpubench::poison(device, output_.data(), output_bytes_);
    if (workspace_bytes_ > 0) gpubench::poison(device, workspace_.data(), workspace_bytes_);
  }

 private:
  std::size_t output_bytes_, workspace_bytes_;
  std::vector<Memory> inputs_;
  Memory output_, workspace_;
  Buffers buffers_;
};

}  // namespace gpubench
