// Proof of a case's answer against the float64 oracle.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "registry/family.hpp"

namespace gpubench {

enum class VerifyMode { sampled, full, off };

// The document's `verification`, with the first failure in words.
struct Verification {
  bool passed = false;
  bool full = false;  // every output was compared; otherwise a sample (and every output was seen to
                      // be written)
  std::int64_t checked = 0;  // outputs compared with the oracle
  // Where all outputs pass: the largest error, and the tolerance of that output. Where some fail:
  // those of the one that is furthest past its tolerance. The error is empty when an output is NaN.
  std::optional<double> max_abs_error;
  std::optional<double> max_rel_error;  // largest, of outputs whose expected value is not 0
  double bound = 0;
  std::string failure;
};

// Holds the oracle's answers for one case, so that the same outputs are checked before and after
// timing.
class Verifier {
 public:
  // `sampled` checks small problems in full, and of large ones the first, the last, the tile edges
  // and random outputs.
  Verifier(const Instance&, InputKind, std::uint64_t seed, VerifyMode);
  ~Verifier();
  // Reads the output from the device in pieces and compares.
  Verification check(Device&, const void* output);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fills device memory with ones in every bit, a NaN in every floating-point type.
void poison(Device&, void* memory, std::size_t bytes);

}  // namespace gpubench
