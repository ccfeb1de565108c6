// Items and ragged outputs on the host: what operations over many strings of bytes have in common.
//
// `data` is bytes and `offsets` n + 1 words; item i is the bytes [offsets[i], offsets[i + 1]), both clamped
// to the size of data, and empty where the end is below the start. A ragged output is `out`, `out_offsets`
// and `status`: what is needed is in out_offsets whatever there is room for. Source: docs/library.md.
#pragma once

#include <cstring>
#include <functional>
#include <optional>

#include "opspec/opspec.h"

namespace vyre::opspec {

using Item = std::vector<uint8_t>;

// Elements of buffers.
template <typename T>
size_t count(const Buffer& buffer) {
  return buffer.size() / sizeof(T);
}
/// Element i; beyond the end 0, as a load is.
template <typename T>
T get(const Buffer& buffer, size_t i) {
  T value{};
  if (i < count<T>(buffer)) std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return value;
}
/// Does nothing beyond the end, as a store does.
template <typename T>
void put(Buffer& buffer, size_t i, T value) {
  if (i < count<T>(buffer)) std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
}
template <typename T>
std::vector<T> elements(const Buffer& buffer) {
  std::vector<T> out(count<T>(buffer));
  if (!out.empty()) std::memcpy(out.data(), buffer.data(), out.size() * sizeof(T));
  return out;
}
template <typename T>
Buffer buffer_of(const std::vector<T>& values) {
  Buffer out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}
/// `bytes` of them in whole words, the rest random: nothing may depend on it.
Buffer padded(const Item& bytes, RandomStream& random);
/// Random bytes: an output before a run.
Buffer noise(RandomStream& random, size_t bytes);

/// The items of a case, by the rule above.
std::vector<Item> items_of(const Buffer& data, const Buffer& offsets);

/// Appends `data` and `offsets` of these items. One time in eight offsets are malformed: they decrease, point
/// outside, overlap, or there are none.
void put_items(RandomStream& random, Buffers& buffers, const std::vector<Item>& items);

/// Items made one by one: `size` of them, mostly short, some around 64, 128 and 1,024 bytes; `make` appends
/// to one about `bytes` of them.
using MakeItem = void (*)(RandomStream& random, uint32_t bytes, Item& item);
std::vector<Item> make_items(RandomStream& random, uint32_t size, MakeItem make);
/// Any bytes.
void any_bytes(RandomStream& random, uint32_t bytes, Item& item);

/// Appends an output of ragged results: `out` with room for about what is needed (exactly, less, more),
/// `out_offsets` and `status` with as many entries as there are items, or some less or more.
void put_ragged(RandomStream& random, Buffers& buffers, size_t items, size_t needed);

/// What one item becomes: appended to `out`; or the offset of its first fault.
using Recode = std::function<std::optional<size_t>(std::span<const uint8_t> item, Item& out)>;
/// Leaves in buffers[first .. first + 2] (out, out_offsets, status) what a ragged operation does.
void leave_ragged(Buffers& buffers, size_t first, const std::vector<Item>& items, const Recode& recode);
/// The same where there is no status: buffers[first] and buffers[first + 1].
void leave_ragged_without_status(Buffers& buffers, size_t first, const std::vector<Item>& items,
                                 const Recode& recode);

}  // namespace vyre::opspec
