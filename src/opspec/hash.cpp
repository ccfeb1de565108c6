// Hashes: OpenSSL, zlib and xxHash are the references; where none of them has one, its definition.
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "opspec/items.h"
#include "opspec/opspec.h"

namespace vyre::opspec {

// Of this file alone, also where several files are compiled as one.
namespace hash {
namespace {

using Bytes = std::span<const uint8_t>;
/// Words that are not there are 0.
struct Params {
  std::vector<uint32_t> words;
  uint32_t operator[](size_t i) const { return i < words.size() ? words[i] : 0; }
};
/// The digest of an item in the order of memory: of a number, the lowest byte first.
using Digest = Item (*)(Bytes item, const Params& params);

template <typename T>
Item number(T value) {
  Item out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

// OpenSSL: EVP_Digest, of a method that is fetched once.
template <const EVP_MD* (*kMethod)()>
Item evp(Bytes item, const Params&) {
  static const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> method(
      EVP_MD_fetch(nullptr, EVP_MD_get0_name(kMethod()), nullptr), EVP_MD_free);
  Item out(size_t(EVP_MD_get_size(method.get())));
  EVP_Digest(item.data(), item.size(), out.data(), nullptr, method.get(), nullptr);
  return out;
}

// OpenSSL: EVP_MAC "SIPHASH", whose rounds are 2 and 4 by default.
Item siphash24(Bytes item, const Params& params) {
  static const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac(
      EVP_MAC_fetch(nullptr, "SIPHASH", nullptr), EVP_MAC_free);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(EVP_MAC_CTX_new(mac.get()),
                                                                          EVP_MAC_CTX_free);
  Item out(8);
  size_t size = out.size();
  const std::array<OSSL_PARAM, 2> options = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                             OSSL_PARAM_construct_end()};
  const std::array<uint32_t, 4> words = {params[0], params[1], params[2], params[3]};
  std::array<uint8_t, 16> key{};
  std::memcpy(key.data(), words.data(), key.size());
  EVP_MAC_init(context.get(), key.data(), key.size(), options.data());
  EVP_MAC_update(context.get(), item.data(), item.size());
  EVP_MAC_final(context.get(), out.data(), &size, out.size());
  return out;
}

// zlib: crc32, adler32.
template <uLong (*kChecksum)(uLong, const Bytef*, z_size_t)>
Item zlib(Bytes item, const Params&) {
  const uint8_t nothing =
      0;  // a null pointer asks for the value at the beginning, which is not said to be of no bytes
  return number(
      uint32_t(kChecksum(kChecksum(0, nullptr, 0), item.empty() ? &nothing : item.data(), item.size())));
}

// xxHash: XXH32, XXH64.
Item xxh32(Bytes item, const Params& params) { return number(XXH32(item.data(), item.size(), params[0])); }
Item xxh64(Bytes item, const Params& params) {
  return number(XXH64(item.data(), item.size(), params[0] | uint64_t(params[1]) << 32));
}

/// The remainder of the item as a polynomial, bit by bit: a coefficient that leaves takes the others of the
/// polynomial off. That of x^31 is the lowest bit.
Item crc32c(Bytes item, const Params&) {
  constexpr uint32_t kPolynomial = 0x82f6'3b78;  // 1edc6f41 from its other end
  uint32_t remainder = ~0U;
  for (const uint8_t byte : item) {
    remainder ^= byte;
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ (kPolynomial & (0 - (remainder & 1)));
  }
  return number(~remainder);
}

/// One multiplication a byte, by the definition.
template <typename T>
Item fnv1a(Bytes item, const Params&) {
  T hash = sizeof(T) == 4 ? T(0x811c'9dc5) : T(0xcbf2'9ce4'8422'2325);
  for (const uint8_t byte : item)
    hash = (hash ^ byte) * (sizeof(T) == 4 ? T(0x0100'0193) : T(0x100'0000'01b3));
  return number(hash);
}

/// MurmurHash3_x86_32: of a tail, the bytes that are missing are zeros and nothing is mixed after it.
Item murmur3(Bytes item, const Params& params) {
  uint32_t hash = params[0];
  for (size_t at = 0; at < item.size(); at += 4) {
    uint32_t word = 0;
    for (size_t k = at; k < std::min(at + 4, item.size()); ++k) word |= uint32_t(item[k]) << 8 * (k - at);
    hash ^= std::rotl(word * 0xcc9e'2d51, 15) * 0x1b87'3593;
    if (at + 4 <= item.size()) hash = std::rotl(hash, 13) * 5 + 0xe654'6b64;
  }
  hash ^= uint32_t(item.size());
  hash = (hash ^ hash >> 16) * 0x85eb'ca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2'ae35;
  return number(hash ^ hash >> 16);
}

// BLAKE3 as its paper defines it (2.1 to 2.6): a tree by recursion, and nothing that is carried from one
// chunk to the next.
namespace blake3 {

using Value = std::array<uint32_t, 8>;
constexpr Value kStart = {0x6a09'e667, 0xbb67'ae85, 0x3c6e'f372, 0xa54f'f53a,
                          0x510e'527f, 0x9b05'688c, 0x1f83'd9ab, 0x5be0'cd19};
constexpr uint32_t kChunkStart = 1, kChunkEnd = 2, kParent = 4, kRoot = 8;

Value compress(const Value& value, Bytes block, uint64_t counter, uint32_t flags) {
  std::array<uint32_t, 16> words{};
  std::ranges::copy(block, reinterpret_cast<uint8_t*>(words.data()));
  std::array<uint32_t, 16> v{};
  std::ranges::copy(value, v.begin());
  std::copy_n(kStart.begin(), 4, v.begin() + 8);
  v[12] = uint32_t(counter);
  v[13] = uint32_t(counter >> 32);
  v[14] = uint32_t(block.size());
  v[15] = flags;
  constexpr uint8_t kQuarters[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                                       {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};
  constexpr uint8_t kOrder[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
  for (int round = 0; round < 7; ++round) {
    for (size_t q = 0; q < 16; ++q) {  // each quarter twice, with other words and distances
      const auto& [a, b, c, d] = kQuarters[q / 2];
      v[a] += v[b] + words[q];
      v[d] = std::rotr(v[d] ^ v[a], q % 2 == 0 ? 16 : 8);
      v[c] += v[d];
      v[b] = std::rotr(v[b] ^ v[c], q % 2 == 0 ? 12 : 7);
    }
    const std::array<uint32_t, 16> before = words;
    for (size_t i = 0; i < 16; ++i) words[i] = before[kOrder[i]];
  }
  Value out;
  for (size_t i = 0; i < 8; ++i) out[i] = v[i] ^ v[i + 8];
  return out;
}

/// Of the chunks from number `first` on.
Value tree(Bytes bytes, uint64_t first, uint32_t root) {
  if (bytes.size() > 1024) {
    const size_t left = std::bit_floor((bytes.size() - 1) / 1024) * 1024;
    const std::array<Value, 2> children = {tree(bytes.first(left), first, 0),
                                           tree(bytes.subspan(left), first + left / 1024, 0)};
    return compress(kStart, {reinterpret_cast<const uint8_t*>(&children), sizeof children}, 0,
                    kParent | root);
  }
  Value value = kStart;
  for (size_t at = 0; at == 0 || at < bytes.size(); at += 64) {
    const bool last = at + 64 >= bytes.size();
    const uint32_t flags = (at == 0 ? kChunkStart : 0) | (last ? kChunkEnd | root : 0);
    value = compress(value, bytes.subspan(at, std::min<size_t>(64, bytes.size() - at)), first, flags);
  }
  return value;
}

Item digest(Bytes item, const Params&) { return number(tree(item, 0, kRoot)); }

}  // namespace blake3

/// RFC 6962, 2.1, by its recursion, with OpenSSL's SHA-256.
Item merkle(std::span<const Item> leaves) {
  Item message;
  if (leaves.size() == 1) {
    message.push_back(0);
    message.insert(message.end(), leaves[0].begin(), leaves[0].end());
  } else if (leaves.size() > 1) {
    const size_t left = std::bit_floor(leaves.size() - 1);
    message.push_back(1);
    for (const Item& child : {merkle(leaves.first(left)), merkle(leaves.subspan(left))})
      message.insert(message.end(), child.begin(), child.end());
  }
  return evp<EVP_sha256>(message, {});
}

void put_bytes(Buffer& buffer, size_t at, const Item& bytes) {
  for (const uint8_t byte : bytes) put<uint8_t>(buffer, at++, byte);
}

// Buffers: data, offsets, digests, and params where there are some.

template <Digest kDigest>
void of_items(Buffers& buffers) {
  const Params params = {buffers.size() > 3 ? elements<uint32_t>(buffers[3]) : std::vector<uint32_t>()};
  size_t at = 0;
  for (const Item& item : items_of(buffers[0], buffers[1])) {
    const Item digest = kDigest(item, params);
    put_bytes(buffers[2], at, digest);
    at += digest.size();
  }
}

template <Digest kDigest>
void of_one(Buffers& buffers) {
  const std::vector<Item> items = items_of(buffers[0], buffers[1]);
  if (!items.empty()) put_bytes(buffers[2], 0, kDigest(items[0], {}));
}

void of_all(Buffers& buffers) { put_bytes(buffers[2], 0, merkle(items_of(buffers[0], buffers[1]))); }

/// A digest buffer for `count` elements: as many, or some less or more.
void put_digests(RandomStream& random, Buffers& buffers, size_t count, size_t element) {
  switch (random.below(6)) {
    case 0: count -= std::min<size_t>(count, random.below(20)); break;
    case 1: count += random.below(20); break;
    case 2: count = random.below(uint32_t(count) + 1); break;
    default: break;
  }
  buffers.push_back(noise(random, count * element));
}

/// Digests of kCount elements of kElement bytes; kParams words of params, sometimes less.
template <size_t kCount, size_t kElement, uint32_t kParams = 0>
Buffers items(RandomStream& random, uint32_t size) {
  Buffers out;
  put_items(random, out, make_items(random, size, any_bytes));
  put_digests(random, out, size * kCount, kElement);
  if (kParams > 0) {
    const uint32_t words = random.chance(16) ? 0 : random.chance(8) ? random.below(kParams + 2) : kParams;
    out.push_back(random.chance(8) ? Buffer(words * 4) : noise(random, words * 4));
  }
  return out;
}

/// One item of up to a million bytes, about a whole number of blocks of it now and then, and a few that do
/// not count.
template <size_t kCount>
Buffers one(RandomStream& random, uint32_t size) {
  uint32_t bytes = size * random.below(50) + random.below(40);
  const uint32_t block = 4U << random.below(14);
  if (random.chance(2)) bytes = (bytes / block * block) + random.below(3) - (bytes >= block ? 1 : 0);
  std::vector<Item> items = make_items(random, 1 + random.below(3), any_bytes);
  items[0].clear();
  any_bytes(random, bytes, items[0]);
  Buffers out;
  put_items(random, out, items);
  put_digests(random, out, kCount, 4);
  return out;
}

constexpr OperationSpec kOperations[] = {
    {"hash.adler32", items<1, 4>, of_items<zlib<adler32_z>>},
    {"hash.adler32_large", one<1>, of_one<zlib<adler32_z>>},
    {"hash.blake2s", items<8, 4>, of_items<evp<EVP_blake2s256>>},
    {"hash.blake3", items<8, 4>, of_items<blake3::digest>},
    {"hash.blake3_large", one<8>, of_one<blake3::digest>},
    {"hash.crc32", items<1, 4>, of_items<zlib<crc32_z>>},
    {"hash.crc32_large", one<1>, of_one<zlib<crc32_z>>},
    {"hash.crc32c", items<1, 4>, of_items<crc32c>},
    {"hash.crc32c_large", one<1>, of_one<crc32c>},
    {"hash.fnv1a32", items<1, 4>, of_items<fnv1a<uint32_t>>},
    {"hash.fnv1a64", items<1, 8>, of_items<fnv1a<uint64_t>>},
    {"hash.md5", items<4, 4>, of_items<evp<EVP_md5>>},
    {"hash.merkle_sha256", items<8, 4>, of_all},
    {"hash.murmur3_32", items<1, 4, 1>, of_items<murmur3>},
    {"hash.sha1", items<5, 4>, of_items<evp<EVP_sha1>>},
    {"hash.sha256", items<8, 4>, of_items<evp<EVP_sha256>>},
    {"hash.sha3_256", items<8, 4>, of_items<evp<EVP_sha3_256>>},
    {"hash.sha512", items<16, 4>, of_items<evp<EVP_sha512>>},
    {"hash.siphash24", items<1, 8, 4>, of_items<siphash24>},
    {"hash.xxh32", items<1, 4, 1>, of_items<xxh32>},
    {"hash.xxh64", items<1, 8, 2>, of_items<xxh64>},
};

}  // namespace
}  // namespace hash

std::span<const OperationSpec> hash_operations() { return hash::kOperations; }

}  // namespace vyre::opspec
