#include "verify/guard_words.h"

#include <random>

#include "base/bytes.h"

namespace vyre::verify {
namespace {

uint32_t guard_word(size_t number) {
  static const uint64_t key = [] {
    std::random_device system;  // of the system, not of a seed: getrandom(2)
    return uint64_t{system()} << 32 | system();
  }();
  return uint32_t(key) ^ uint32_t((number + (key >> 32)) * 0x9e3779b9);
}

}  // namespace

void put_guard(std::byte* at, size_t first) {
  for (size_t k = 0; k < kGuardWords; ++k) store_u32(at + 4 * k, guard_word(first + k));
}

uint64_t broken_guard(const std::byte* at, size_t first) {
  uint64_t broken = 0;
  for (size_t k = 0; k < kGuardWords; ++k) broken += load_u32(at + 4 * k) != guard_word(first + k);
  return broken;
}

}  // namespace vyre::verify
