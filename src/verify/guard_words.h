// Guard words (base/guard_word.h) beside a buffer on the host, where nothing may write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vyre::verify {

inline constexpr size_t kGuardWords = 64;
inline constexpr size_t kGuardBytes = kGuardWords * 4;

/// Guard words number first .. first + kGuardWords - 1, from `at` on, which need not be aligned.
void put_guard(std::byte* at, size_t first);
/// How many of them are others by now.
uint64_t broken_guard(const std::byte* at, size_t first);

}  // namespace vyre::verify
