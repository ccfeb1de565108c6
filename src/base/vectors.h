// Loops over columns of words, in vectors as wide as the processor at hand has them.
//
// A build is for any processor of its kind, so a compiler uses the vectors that all of them have, an eighth
// as wide as those of a server. vectorised() has a loop compiled for the wider ones too and takes the widest
// that is there. Results are those of the loop as it is written: on words nothing is rounded.
#pragma once

#include <cstdint>

/// Before a statement: what it calls becomes a part of it, however large. A loop that calls is no vectors.
#if defined(__clang__)
#define VYRE_INLINED [[clang::always_inline]]
#else
#define VYRE_INLINED
#endif

namespace vyre {

#if defined(__x86_64__)
namespace vectors {

// Flattened, so that the loop is a part of the function and is compiled for its processors.
template <typename Work>
[[gnu::target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl"), gnu::flatten, gnu::noinline]] void run_v4(
    const Work& work) {
  work();
}
template <typename Work>
[[gnu::target("arch=x86-64-v3"), gnu::flatten, gnu::noinline]] void run_v3(const Work& work) {
  work();
}

inline uint32_t level() {
  static const uint32_t found = __builtin_cpu_supports("x86-64-v4")   ? 4
                                : __builtin_cpu_supports("x86-64-v3") ? 3
                                                                      : 1;
  return found;
}

}  // namespace vectors
#endif

/// work(), which is a loop over whole columns: of integers, since floats might be contracted.
template <typename Work>
void vectorised(const Work& work) {
#if defined(__x86_64__)
  if (vectors::level() == 4) return vectors::run_v4(work);
  if (vectors::level() == 3) return vectors::run_v3(work);
#endif
  work();
}

}  // namespace vyre
