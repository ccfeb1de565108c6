// What cache files of code are made of: numbers and bytes, one behind the other.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/bytes.h"

namespace vyre::backend {

inline void append(Bytes& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}
template <std::unsigned_integral T>
void append(Bytes& out, T value) {
  append(out, std::as_bytes(std::span(&value, 1)));
}

/// Takes from the front of bytes; empty when they do not suffice.
class ContentReader {
 public:
  explicit ContentReader(std::span<const std::byte> bytes) : left_(bytes) {}
  std::optional<std::span<const std::byte>> take(size_t count) {
    if (count > left_.size()) return std::nullopt;
    const auto out = left_.first(count);
    left_ = left_.subspan(count);
    return out;
  }
  template <std::unsigned_integral T>
  std::optional<T> take() {
    const auto bytes = take(sizeof(T));
    if (!bytes) return std::nullopt;
    T value;
    std::memcpy(&value, bytes->data(), sizeof value);
    return value;
  }
  std::span<const std::byte> rest() const { return left_; }

 private:
  std::span<const std::byte> left_;
};

}  // namespace vyre::backend
