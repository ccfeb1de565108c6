#include "worker/area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "worker/breach.h"

namespace vyre::worker {
namespace {

/// Buffers begin at multiples of it: as device buffers do.
constexpr uint64_t kAlignment = backend::kRangeAlignment;
/// Of poison on each side of a buffer at least; and so many alignments more, drawn.
constexpr uint64_t kGuardBytes = 1024;
constexpr uint32_t kJitter = 4;
/// Differs from the seed of guards, so that a copy of a guard over a result is seen.
constexpr uint64_t kRestSalt = 0x5bd1e995a7c15d3f;
constexpr uint64_t kStep = 0x9e3779b97f4a7c15;

constexpr uint64_t align(uint64_t at) { return (at + kAlignment - 1) / kAlignment * kAlignment; }

/// The poison of the eight bytes at `at`, a multiple of 8. Neighbours differ by a constant, so that compilers
/// fill and compare many at once.
constexpr uint64_t poison(uint64_t seed, uint64_t at) { return seed + at / 8 * kStep; }

/// The bytes of [begin, end) in whole aligned words and what stands before and behind them.
struct Words {
  uint64_t first, last;  // aligned; first <= last unless all is within one word
};
constexpr Words whole_words(uint64_t begin, uint64_t end) {
  const uint64_t first = (begin + 7) / 8 * 8;
  return {std::min(first, end), std::max(end / 8 * 8, std::min(first, end))};
}
std::byte poison_byte(uint64_t seed, uint64_t at) {
  return std::byte(poison(seed, at / 8 * 8) >> (at % 8 * 8));
}

void fill(std::byte* memory, uint64_t seed, uint64_t begin, uint64_t end) {
  const Words words = whole_words(begin, end);
  for (uint64_t at = begin; at < words.first; ++at) memory[at] = poison_byte(seed, at);
  uint64_t value = poison(seed, words.first);
  for (uint64_t at = words.first; at < words.last; at += 8, value += kStep)
    std::memcpy(memory + at, &value, sizeof value);
  for (uint64_t at = words.last; at < end; ++at) memory[at] = poison_byte(seed, at);
}

bool is_poison(const std::byte* memory, uint64_t seed, uint64_t begin, uint64_t end) {
  const Words words = whole_words(begin, end);
  uint64_t differs = 0;
  for (uint64_t at = begin; at < words.first; ++at) differs |= uint64_t(memory[at] ^ poison_byte(seed, at));
  uint64_t value = poison(seed, words.first);
  for (uint64_t at = words.first; at < words.last; at += 8, value += kStep) {
    uint64_t word;
    std::memcpy(&word, memory + at, sizeof word);
    differs |= word ^ value;
  }
  for (uint64_t at = words.last; at < end; ++at) differs |= uint64_t(memory[at] ^ poison_byte(seed, at));
  return differs == 0;
}

/// The first byte that is not poison. It may have become poison since is_poison() looked: then `begin`.
uint64_t first_broken(const std::byte* memory, uint64_t seed, uint64_t begin, uint64_t end) {
  for (uint64_t at = begin; at < end; ++at) {
    if (memory[at] != poison_byte(seed, at)) return at;
  }
  return begin;
}

}  // namespace

uint64_t Area::room_for(std::span<const CallerBuffer> buffers) {
  constexpr uint64_t kMostGuard = kGuardBytes + kJitter * kAlignment;
  uint64_t out = kMostGuard;
  for (const CallerBuffer& buffer : buffers) out += align(buffer.memory.size()) + kMostGuard;
  return out;
}

std::pair<uint64_t, uint64_t> Area::guard(size_t k) const {
  return {k == 0 ? 0 : slots_[k - 1].end, k == slots_.size() ? used_ : slots_[k].begin};
}

std::optional<uint64_t> Area::broken_guard(size_t k) const {
  const auto [begin, end] = guard(k);
  const std::byte* const memory = region_.memory().data();
  if (is_poison(memory, seed_, begin, end)) return std::nullopt;
  return first_broken(memory, seed_, begin, end);
}

std::string Area::place_of(size_t guard, uint64_t at) const {
  if (guard > 0 && (guard == slots_.size() || at - slots_[guard - 1].end < slots_[guard].begin - at))
    return fmt::format("byte {} behind the end of buffer {}", at - slots_[guard - 1].end, guard - 1);
  if (guard == slots_.size()) return fmt::format("byte {} of memory that no buffer has", at);
  return fmt::format("byte {} before the start of buffer {}", slots_[guard].begin - at, guard);
}

void Area::place(std::span<const CallerBuffer> buffers, uint64_t seed, uint64_t number) {
  RandomStream random(seed, number);
  std::byte* const memory = region_.memory().data();
  seed_ = random.next64();
  number_ = number;
  slots_.clear();
  uint64_t at = 0;
  for (const CallerBuffer& buffer : buffers) {
    const uint64_t begin = align(at + kGuardBytes) + random.below(kJitter) * kAlignment;
    fill(memory, seed_, at, begin);
    std::ranges::copy(buffer.memory, memory + begin);
    at = begin + buffer.memory.size();
    slots_.push_back({begin, at, buffer.writable});
  }
  used_ = align(at + kGuardBytes);
  fill(memory, seed_, at, used_);
}

Result<void> Area::collect(std::span<const CallerBuffer> buffers) {
  std::byte* const memory = region_.memory().data();
  for (size_t k = 0; k <= slots_.size(); ++k) {
    if (const auto at = broken_guard(k))
      return std::unexpected(make_breach(Breach::Outside, place_of(k, *at) + " was overwritten"));
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    const std::span<const std::byte> kept = buffers[i].memory;
    if (slots_[i].writable || kept.empty()) continue;
    if (std::memcmp(kept.data(), memory + slots_[i].begin, kept.size()) == 0) continue;
    const auto [a, b] = std::ranges::mismatch(kept, std::span(memory + slots_[i].begin, kept.size()));
    return std::unexpected(make_breach(
        Breach::ReadOnly, fmt::format("byte {} of buffer {} was overwritten", a - kept.begin(), i)));
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.writable) continue;
    std::copy_n(memory + slot.begin, slot.end - slot.begin, buffers[i].memory.data());
    fill(memory, seed_ ^ kRestSalt, slot.begin, slot.end);
  }
  return {};
}

Result<void> Area::check_rest(uint64_t now) const {
  const std::byte* const memory = region_.memory().data();
  const auto late = [&](const std::string& place) {
    const uint64_t ago = now - number_;
    return std::unexpected(make_breach(
        Breach::Late, fmt::format("{} was overwritten after the dispatch was answered, {} dispatch{} ago",
                                  place, ago, ago == 1 ? "" : "es")));
  };
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const uint64_t seed = seed_ ^ kRestSalt;
    if (!slot.writable || is_poison(memory, seed, slot.begin, slot.end)) continue;
    const uint64_t at = first_broken(memory, seed, slot.begin, slot.end);
    return late(fmt::format("byte {} of buffer {}", at - slot.begin, i));
  }
  for (size_t k = 0; used_ != 0 && k <= slots_.size(); ++k) {
    if (const auto at = broken_guard(k)) return late(place_of(k, *at));
  }
  return {};
}

}  // namespace vyre::worker
