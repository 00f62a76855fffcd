// What the host's softmax does to a span of elements, in the widest form of this processor.
#pragma once

#include <cstdint>

namespace gpubench::softmax {

struct SpanFunctions {
  // The largest of n values, minus infinity for none; NaN is passed over.
  float (*largest)(const float* x, std::int64_t n);
  // values = exp(x - from); returns their sum. No x exceeds `from`. Largest relative error
  // (2 + 0.3 (from - x)) 2^-24, subtraction not counted; minus infinity gives 0.
  float (*compute)(const float* x, float from, float* values, std::int64_t n);
  // y = values * factor; both may be the same where it does not go past the cache.
  void (*write)(const float* values, float factor, float* y, std::int64_t n);
  // First write(values, factor, y), then compute(x, from, values), as one stream of instructions:
  // stores wait for memory while the core computes.
  float (*compute_and_write)(const float* x, float from, float* values, float factor, float* y,
                             std::int64_t n);
};

// past_cache: y is written past the caches; a fence must follow the last span.
SpanFunctions span_functions(bool past_cache);

}  // namespace gpubench::softmax
