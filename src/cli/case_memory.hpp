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
      : output_spec_(instance.output()) {
    const auto specs = instance.inputs();
    for (std::size_t i = 0; i < specs.size(); ++i) {
      inputs_.push_back(device.allocate(specs[i].bytes(), instance.memory()));
      device.generate(inputs_[i].data(), specs[i].dtype, specs[i].count,
                      instance.generator(i, input, seed));
      buffers_.inputs[i] = inputs_[i].data();
    }
    output_ = device.allocate(output_spec_.bytes(), instance.memory());
    buffers_.output = output_.data();
    if (const std::size_t bytes = instance.workspace_bytes(); bytes > 0) {
      workspace_ = device.allocate(bytes);
      buffers_.workspace = workspace_.data();
    }
  }
  const Buffers& buffers() const { return buffers_; }
  void poison_output(Device& device) const { poison(device, output_.data(), output_spec_); }

 private:
  BufferSpec output_spec_;
  std::vector<Memory> inputs_;
  Memory output_, workspace_;
  Buffers buffers_;
};

}  // namespace gpubench
