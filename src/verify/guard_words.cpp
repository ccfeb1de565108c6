#include "verify/guard_words.h"

#include "base/bytes.h"
#include "base/guard_word.h"

namespace vyre::verify {
void put_guard(std::byte* at, size_t first) {
  for (size_t k = 0; k < kGuardWords; ++k) store_u32(at + 4 * k, guard_word(first + k));
}

uint64_t broken_guard(const std::byte* at, size_t first) {
  uint64_t broken = 0;
  for (size_t k = 0; k < kGuardWords; ++k) broken += load_u32(at + 4 * k) != guard_word(first + k);
  return broken;
}

}  // namespace vyre::verify
