// Inputs for the fuzz target, made from sound texts: by bytes, and as JSON, so that many still are
// documents.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gpubench::fuzz {

// Numbers that are the same with every library, unlike those of std::uniform_int_distribution.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : generator_(seed) {}
  std::size_t below(std::size_t count) { return count == 0 ? 0 : generator_() % count; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class Container>
  auto& of(Container& container) {
    return container[below(std::size(container))];
  }

 private:
  std::mt19937_64 generator_;
};

// One to four changes of bytes: a text that is seldom JSON.
std::string mutated_bytes(std::string text, const std::string& other, Chance&);
// One to four changes of the tree; of a text that is not JSON, of its bytes.
std::string mutated_json(const std::string& text, Chance&);

// Puts inputs together. What it makes follows from the seed, and from which inputs are kept.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed);
  // The texts of an input, documents first; at least one of them is mutated.
  const std::vector<std::string>& next();
  std::size_t documents() const { return documents_; }  // of next()
  // Further inputs start from the documents of this one as well.
  void keep();

 private:
  std::string made(const std::vector<std::string>& from, bool surely);

  Chance chance_;
  std::vector<std::string> document_pool_, noise_files_, suites_, texts_;
  std::size_t seeds_, documents_ = 0;
};

}  // namespace gpubench::fuzz
