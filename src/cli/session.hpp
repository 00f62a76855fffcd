// What run, roofline and verify share: outputs opened before anything is measured, a device, a
// document.
#pragma once

#include <memory>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "document/document.hpp"
#include "document/output_file.hpp"

namespace gpubench {

class Session {
 public:
  // Opens the outputs. Throws Error{io}, Error{usage} where two of them want standard output.
  explicit Session(const Arguments&);

  // Opens the device and begins the document.
  void open(Progress&);
  Device& device() { return *device_; }
  Document& document() { return document_; }

  // One ceiling to measure; zeros are recorded as <name>_zeros and are no roof.
  struct Wanted {
    std::string name;
    DataPattern pattern = DataPattern::random;
    bool burst = false;
  };
  // Measures them into the document, in order; stops at an interrupt.
  void measure_ceilings(const std::vector<Wanted>&, Progress&);
  // The core ceilings, into the document; stops at an interrupt. From --ceilings where that is
  // given.
  void measure_ceilings(Progress&);

  // Whether standard output belongs to the document or the CSV, so that no table may go there.
  bool data_on_standard_output() const;
  // Writes the document and the CSV, complete or interrupted.
  void finish();

 private:
  const Arguments& arguments_;
  std::optional<OutputFile> json_, csv_;
  std::unique_ptr<Device> device_;
  Document document_;
};

}  // namespace gpubench
