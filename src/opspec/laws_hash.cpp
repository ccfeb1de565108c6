// Laws of hash.
#include <algorithm>
#include <bit>

#include "base/names.h"
#include "opspec/laws_bytes.h"

namespace vyre::opspec {
namespace {

/// Of each item; by operations that have one digest of all, one after the other.
Items digests(const Trial& trial, const Items& items, const Buffer* params = nullptr) {
  if (!is_among(trial.id(), "hash.*_large hash.merkle_sha256"))
    return bytes_of(outcomes(trial, trial.id(), {items}, params));
  Items out;
  for (const Item& item : items) out.push_back(outcomes(trial, {item})[0].bytes);
  return out;
}
/// The first items, of which each pair of neighbours makes a case; two empty ones where there are less.
Items few_items(const Trial& trial) {
  constexpr size_t kFew = 4;
  Items items = some_items(trial);
  items.resize(std::clamp<size_t>(items.size(), 2, kFew));
  return items;
}
/// Whether `relation` holds of the digests of the items that `make` makes of two.
template <typename Make, typename Relation>
bool of_pairs(const Trial& trial, Make make, Relation relation) {
  const Items items = few_items(trial);
  for (size_t i = 0; i + 1 < items.size(); ++i) {
    const Items made = make(items[i], items[i + 1]);
    if (!relation(made, digests(trial, made))) return false;
  }
  return true;
}
/// Whether what `change` makes of an item has the same digest.
template <typename Change>
bool is_unchanged(const Trial& trial, Change change) {
  Items items = few_items(trial);
  const Items before = digests(trial, items);
  for (Item& item : items) change(item);
  return digests(trial, items) == before;
}
uint64_t number(const Item& digest) {
  uint64_t value = 0;
  std::memcpy(&value, digest.data(), std::min(digest.size(), sizeof value));
  return value;
}
Item root(const Trial& trial, const Items& leaves) { return outcomes(trial, leaves)[0].bytes; }
Item sha256(const Trial& trial, const Item& message) {
  return outcomes(trial, "hash.sha256", {{message}})[0].bytes;
}

}  // namespace

bool Combination(const Trial& trial) {
  const auto both = [](const Item& a, const Item& b) { return Items{a, b, joined(a, b)}; };
  if (trial.id().starts_with("hash.adler32")) {
    return of_pairs(trial, both, [](const Items& items, const Items& digests) {
      constexpr uint64_t kModulus = 65'521;
      const uint64_t a = number(digests[0]), b = number(digests[1]);
      const uint64_t low = (a & 0xffff) + (b & 0xffff) + kModulus - 1;
      const uint64_t high = (a >> 16) + (b >> 16) + items[1].size() * ((a & 0xffff) + kModulus - 1);
      return number(digests[2]) == (high % kModulus << 16 | low % kModulus);
    });
  }
  const uint32_t polynomial = trial.id().starts_with("hash.crc32c") ? 0x82f6'3b78 : 0xedb8'8320;
  return of_pairs(trial, both, [polynomial](const Items& items, const Items& digests) {
    uint32_t crc = first_word(digests[0]);
    for (size_t bit = 0; bit < 8 * items[1].size(); ++bit) crc = crc >> 1 ^ (polynomial & (0 - (crc & 1)));
    return (crc ^ first_word(digests[1])) == first_word(digests[2]);
  });
}
bool Affine(const Trial& trial) {
  const auto make = [](const Item& a, const Item& b) {
    const size_t size = std::min(a.size(), b.size());
    Items out(4, Item(size));  // the last one is zeros
    for (size_t i = 0; i < size; ++i) {
      out[0][i] = a[i];
      out[1][i] = b[i];
      out[2][i] = a[i] ^ b[i];
    }
    return out;
  };
  return of_pairs(trial, make, [](const Items&, const Items& d) {
    return (number(d[0]) ^ number(d[1]) ^ number(d[2]) ^ number(d[3])) == 0;
  });
}
bool SumOfParts(const Trial& trial) {
  return of_pairs(
      trial, [](const Item& a, const Item& b) { return Items{a, b, joined(a, b)}; },
      [](const Items&, const Items& d) {
        return uint32_t(number(d[0]) + number(d[1])) == uint32_t(number(d[2]));
      });
}
bool OneBitMatters(const Trial& trial) {
  Items items = few_items(trial);
  const Items before = digests(trial, items);
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i].empty()) items[i][(items[i].size() - 1) / (i + 1)] ^= uint8_t(1U << i);
  const Items after = digests(trial, items);
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i].empty() && before[i] == after[i]) return false;
  return true;
}
bool TrailingZeros(const Trial& trial) {
  return is_unchanged(trial, [](Item& item) { item.push_back(0); });
}
bool OrderOfBytes(const Trial& trial) {
  return is_unchanged(trial, [](Item& item) { std::ranges::reverse(item); });
}
bool EmptyIsZero(const Trial& trial) {
  return std::ranges::all_of(digests(trial, {{}})[0], [](uint8_t byte) { return byte == 0; });
}
bool LargeIsItemwise(const Trial& trial) {
  const Items items = few_items(trial);
  const std::string_view itemwise = trial.id().substr(0, trial.id().find("_large"));
  return digests(trial, items) == bytes_of(outcomes(trial, itemwise, {items}));
}
bool OneMoreByte(const Trial& trial) {
  Items items = few_items(trial), before = items;
  for (Item& item : before)
    if (!item.empty()) item.pop_back();
  const Items with = digests(trial, items), without = digests(trial, before);
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].empty()) continue;
    const uint64_t mixed = number(without[i]) ^ items[i].back();
    const bool same = with[i].size() == 4 ? uint32_t(mixed * 0x0100'0193) == number(with[i])
                                          : mixed * 0x100'0000'01b3 == number(with[i]);
    if (!same) return false;
  }
  return true;
}

bool MissingParams(const Trial& trial) {
  const Buffer none, zeros(16);
  const Items items = few_items(trial);
  return digests(trial, items, &none) == digests(trial, items, &zeros);
}
bool OtherSeed(const Trial& trial) {
  const Items items = few_items(trial);
  const Buffer one = buffer_of(Words{1}), two = buffer_of(Words{2});
  const Items a = digests(trial, items, &one), b = digests(trial, items, &two);
  for (size_t i = 0; i < items.size(); ++i)
    if (a[i] == b[i]) return false;
  return true;
}
bool SeedIsAdded(const Trial& trial) {
  const Items items = few_items(trial);
  const Buffer zero(16), one = buffer_of(Words{1, 0, 0, 0});
  const Items a = digests(trial, items, &zero), b = digests(trial, items, &one);
  for (size_t i = 0; i < items.size(); ++i)
    if (uint32_t(number(a[i]) + 1) != uint32_t(number(b[i]))) return false;
  return true;
}

bool RootOfParts(const Trial& trial) {
  const Items leaves = some_items(trial);
  if (leaves.empty()) return root(trial, leaves) == sha256(trial, {});
  if (leaves.size() == 1) return root(trial, leaves) == sha256(trial, joined({0}, leaves[0]));
  const auto middle = leaves.begin() + long(std::bit_floor(leaves.size() - 1));
  const Item left = root(trial, {leaves.begin(), middle}), right = root(trial, {middle, leaves.end()});
  return root(trial, leaves) == sha256(trial, joined({1}, joined(left, right)));
}
bool RootOfAll(const Trial& trial) {
  const Items leaves = some_items(trial);
  Item all;
  for (const Item& leaf : leaves) all = joined(all, leaf);
  return root(trial, leaves) == sha256(trial, all);
}
bool OrderOfLeaves(const Trial& trial) {
  Items leaves = some_items(trial);
  const Item forward = root(trial, leaves);
  std::ranges::reverse(leaves);
  return root(trial, leaves) == forward;
}

}  // namespace vyre::opspec
