// Loops of rivals in C++ on as many threads as the native backend has.
#pragma once

#include <cstddef>
#include <functional>

namespace vyre::bench {

/// Calls body(first, last) for parts of [0, count) that begin at multiples of `grain`, on all threads;
/// directly when that is one part. Defined by the bench, by the library that vyre's own code runs with.
void parallel(size_t count, size_t grain, const std::function<void(size_t first, size_t last)>& body);
unsigned threads();

}  // namespace vyre::bench
