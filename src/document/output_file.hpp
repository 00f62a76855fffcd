// A file that the program will write: opened before anything is measured, complete or not there at
// all.
#pragma once

#include <string>
#include <string_view>

namespace gpubench {

// Whether a path is "-" or leads to the file, pipe or socket that standard output is: opened again
// it would be a second writer with an offset of its own, and one would write over the other.
bool leads_to_standard_output(const std::string& path);

// What is written goes to memory, and to the target at commit(). A regular file is replaced in one
// step (symbolic links are followed, an existing file's mode is kept, a new one gets what the umask
// says); "-", and what leads there, is standard output; devices, pipes and FIFOs are opened at once
// and written directly. Nothing is left behind when the object goes without commit(), or when the
// program is killed.
class OutputFile {
 public:
  // Throws Error{io} with the path and the system's reason where writing could not succeed: a
  // missing folder, no permission, a folder, a full device. Opening a FIFO waits for its reader;
  // Ctrl-C ends that.
  explicit OutputFile(std::string path);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  bool is_standard_output() const { return path_ == "-"; }
  void write(std::string_view text) { content_ += text; }
  // Writes what has been given, once. Throws Error{io}; the target is then as it was, unless it is
  // a device or pipe.
  void commit();

 private:
  void commit_regular();

  std::string path_;     // as the user gave it, for messages
  std::string target_;   // a regular file: what is replaced, symbolic links resolved
  int descriptor_ = -1;  // everything else
  std::string content_;
};

OutputFile open_output(const std::string& path);

}  // namespace gpubench
