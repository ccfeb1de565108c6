#include "worker/area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backend/backend.h"
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
constexpr uint64_t kCoverSalt = 0x5bd1e995a7c15d3f;
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

uint64_t Lane::room_for(std::span<const BufferShape> buffers, Access access) {
  constexpr uint64_t kMostGuard = kGuardBytes + kJitter * kAlignment;
  uint64_t out = kMostGuard;
  for (const BufferShape& buffer : buffers) {
    if (buffer.access == access) out += align(buffer.bytes) + kMostGuard;
  }
  return out;
}

void Lane::clear() {
  slots_.clear();
  used_ = 0;
}

void Lane::place(std::span<const BufferShape> buffers, Access access, uint64_t seed, uint64_t number) {
  RandomStream random(seed, number * kAccessCount + uint64_t(access));
  std::byte* const memory = region_.memory().data();
  seed_ = random.next64();
  slots_.clear();
  uint64_t at = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].access != access) continue;
    const uint64_t begin = align(at + kGuardBytes) + random.below(kJitter) * kAlignment;
    fill(memory, seed_, at, begin);
    at = begin + buffers[i].bytes;
    slots_.push_back({i, begin, at});
  }
  used_ = align(at + kGuardBytes);
  fill(memory, seed_, at, used_);
}

std::optional<std::string> Lane::broken_guard() const {
  const std::byte* const memory = region_.memory().data();
  uint64_t begin = 0;
  for (size_t k = 0; begin < used_; ++k) {
    const uint64_t end = k == slots_.size() ? used_ : slots_[k].begin;
    if (!is_poison(memory, seed_, begin, end))
      return describe_guard(k, first_broken(memory, seed_, begin, end));
    begin = k == slots_.size() ? used_ : slots_[k].end;
  }
  return std::nullopt;
}

/// guard k stands before slot k.
std::string Lane::describe_guard(size_t guard, uint64_t at) const {
  const bool after = guard > 0, before = guard < slots_.size();
  const uint64_t behind = after ? at - slots_[guard - 1].end : UINT64_MAX;
  const uint64_t ahead = before ? slots_[guard].begin - at : UINT64_MAX;
  if (after && behind < ahead)
    return fmt::format("byte {} behind the end of buffer {}", behind, slots_[guard - 1].buffer);
  if (before) return fmt::format("byte {} before the start of buffer {}", ahead, slots_[guard].buffer);
  return fmt::format("byte {} of memory that no buffer has", at);
}

std::string Lane::describe(uint64_t at) const {
  size_t k = 0;
  while (k < slots_.size() && slots_[k].end <= at) ++k;
  if (k < slots_.size() && slots_[k].begin <= at)
    return fmt::format("byte {} of buffer {}", at - slots_[k].begin, slots_[k].buffer);
  return describe_guard(k, at);
}

void Lane::cover(const Slot& slot) {
  fill(region_.memory().data(), seed_ ^ kCoverSalt, slot.begin, slot.end);
}
std::optional<std::string> Lane::broken_cover() const {
  const std::byte* const memory = region_.memory().data();
  for (const Slot& slot : slots_) {
    if (is_poison(memory, seed_ ^ kCoverSalt, slot.begin, slot.end)) continue;
    return describe(first_broken(memory, seed_ ^ kCoverSalt, slot.begin, slot.end));
  }
  return std::nullopt;
}

void Area::place(std::span<const BufferShape> buffers, Lane& inputs, uint64_t seed, uint64_t number) {
  number_ = number;
  offsets_.resize(buffers.size());
  memory_.resize(buffers.size());
  inputs.place(buffers, Access::Read, seed, number);
  results_.place(buffers, Access::ReadWrite, seed, number);
  for (const Lane* lane : {&inputs, &results_}) {
    for (const Lane::Slot& slot : lane->slots()) {
      offsets_[slot.buffer] = slot.begin;
      memory_[slot.buffer] = lane->memory(slot);
    }
  }
}

Result<void> Area::collect(const UseMemory& copy_out) {
  if (const auto place = results_.broken_guard())
    return std::unexpected(make_breach(Breach::Outside, *place + " was overwritten"));
  copy_out(memory_);
  for (const Lane::Slot& slot : results_.slots()) results_.cover(slot);
  return {};
}

Result<void> Area::check_rest(uint64_t next) const {
  auto place = results_.broken_cover();
  if (!place) place = results_.broken_guard();
  if (!place) return {};
  const uint64_t ago = next - number_;
  return std::unexpected(make_breach(
      Breach::Late, fmt::format("{} was overwritten after the dispatch was answered, {} dispatch{} ago",
                                *place, ago, ago == 1 ? "" : "es")));
}

}  // namespace vyre::worker
