// Drives the fuzz target where the compiler has no libFuzzer: makes inputs for some seconds, in a
// process of its own, so that whatever ends that process is found, and the input with it.
//
//   gpubench_fuzz [--seconds S] [--seed N]
//   gpubench_fuzz FILE...    runs these inputs once, in this process
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>
#include <span>
#include <stdexcept>

#include "base/text.hpp"
#include "compare/comparison.hpp"
#include "tests/fuzz/fuzz_compare.hpp"
#include "tests/fuzz/mutations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Memory that no input of this size can need is a finding.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:hard_rss_limit_mb=4096";
}

namespace gpubench::fuzz {
namespace {

constexpr unsigned hang_s = 30;
// Below this the parser is all that is tested.
constexpr double least_share_of_documents = 0.1;

int usage() {
  std::cerr << "usage: gpubench_fuzz [--seconds S] [--seed N], or gpubench_fuzz FILE...\n";
  return 2;
}

void execute(std::string_view input) {
  // Its default action ends the process.
  ::alarm(hang_s);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

// What the working process leaves behind, whatever becomes of it.
struct Current {
  bool executing;  // the input, and not making the next one
  bool finished;
  std::uint64_t executions;
  std::size_t size;
  char input[std::size_t{4} << 20];

  void set(const std::vector<std::string>& texts) {
    size = 0;
    for (const std::string& text : texts) {
      if (size > 0) input[size++] = separator;
      const std::size_t length = std::min(text.size(), sizeof(input) - size - 1);
      std::memcpy(input + size, text.data(), length);
      size += length;
    }
  }
};

int report(const Current& current, std::uint64_t with_documents, double seconds) {
  const Reach& reached = reach();
  const double share =
      static_cast<double>(with_documents) / static_cast<double>(current.executions);
  std::cout << current.executions << " inputs in " << fixed(seconds, 1) << " s ("
            << fixed(static_cast<double>(current.executions) / seconds, 0) << "/s), "
            << with_documents << " of them (" << fixed(100 * share, 1)
            << " %) with a document that was read\n"
            << reached.documents << " documents, " << reached.noise_files << " noise files, "
            << reached.suites << " suites read; " << reached.comparisons << " comparisons\n";
  for (std::size_t i = 0; i < reached.verdicts.size(); ++i)
    std::cout << (i > 0 ? ", " : "cases: ") << reached.verdicts[i] << " "
              << name(static_cast<Verdict>(i));
  std::cout << std::endl;
  if (share >= least_share_of_documents) return 0;
  std::cerr << "gpubench_fuzz: too few inputs are documents: the mutations test the parser alone\n";
  return 1;
}

int work(Current& current, double seconds, std::uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Mutator mutator(seed);
  std::uint64_t with_documents = 0;
  do {
    current.set(mutator.next());
    const std::uint64_t before = reach().documents;
    current.executing = true;
    execute({current.input, current.size});
    current.executing = false;
    ++current.executions;
    const std::uint64_t read = reach().documents - before;
    if (read > 0) ++with_documents;
    if (read > 0 && read == mutator.documents()) mutator.keep();
  } while (passed() < seconds);
  ::alarm(0);
  current.finished = true;
  return report(current, with_documents, passed());
}

std::string how(int status) {
  if (WIFEXITED(status)) return "it ended with exit code " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "it hung for " + std::to_string(hang_s) + " s";
  return std::string("it was ended by a signal: ") + ::strsignal(WTERMSIG(status));
}

int fuzz(double seconds, std::uint64_t seed) {
  void* const shared =
      ::mmap(nullptr, sizeof(Current), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  Current& current = *static_cast<Current*>(shared);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::exit(work(current, seconds, seed));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (current.finished && WIFEXITED(status)) return WEXITSTATUS(status);
  if (!current.executing) {
    std::cerr << "gpubench_fuzz: broken itself, between two inputs: " << how(status) << "\n";
    return 1;
  }

  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("gpubench-fuzz-" + std::to_string(seed) + "-" + std::to_string(current.executions));
  std::ofstream(path, std::ios::binary)
      .write(current.input, static_cast<std::streamsize>(current.size));
  std::cerr << "gpubench_fuzz: found after " << current.executions << " inputs: " << how(status)
            << "\nThe input is in " << path.string() << "; 'gpubench_fuzz " << path.string()
            << "' runs it again.\n";
  return 1;
}

int run_files(std::span<char* const> paths) {
  for (const char* path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string input(std::istreambuf_iterator<char>(file), {});
    if (!file) {
      std::cerr << "gpubench_fuzz: cannot read " << path << "\n";
      return 2;
    }
    execute(input);
    std::cout << path << ": nothing found\n";
  }
  return 0;
}

int run(std::span<char* const> arguments) {
  if (arguments.empty() || arguments[0][0] != '-')
    return arguments.empty() ? usage() : run_files(arguments);
  double seconds = 60;
  std::uint64_t seed = 1;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string_view option = arguments[i];
    if (i + 1 == arguments.size()) return usage();
    if (option == "--seconds") {
      const auto value = parse_number(arguments[i + 1]);
      if (!value || !(*value > 0)) return usage();
      seconds = *value;
    } else if (option == "--seed") {
      const auto value = parse_integer(arguments[i + 1]);
      if (!value) return usage();
      seed = static_cast<std::uint64_t>(*value);
    } else {
      return usage();
    }
  }
  return fuzz(seconds, seed);
}

}  // namespace
}  // namespace gpubench::fuzz

int main(int argc, char** argv) {
  return gpubench::fuzz::run(
      std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(1));
}
