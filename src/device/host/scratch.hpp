// Memory that a thread keeps from launch to launch, so that no launch pays for an allocation.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace gpubench::host {

// Floats on a cache line, uninitialised; grows, never shrinks. Meant to be thread_local.
class Scratch {
 public:
  // At least `count` floats, 64-byte aligned; what earlier calls returned is gone. Throws
  // std::bad_alloc.
  float* floats(std::size_t count) {
    if (count > capacity_) {
      capacity_ = 0;
      data_.reset();
      data_.reset(new (alignment) float[count]);
      capacity_ = count;
    }
    return data_.get();
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(float* data) const { ::operator delete[](data, alignment); }
  };
  std::unique_ptr<float[], Free> data_;
  std::size_t capacity_ = 0;
};

}  // namespace gpubench::host
