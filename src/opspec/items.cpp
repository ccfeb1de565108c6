#include "opspec/items.h"

#include <algorithm>

namespace vyre::opspec {
namespace {

void fill(RandomStream& random, std::span<std::byte> bytes) {
  for (size_t i = 0; i < bytes.size(); i += 4) {
    const uint32_t word = random.next();
    std::memcpy(&bytes[i], &word, std::min<size_t>(4, bytes.size() - i));
  }
}

}  // namespace

Buffer padded(const Item& bytes, RandomStream& random) {
  Buffer out((bytes.size() + 3) / 4 * 4);
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  for (size_t i = bytes.size(); i < out.size(); ++i) out[i] = std::byte(random.next());
  return out;
}

Buffer noise(RandomStream& random, size_t bytes) {
  Buffer out(bytes);
  fill(random, out);
  return out;
}

std::vector<Item> items_of(const Buffer& data, const Buffer& offsets) {
  std::vector<Item> items;
  for (size_t i = 0; i + 1 < count<uint32_t>(offsets); ++i) {
    const size_t begin = std::min<size_t>(get<uint32_t>(offsets, i), data.size());
    const size_t end = std::min<size_t>(get<uint32_t>(offsets, i + 1), data.size());
    Item& item = items.emplace_back();
    if (end <= begin) continue;
    item.resize(end - begin);
    std::memcpy(item.data(), data.data() + begin, item.size());
  }
  return items;
}

void put_items(RandomStream& random, Buffers& buffers, const std::vector<Item>& items) {
  Item data;
  // What stands before the first item belongs to none; items begin at any byte of a word.
  if (random.chance(2)) any_bytes(random, random.below(9), data);
  std::vector<uint32_t> offsets = {uint32_t(data.size())};
  for (const Item& item : items) {
    data.insert(data.end(), item.begin(), item.end());
    offsets.push_back(uint32_t(data.size()));
  }
  if (random.chance(8)) {
    const uint32_t last = uint32_t(offsets.size()) - 1;
    switch (random.below(4)) {
      case 0: offsets[random.below(last + 1)] = random.next(); break;
      case 1: offsets[last] = uint32_t(data.size()) + random.below(9); break;
      case 2: std::swap(offsets[random.below(last + 1)], offsets[random.below(last + 1)]); break;
      case 3: offsets.resize(random.below(2)); break;
    }
  }
  buffers.push_back(padded(data, random));
  buffers.push_back(buffer_of(offsets));
}

std::vector<Item> make_items(RandomStream& random, uint32_t size, MakeItem make) {
  constexpr uint32_t kBlocks[] = {4, 8, 16, 32, 55, 56, 64, 112, 128, 136, 1'024};
  std::vector<Item> items(size);
  for (Item& item : items) {
    uint32_t bytes = random.below(24);
    if (random.chance(4)) bytes = kBlocks[random.below(10)] - 1 + random.below(3);
    if (random.chance(64)) bytes = kBlocks[random.below(11)] * (1 + random.below(4)) - 1 + random.below(3);
    make(random, bytes, item);
  }
  return items;
}

void any_bytes(RandomStream& random, uint32_t bytes, Item& item) {
  const uint32_t kind = random.below(4);
  item.resize(item.size() + bytes, kind == 0 ? 0 : 0xff);
  if (kind > 1) fill(random, std::as_writable_bytes(std::span(item).last(bytes)));
}

void put_ragged(RandomStream& random, Buffers& buffers, size_t items, size_t needed) {
  // `count` or a few less or more.
  const auto about = [&](size_t count) -> size_t {
    const uint32_t by = random.below(9);
    switch (random.below(6)) {
      case 0: return count - std::min<size_t>(count, by);
      case 1: return count + by;
      case 2: return random.below(uint32_t(count) + 1);
      default: return count;
    }
  };
  buffers.push_back(noise(random, (about(needed) + 3) / 4 * 4));
  buffers.push_back(noise(random, about(items + 1) * 4));
  buffers.push_back(noise(random, about(items) * 4));
}

namespace {

/// Status of each item; of faulty ones the output is empty.
std::vector<uint32_t> leave(Buffers& buffers, size_t first, const std::vector<Item>& items,
                            const Recode& recode) {
  std::vector<uint32_t> status;
  size_t at = 0;
  put<uint32_t>(buffers[first + 1], 0, 0);
  Item out;
  for (size_t i = 0; i < items.size(); ++i) {
    out.clear();
    const std::optional<size_t> fault = recode(items[i], out);
    if (fault) out.clear();
    status.push_back(fault ? uint32_t(*fault) + 1 : 0);
    Buffer& bytes = buffers[first];
    if (at < bytes.size() && !out.empty())
      std::memcpy(&bytes[at], out.data(), std::min(out.size(), bytes.size() - at));
    at += out.size();
    put<uint32_t>(buffers[first + 1], i + 1, uint32_t(at));
  }
  return status;
}

}  // namespace

void leave_ragged(Buffers& buffers, size_t first, const std::vector<Item>& items, const Recode& recode) {
  const std::vector<uint32_t> status = leave(buffers, first, items, recode);
  for (size_t i = 0; i < status.size(); ++i) put<uint32_t>(buffers[first + 2], i, status[i]);
}
void leave_ragged_without_status(Buffers& buffers, size_t first, const std::vector<Item>& items,
                                 const Recode& recode) {
  leave(buffers, first, items, recode);
}

}  // namespace vyre::opspec
