// What run, roofline and verify share: outputs opened before anything is measured, a device, a
// document.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "document/document.hpp"
#include "document/output_file.hpp"

namespace gpubench {

class Session {
 public:
  // Opens the outputs. Throws Error{io}, Error{usage} where two of them want standard output or one
  // file, or where one would replace an input.
  explicit Session(const Arguments&);

  // Opens the device and begins the document, with the ceilings of --ceilings where that is given.
  // Throws Error{no_device}; Error{io} and Error{not_comparable} for ceilings that cannot be read
  // or are not this device's.
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
  // The core ceilings, into the document, unless --ceilings gave them; stops at an interrupt.
  void measure_ceilings(Progress&);

  // Writes the document and the CSV, complete or interrupted, then the table to standard output
  // unless that belongs to one of them. A table that cannot be printed costs no file, and a file
  // that cannot be written costs no table.
  void finish(std::string_view table);

 private:
  // Whether standard output belongs to the document or the CSV, so that no table may go there.
  bool data_on_standard_output() const;
  void write_files();

  const Arguments& arguments_;
  std::optional<OutputFile> json_, csv_;
  std::unique_ptr<Device> device_;
  Document document_;
};

}  // namespace gpubench
