#include "document/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/interrupt.hpp"

namespace gpubench {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(ExitCode::io,
              fmt::format("cannot write {}: {}",
                          path == "-" ? std::string("to standard output") : "'" + path + "'",
                          std::generic_category().message(error)));
}

// A link of the loader of file descriptors: /dev/stdout is one to /proc/self/fd/1. What it leads to
// is open already, perhaps shared with others, and must not be replaced under them.
bool names_open_descriptor(std::string_view path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/");
}

// Where a chain of symbolic links ends, also where nothing is there yet.
std::string resolve(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path target = path;
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(path, error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

// Where a new file cannot be made, the folder is what to look at.
[[noreturn]] void fail_in_folder(const std::string& path, const std::filesystem::path& folder,
                                 int error) {
  const std::string where = folder.empty() ? "." : folder.string();
  const std::string reason = std::generic_category().message(error);
  std::error_code unknown;
  if (error == ENOENT && !std::filesystem::exists(where, unknown))
    throw Error(ExitCode::io, fmt::format("cannot write '{}': the folder '{}' is not there: {}",
                                          path, where, reason));
  // ENOENT is what /proc says.
  if (error == EACCES || error == EPERM || error == EROFS || error == ENOENT)
    throw Error(ExitCode::io,
                fmt::format("cannot write '{}': no file can be made beside it in the folder '{}': "
                            "{}",
                            path, where, reason));
  fail(path, error);
}

// A new file beside `target`, with the permissions that the umask gives. Its name goes to `name`.
int create_beside(const std::string& path, const std::string& target, std::string& name) {
  const auto folder = std::filesystem::path(target).parent_path();
  for (int attempt = 0;; ++attempt) {
    name = (folder / fmt::format(".gpubench-{}-{}.tmp", ::getpid(), attempt)).string();
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) return file;
    if (errno != EEXIST || attempt == 1000) fail_in_folder(path, folder, errno);
  }
}

// The error number, or 0.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace

bool leads_to_standard_output(const std::string& path) {
  if (path == "-") return true;
  struct stat named {};
  struct stat standard {};
  // A terminal and /dev/null take what comes from two writers.
  return ::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &standard) == 0 &&
         !S_ISCHR(standard.st_mode) && named.st_dev == standard.st_dev &&
         named.st_ino == standard.st_ino;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) throw Error(ExitCode::io, "cannot write to a file without a name");
  if (leads_to_standard_output(path_)) path_ = "-";
  struct stat facts {};
  if (is_standard_output()) {
    if (::fstat(STDOUT_FILENO, &facts) != 0) fail(path_, errno);
    // A device that is full says so to a write of nothing.
    if (S_ISCHR(facts.st_mode) && ::write(STDOUT_FILENO, "", 0) < 0) fail(path_, errno);
    return;
  }
  const bool exists = ::stat(path_.c_str(), &facts) == 0;
  if (!exists && errno != ENOENT) fail(path_, errno);
  if (exists && S_ISDIR(facts.st_mode)) fail(path_, EISDIR);
  if (exists && (!S_ISREG(facts.st_mode) || names_open_descriptor(path_))) {
    do descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    while (descriptor_ < 0 && errno == EINTR && !interrupted());
    if (descriptor_ < 0) {
      const int error = errno;
      check_interrupt();
      fail(path_, error);
    }
    if (S_ISCHR(facts.st_mode) && ::write(descriptor_, "", 0) < 0) {
      const int full = errno;
      ::close(descriptor_);
      fail(path_, full);
    }
    return;
  }
  // Replacing needs no permission on the file itself; a file that is kept from being written stays.
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail(path_, errno);
  target_ = resolve(path_);
  if (!std::filesystem::path(target_).has_filename()) fail(path_, EISDIR);
  // Shows that the folder can be written. The file itself is made at commit(), so that a program
  // that is killed while it measures leaves nothing behind.
  std::string probe;
  ::close(create_beside(path_, target_, probe));
  ::unlink(probe.c_str());
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      content_(std::move(other.content_)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::commit() {
  if (!target_.empty()) return commit_regular();
  if (is_standard_output()) {
    // What went through C's buffer before comes first.
    if (std::fflush(stdout) != 0) fail(path_, errno);
    if (const int error = write_all(STDOUT_FILENO, content_)) fail(path_, error);
    content_.clear();
    return;
  }
  if (const int error = write_all(descriptor_, content_)) fail(path_, error);
  content_.clear();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, errno);
}

void OutputFile::commit_regular() {
  std::string temporary;
  const int file = create_beside(path_, target_, temporary);
  int error = write_all(file, content_);
  struct stat old {};
  if (error == 0 && ::stat(target_.c_str(), &old) == 0) {
    // The owner can be kept only by root, and matters only there.
    const bool owner_kept = ::fchown(file, old.st_uid, old.st_gid) == 0;
    if (::fchmod(file, old.st_mode & (owner_kept ? 07777u : 0777u)) != 0) error = errno;
  }
  // Some file systems have no fsync.
  if (error == 0 && ::fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(path_, error);
  }
  if (::rename(temporary.c_str(), target_.c_str()) != 0) {
    // The measurements took long: they are whole, and where they are is said.
    const int reason = errno;
    throw Error(ExitCode::io,
                fmt::format("cannot replace '{}': {}; what was to go there is in '{}'", path_,
                            std::generic_category().message(reason), temporary));
  }
  content_.clear();
}

OutputFile open_output(const std::string& path) {
  return OutputFile(path);
}

}  // namespace gpubench
