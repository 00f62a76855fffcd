// Owns a descriptor of the operating system.
#pragma once

#include <unistd.h>

#include <utility>

namespace gpubench {

class FileDescriptor {
 public:
  // Negative: none, as what a call that failed returns.
  explicit FileDescriptor(int value = -1) : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int value() const { return value_; }

 private:
  int value_;
};

}  // namespace gpubench
