// The bytes of a file, and how far they have been read.
//
// The first fault is kept and every read after it gives zero, so that the decoder needs to look for faults
// only where it loops: a zero is as good as any other value that hostile bytes may hold.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/diag.h"

namespace vyre::wire {

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, size_t at)
      : begin_(bytes.data()), next_(begin_ + at), end_(begin_ + bytes.size()) {}

  size_t at() const { return size_t(next_ - begin_); }
  size_t remaining() const { return size_t(end_ - next_); }
  bool failed() const { return fault_.has_value(); }
  Diag take_fault() { return std::move(*fault_); }

  /// Keeps the fault unless there is an earlier one.
  [[gnu::cold]] void fail(DiagCode code, size_t at, std::string_view what, std::string_view help = {}) {
    if (failed()) return;
    fault_ = make_diag(code, Span::none(), fmt::format("at byte {}: {}", at, what), std::string(help));
    next_ = end_;
  }

  uint8_t byte() {
    if (next_ == end_) [[unlikely]] {
      fail(DiagCode::W003, at(), "the file ends too early");
      return 0;
    }
    return uint8_t(*next_++);
  }

  /// The next byte, which is not taken; zero at the end.
  uint8_t peek() const { return next_ == end_ ? 0 : uint8_t(*next_); }

  /// LEB128 of at most 32 bits, in the fewest bytes.
  uint32_t number() {
    const uint8_t first = byte();
    return first < 0x80 ? first : rest_of_number(first);
  }

  /// How many things of at least `least` bytes each follow, when `promised` bytes are promised to others.
  uint32_t count(size_t least, std::string_view things, uint64_t promised = 0) {
    const size_t begin = at();
    const uint32_t value = number();
    if (uint64_t(value) * least + promised <= remaining()) return value;
    fail(DiagCode::W007, begin,
         fmt::format("{} {} claimed, and {} bytes remain{}", value, things, remaining(),
                     promised == 0 ? "" : fmt::format(", {} of them for expressions", promised)));
    return 0;
  }

  /// A byte that is 0 or 1.
  bool flag() {
    const size_t begin = at();
    const uint8_t value = byte();
    if (value > 1) fail(DiagCode::W005, begin, fmt::format("0x{:02x} is neither 0 nor 1", value));
    return value == 1;
  }

  std::string_view string() {
    const uint32_t length = count(1, "bytes of a string");
    const std::string_view text(reinterpret_cast<const char*>(next_), length);
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] < 0x21 || text[i] > 0x7e) {
        fail(DiagCode::W011, at() + i,
             fmt::format("byte 0x{:02x} in a string", static_cast<unsigned char>(text[i])));
        return {};
      }
    }
    next_ += length;
    return text;
  }

 private:
  uint32_t rest_of_number(uint8_t first) {
    const size_t begin = at() - 1;
    uint32_t value = first & 0x7f;
    for (uint32_t shift = 7;; shift += 7) {
      const uint8_t next = byte();
      if (shift == 28 && next > 0x0f) {
        fail(DiagCode::W006, begin, "a number of more than 32 bits");
        return 0;
      }
      value |= uint32_t(next & 0x7f) << shift;
      if (next >= 0x80) continue;
      if (next == 0) fail(DiagCode::W006, begin, "a number in more bytes than it needs");
      return value;
    }
  }

  const std::byte *begin_, *next_, *end_;
  std::optional<Diag> fault_;
};

}  // namespace vyre::wire
