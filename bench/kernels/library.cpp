// The library's operations over buffers, and what a user would call instead: OpenSSL, zlib, xxHash, the
// BLAKE3 that comes with LLVM, and the standard library.
#define OPENSSL_SUPPRESS_DEPRECATED  // an item of 64 bytes is done before EVP has found its functions
#include <dlfcn.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/hash_rounds.h"
#include "kernels/parallel.h"
#include "kernels/rivals.h"

// std::stable_sort of libstdc++ calls what the standard has given up.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

namespace {
using vyre::bench::Arrays;
using vyre::bench::blake_rounds;
using vyre::bench::padded;
using vyre::bench::parallel;
using vyre::bench::sha256_block;
using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

u32 load32(const u8* at) {
  u32 x;
  std::memcpy(&x, at, 4);
  return x;
}
u64 load64(const u8* at) {
  u64 x;
  std::memcpy(&x, at, 8);
  return x;
}

/// Item i is the bytes of array 0 from offset i of array 1 to the next, both at most the size.
template <typename Body>
void each_item(const Arrays& a, size_t grain, const Body& body) {
  const u8* data = a.at<u8>(0);
  const u32* offsets = a.at<u32>(1);
  const size_t size = std::min<size_t>(a.bytes[0], ~0u);
  parallel(std::max<size_t>(a.count<u32>(1), 1) - 1, grain, [=, &body](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const size_t begin = std::min<size_t>(offsets[i], size), end = std::min<size_t>(offsets[i + 1], size);
      body(i, data + begin, end > begin ? end - begin : 0);
    }
  });
}
/// Bytes of a digest, as far as there is room.
template <size_t kBytes>
void put(const Arrays& a, size_t buffer, size_t item, const void* digest) {
  const size_t at = item * kBytes;
  if (at < a.bytes[buffer]) {
    std::memcpy(a.at<u8>(buffer) + at, digest, std::min(kBytes, a.bytes[buffer] - at));
  }
}
template <typename Word>
void put_word(const Arrays& a, size_t buffer, size_t item, Word digest) {
  if (item < a.count<Word>(buffer)) a.at<Word>(buffer)[item] = digest;
}
// SHA-256.
void sha256_by_hand(const Arrays& a) {
  each_item(a, 16, [&](size_t i, const u8* item, size_t length) {
    u32 h[8] = {VYRE_SHA256_START};
    padded(item, length, true, [&](const u8* block) { sha256_block(h, block); });
    for (u32& x : h) x = __builtin_bswap32(x);
    put<32>(a, 2, i, h);
  });
}
void sha256_of_openssl(const Arrays& a) {
  each_item(a, 16, [&](size_t i, const u8* item, size_t length) {
    u8 digest[32];
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, item, length);
    SHA256_Final(digest, &context);
    put<32>(a, 2, i, digest);
  });
}
VYRE_HAND(library_sha256) { sha256_by_hand(a); }
VYRE_HAND(library_sha256_1k) { sha256_by_hand(a); }
VYRE_LIBRARY(library_sha256, "OpenSSL SHA256") { sha256_of_openssl(a); }
VYRE_LIBRARY(library_sha256_1k, "OpenSSL SHA256") { sha256_of_openssl(a); }

// MD5.
constexpr u32 kMd5[64] = {VYRE_MD5_ROUNDS};
constexpr int kMd5Turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
void md5_block(u32 (&h)[4], const u8* block) {
  u32 s0 = h[0], s1 = h[1], s2 = h[2], s3 = h[3];
#pragma clang loop unroll(full)
  for (int t = 0; t < 64; ++t) {
    const int kind = t / 16;
    const u32 f = kind == 0   ? s3 ^ (s1 & (s2 ^ s3))
                  : kind == 1 ? s2 ^ (s3 & (s1 ^ s2))
                  : kind == 2 ? s1 ^ s2 ^ s3
                              : s2 ^ (s1 | ~s3);
    const int word = (kind == 0 ? t : kind == 1 ? 5 * t + 1 : kind == 2 ? 3 * t + 5 : 7 * t) & 15;
    const u32 next = s1 + std::rotl(s0 + f + kMd5[t] + load32(block + word * 4), kMd5Turns[kind][t & 3]);
    s0 = s3, s3 = s2, s2 = s1, s1 = next;
  }
  h[0] += s0, h[1] += s1, h[2] += s2, h[3] += s3;
}
void md5_by_hand(const Arrays& a) {
  each_item(a, 16, [&](size_t i, const u8* item, size_t length) {
    u32 h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    padded(item, length, false, [&](const u8* block) { md5_block(h, block); });
    put<16>(a, 2, i, h);
  });
}
void md5_of_openssl(const Arrays& a) {
  each_item(a, 16, [&](size_t i, const u8* item, size_t length) {
    u8 digest[16];
    MD5_CTX context;
    MD5_Init(&context);
    MD5_Update(&context, item, length);
    MD5_Final(digest, &context);
    put<16>(a, 2, i, digest);
  });
}
VYRE_HAND(library_md5) { md5_by_hand(a); }
VYRE_HAND(library_md5_1k) { md5_by_hand(a); }
VYRE_LIBRARY(library_md5, "OpenSSL MD5") { md5_of_openssl(a); }
VYRE_LIBRARY(library_md5_1k, "OpenSSL MD5") { md5_of_openssl(a); }

// CRC-32, eight bytes at a time.
constexpr auto kCrcTables = [] {
  std::array<std::array<u32, 256>, 8> t{};
  for (u32 b = 0; b < 256; ++b) {
    u32 crc = b;
    for (auto& of_place : t) {
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320u & (0 - (crc & 1)));
      of_place[b] = crc;
    }
  }
  return t;
}();
void crc32_by_hand(const Arrays& a) {
  each_item(a, 64, [&](size_t i, const u8* item, size_t length) {
    const auto& t = kCrcTables;
    u32 crc = ~0u;
    size_t at = 0;
    for (; at + 8 <= length; at += 8) {
      const u64 x = load64(item + at) ^ crc;
      crc = t[7][x & 255] ^ t[6][x >> 8 & 255] ^ t[5][x >> 16 & 255] ^ t[4][x >> 24 & 255] ^
            t[3][x >> 32 & 255] ^ t[2][x >> 40 & 255] ^ t[1][x >> 48 & 255] ^ t[0][x >> 56];
    }
    for (; at < length; ++at) crc = crc >> 8 ^ t[0][(crc ^ item[at]) & 255];
    put_word(a, 2, i, ~crc);
  });
}
void crc32_of_zlib(const Arrays& a) {
  each_item(a, 64, [&](size_t i, const u8* item, size_t length) {
    put_word(a, 2, i, u32(crc32_z(0, item, length)));
  });
}
VYRE_HAND(library_crc32) { crc32_by_hand(a); }
VYRE_HAND(library_crc32_1k) { crc32_by_hand(a); }
VYRE_LIBRARY(library_crc32, "zlib crc32") { crc32_of_zlib(a); }
VYRE_LIBRARY(library_crc32_1k, "zlib crc32") { crc32_of_zlib(a); }

// XXH64.
constexpr u64 kXxh[5] = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63,
                         0x27d4eb2f165667c5};
u64 xxh_round(u64 sum, u64 lane) { return std::rotl(sum + lane * kXxh[1], 31) * kXxh[0]; }
u64 xxh_seed(const Arrays& a) {
  const u32* params = a.at<u32>(3);
  const size_t n = a.count<u32>(3);
  return (n > 0 ? params[0] : 0) | (n > 1 ? u64{params[1]} << 32 : 0);
}
void xxh64_by_hand(const Arrays& a) {
  const u64 seed = xxh_seed(a);
  each_item(a, 64, [&](size_t i, const u8* item, size_t length) {
    u64 hash = seed + kXxh[4];
    size_t at = 0;
    if (length >= 32) {
      u64 v[4] = {seed + kXxh[0] + kXxh[1], seed + kXxh[1], seed, seed - kXxh[0]};
      for (; at + 32 <= length; at += 32) {
        for (size_t k = 0; k < 4; ++k) v[k] = xxh_round(v[k], load64(item + at + k * 8));
      }
      hash = std::rotl(v[0], 1) + std::rotl(v[1], 7) + std::rotl(v[2], 12) + std::rotl(v[3], 18);
      for (const u64 sum : v) hash = (hash ^ xxh_round(0, sum)) * kXxh[0] + kXxh[3];
    }
    hash += length;
    for (; at + 8 <= length; at += 8) {
      hash = std::rotl(hash ^ xxh_round(0, load64(item + at)), 27) * kXxh[0] + kXxh[3];
    }
    if (at + 4 <= length) {
      hash = std::rotl(hash ^ load32(item + at) * kXxh[0], 23) * kXxh[1] + kXxh[2];
      at += 4;
    }
    for (; at < length; ++at) hash = std::rotl(hash ^ item[at] * kXxh[4], 11) * kXxh[0];
    hash = (hash ^ hash >> 33) * kXxh[1];
    hash = (hash ^ hash >> 29) * kXxh[2];
    put_word(a, 2, i, hash ^ hash >> 32);
  });
}
void xxh64_of_xxhash(const Arrays& a) {
  const u64 seed = xxh_seed(a);
  each_item(a, 64, [&](size_t i, const u8* item, size_t length) {
    put_word(a, 2, i, u64{XXH64(item, length, seed)});
  });
}
VYRE_HAND(library_xxh64) { xxh64_by_hand(a); }
VYRE_HAND(library_xxh64_1k) { xxh64_by_hand(a); }
VYRE_LIBRARY(library_xxh64, "xxHash XXH64") { xxh64_of_xxhash(a); }
VYRE_LIBRARY(library_xxh64_1k, "xxHash XXH64") { xxh64_of_xxhash(a); }

// BLAKE3: chunks of 1,024 bytes, and subtrees that wait for one as large.
constexpr u32 kBlakeIv[8] = {VYRE_SHA256_START};
enum BlakeFlags : u32 { kStart = 1, kEnd = 2, kParent = 4, kRoot = 8 };
/// By itself: among loads and stores clang makes slow vectors of it.
[[gnu::noinline]] void blake_rounds_of_one(u32 (&v)[16], const u32 (&m)[16]) { blake_rounds(v, m); }
void blake_compress(u32 (&value)[8], const u32 (&m)[16], u32 chunk, u32 size, u32 flags) {
  u32 v[16];
  std::memcpy(v, value, 32);
  std::memcpy(v + 8, kBlakeIv, 16);
  v[12] = chunk, v[13] = 0, v[14] = size, v[15] = flags;
  blake_rounds_of_one(v, m);
  for (size_t k = 0; k < 8; ++k) value[k] = v[k] ^ v[8 + k];
}
void blake_parent(const u32* left, u32 (&right)[8], u32 flags) {
  u32 m[16];
  std::memcpy(m, left, 32);
  std::memcpy(m + 8, right, 32);
  std::memcpy(right, kBlakeIv, 32);
  blake_compress(right, m, 0, 64, kParent | flags);
}
void blake3_by_hand(const Arrays& a) {
  each_item(a, 16, [&](size_t i, const u8* item, size_t length) {
    u32 waiting[24][8], value[8];
    size_t count = 0;
    const size_t chunks = std::max<size_t>((length + 1023) / 1024, 1);
    for (size_t chunk = 0; chunk < chunks; ++chunk) {
      const size_t end = std::min(length, chunk * 1024 + 1024);
      std::memcpy(value, kBlakeIv, 32);
      size_t at = chunk * 1024;
      u32 flags = kStart;
      do {
        u32 m[16] = {};
        const size_t size = std::min<size_t>(end - at, 64);
        std::memcpy(m, item + at, size);
        at += size;
        if (at == end) flags |= chunks == 1 ? kEnd | kRoot : kEnd;
        blake_compress(value, m, u32(chunk), u32(size), flags);
        flags = 0;
      } while (at < end);
      if (chunk + 1 == chunks) break;
      for (size_t whole = chunk + 1; whole % 2 == 0; whole /= 2) blake_parent(waiting[--count], value, 0);
      std::memcpy(waiting[count++], value, 32);
    }
    while (count > 0) {
      --count;
      blake_parent(waiting[count], value, count == 0 ? kRoot : 0);
    }
    put<32>(a, 2, i, value);
  });
}
/// The functions of llvm-c/blake3.h, where LLVM is a shared library.
struct LlvmBlake3 {
  void (*init)(void*) = nullptr;
  void (*update)(void*, const void*, size_t) = nullptr;
  void (*finalize)(const void*, u8*, size_t) = nullptr;
};
const LlvmBlake3& llvm_blake3() {
  static const LlvmBlake3 found = [] {
    LlvmBlake3 out;
    void* library = nullptr;
    for (const char* name : {"libLLVM.so.19.1", "libLLVM.so"}) {
      if (library == nullptr) library = dlopen(name, RTLD_NOW);
    }
    if (library == nullptr) return out;
    out.init = reinterpret_cast<void (*)(void*)>(dlsym(library, "llvm_blake3_hasher_init"));
    out.update =
        reinterpret_cast<void (*)(void*, const void*, size_t)>(dlsym(library, "llvm_blake3_hasher_update"));
    out.finalize =
        reinterpret_cast<void (*)(const void*, u8*, size_t)>(dlsym(library, "llvm_blake3_hasher_finalize"));
    return out;
  }();
  return found;
}
bool has_llvm_blake3() {
  return llvm_blake3().init != nullptr && llvm_blake3().update != nullptr &&
         llvm_blake3().finalize != nullptr;
}
void blake3_of_llvm(const Arrays& a) {
  const LlvmBlake3& llvm = llvm_blake3();
  each_item(a, 16, [&](size_t i, const u8* item, size_t length) {
    alignas(16) u8 hasher[4096];  // its own are 1,912 bytes
    u8 digest[32];
    llvm.init(hasher);
    llvm.update(hasher, item, length);
    llvm.finalize(hasher, digest, sizeof digest);
    put<32>(a, 2, i, digest);
  });
}
VYRE_HAND(library_blake3) { blake3_by_hand(a); }
VYRE_HAND(library_blake3_1k) { blake3_by_hand(a); }
VYRE_LIBRARY_CLOSE(library_blake3, "BLAKE3 of LLVM", has_llvm_blake3) { blake3_of_llvm(a); }
VYRE_LIBRARY_CLOSE(library_blake3_1k, "BLAKE3 of LLVM", has_llvm_blake3) { blake3_of_llvm(a); }

// Collections. Each thread has a part of the elements.
template <typename Body>
void in_parts(size_t n, const Body& body) {
  const size_t parts = vyre::bench::threads(), each = (n + parts - 1) / parts;
  parallel(parts, 1, [&](size_t first, size_t last) {
    for (size_t p = first; p < last; ++p) body(p, std::min(n, p * each), std::min(n, (p + 1) * each));
  });
}
VYRE_HAND(library_reduce) {
  const u32* in = a.at<u32>(0);
  std::vector<u32> sums(vyre::bench::threads());
  in_parts(a.count<u32>(0), [&](size_t part, size_t first, size_t last) {
    u32 sum = 0;
    for (size_t i = first; i < last; ++i) sum += in[i];
    sums[part] = sum;
  });
  a.at<u32>(1)[0] = std::accumulate(sums.begin(), sums.end(), 0u);
}
VYRE_LIBRARY(library_reduce, "std::reduce") {
  a.at<u32>(1)[0] = std::reduce(a.at<u32>(0), a.at<u32>(0) + a.count<u32>(0));
}

VYRE_HAND(library_scan) {
  const u32* in = a.at<u32>(0);
  u32* out = a.at<u32>(1);
  const size_t n = a.count<u32>(0), parts = vyre::bench::threads();
  std::vector<u32> sums(parts);
  const auto write = [=](u32 sum, size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) out[i] = sum += in[i];
  };
  if (parts == 1) return write(0, 0, n);
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    u32 sum = 0;
    for (size_t i = first; i < last; ++i) sum += in[i];
    sums[part] = sum;
  });
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    write(std::accumulate(sums.begin(), sums.begin() + ptrdiff_t(part), 0u), first, last);
  });
}
VYRE_LIBRARY(library_scan, "std::inclusive_scan") {
  std::inclusive_scan(a.at<u32>(0), a.at<u32>(0) + a.count<u32>(0), a.at<u32>(1));
}

// Eight bits a pass, stable; each thread counts and moves its part.
template <bool kPairs>
void radix_sort(const u32* keys, const u32* values, u32* out_keys, u32* out_values, size_t n) {
  const size_t parts = vyre::bench::threads();
  std::vector<u32> other_keys(n), other_values(kPairs ? n : 0);
  u32 *to = other_keys.data(), *values_to = other_values.data();
  std::vector<std::array<u32, 256>> counts(parts);
  for (int shift = 0; shift < 32; shift += 8) {
    in_parts(n, [&](size_t part, size_t first, size_t last) {
      counts[part] = {};
      for (size_t i = first; i < last; ++i) ++counts[part][keys[i] >> shift & 255];
    });
    u32 start = 0;
    for (size_t digit = 0; digit < 256; ++digit) {
      for (auto& mine : counts) start += std::exchange(mine[digit], start);
    }
    in_parts(n, [&](size_t part, size_t first, size_t last) {
      auto& places = counts[part];
      for (size_t i = first; i < last; ++i) {
        const u32 place = places[keys[i] >> shift & 255]++;
        to[place] = keys[i];
        if constexpr (kPairs) values_to[place] = values[i];
      }
    });
    keys = to, values = values_to;
    to = to == out_keys ? other_keys.data() : out_keys;
    values_to = values_to == out_values ? other_values.data() : out_values;
  }
}
VYRE_HAND(library_sort) { radix_sort<false>(a.at<u32>(0), nullptr, a.at<u32>(1), nullptr, a.count<u32>(0)); }
VYRE_LIBRARY(library_sort, "std::sort") {
  std::copy_n(a.at<u32>(0), a.count<u32>(0), a.at<u32>(1));
  std::sort(a.at<u32>(1), a.at<u32>(1) + a.count<u32>(0));
}
VYRE_HAND(library_sort_pairs) {
  radix_sort<true>(a.at<u32>(0), a.at<u32>(1), a.at<u32>(2), a.at<u32>(3), a.count<u32>(0));
}
VYRE_LIBRARY(library_sort_pairs, "std::stable_sort") {
  const size_t n = a.count<u32>(0);
  std::vector<std::pair<u32, u32>> pairs(n);
  for (size_t i = 0; i < n; ++i) pairs[i] = {a.at<u32>(0)[i], a.at<u32>(1)[i]};
  std::ranges::stable_sort(pairs, {}, &std::pair<u32, u32>::first);
  for (size_t i = 0; i < n; ++i) a.at<u32>(2)[i] = pairs[i].first, a.at<u32>(3)[i] = pairs[i].second;
}

// Four tables a thread, so that equal neighbours do not wait for each other.
VYRE_HAND(library_histogram) {
  const u32* in = a.at<u32>(0);
  const size_t n = a.count<u32>(0), bins = a.count<u32>(1);
  std::vector<std::vector<u32>> tables(vyre::bench::threads());
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    tables[part].assign(4 * bins, 0);
    u32* t = tables[part].data();
    size_t i = first;
    for (; i + 4 <= last; i += 4) {
      for (size_t k = 0; k < 4; ++k) {
        if (in[i + k] < bins) ++t[k * bins + in[i + k]];
      }
    }
    for (; i < last; ++i) {
      if (in[i] < bins) ++t[in[i]];
    }
  });
  for (size_t bin = 0; bin < bins; ++bin) {
    u32 sum = 0;
    for (const auto& t : tables) sum += t[bin] + t[bins + bin] + t[2 * bins + bin] + t[3 * bins + bin];
    a.at<u32>(1)[bin] = sum;
  }
}

VYRE_HAND(library_compact) {
  const u32 *in = a.at<u32>(0), *flags = a.at<u32>(1);
  u32* out = a.at<u32>(2);
  const size_t n = a.count<u32>(0), room = a.count<u32>(2);
  std::vector<u32> counts(vyre::bench::threads());
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    u32 count = 0;
    for (size_t i = first; i < last; ++i) count += flags[i] != 0;
    counts[part] = count;
  });
  in_parts(n, [&](size_t part, size_t first, size_t last) {
    size_t at = std::accumulate(counts.begin(), counts.begin() + ptrdiff_t(part), 0u);
    const size_t end = std::min<size_t>(room, at + counts[part]);
    for (size_t i = first; i < last && at < end;
         ++i) {  // without a branch: the next one goes over what is not kept
      out[at] = in[i];
      at += flags[i] != 0;
    }
  });
  a.at<u32>(3)[0] = std::accumulate(counts.begin(), counts.end(), 0u);
}

// Texts: 64 bytes are compared at once and become bits.
using Bytes64 = u8 __attribute__((ext_vector_type(64)));
using Bits64 = bool __attribute__((ext_vector_type(64)));
template <typename Comparison>
u64 bits_of(Comparison of) {
  return std::bit_cast<u64>(__builtin_convertvector(of, Bits64));
}
Bytes64 load_bytes(const u8* at) {
  Bytes64 x;
  std::memcpy(&x, at, 64);
  return x;
}

/// How many bytes a sequence of UTF-8 at `at` has, or 0 where it is ill-formed.
size_t utf8_sequence(const u8* at, size_t rest) {
  const u8 lead = at[0];
  if (lead < 0x80) return 1;
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4 || rest < size) return 0;
  const u8 low = lead == 0xe0   ? 0xa0
                 : lead == 0xf0 ? 0x90
                                : 0x80,
           high = lead == 0xed   ? 0x9f
                  : lead == 0xf4 ? 0x8f
                                 : 0xbf;
  if (at[1] < low || at[1] > high) return 0;
  for (size_t k = 2; k < size; ++k) {
    if (at[k] >> 6 != 2) return 0;
  }
  return size;
}
/// The first fault among the sequences that begin in [first, last), or `length`.
size_t utf8_fault(const u8* text, size_t length, size_t first, size_t last) {
  size_t at = first;
  for (size_t back = 1; back <= std::min<size_t>(first, 3);
       ++back) {  // what a sequence before still has to have
    const u8 c = text[first - back];
    if (c >> 6 == 2) continue;
    const size_t size = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    if (size > back) at = first + size - back;
    break;
  }
  while (at < last) {
    while (at + 64 <= last && bits_of(load_bytes(text + at) >= u8{0x80}) == 0) at += 64;
    for (const size_t end = std::min(last, at + 64); at < end;) {
      const size_t size = utf8_sequence(text + at, length - at);
      if (size == 0) return at;
      at += size;
    }
  }
  return length;
}
VYRE_HAND(library_utf8_valid) {
  const u8* data = a.at<u8>(0);
  const u32* offsets = a.at<u32>(1);
  for (size_t i = 0; i + 1 < a.count<u32>(1) && i < a.count<u32>(2); ++i) {
    const size_t begin = std::min<size_t>(offsets[i], a.bytes[0]),
                 end = std::min<size_t>(offsets[i + 1], a.bytes[0]);
    const size_t length = end > begin ? end - begin : 0;
    std::vector<size_t> faults(vyre::bench::threads());
    in_parts(length, [&](size_t part, size_t first, size_t last) {
      faults[part] = utf8_fault(data + begin, length, first, last);
    });
    const size_t fault = std::ranges::min(faults);
    a.at<u32>(2)[i] = fault == length ? 0 : u32(fault + 1);
  }
}

// The first stage of simdjson, with its masks, one thread.
VYRE_HAND(library_json_index) {
  const u8* data = a.at<u8>(0);
  u32* index = a.at<u32>(1);
  const size_t room = a.count<u32>(1);
  const size_t length = a.count<u32>(4) == 0 ? a.bytes[0] : std::min<size_t>(a.at<u32>(4)[0], a.bytes[0]);
  constexpr u64 kEven = 0x5555555555555555;
  u64 escaped_next = 0, inside = 0, plain_before = 0;  // a bit each; `inside` all of them
  size_t count = 0, fault = length + 1;
  for (size_t at = 0; at < length; at += 64) {
    u8 tail[64];
    const u8* from = data + at;
    if (at + 64 > length) {
      std::memset(tail, ' ', 64);
      std::memcpy(tail, from, length - at);
      from = tail;
    }
    const Bytes64 x = load_bytes(from), folded = x | 0x20;
    // Escaped is what stands behind an odd number of backslashes.
    const u64 slashes = bits_of(x == '\\') & ~escaped_next;
    u64 escaped = escaped_next;
    if (slashes != 0) {
      const u64 behind = slashes << 1 | escaped_next;
      const u64 odd = slashes & ~kEven & ~behind;
      u64 even = 0;
      escaped_next = __builtin_add_overflow(odd, slashes, &even);
      escaped = (kEven ^ even << 1) & behind;
    } else {
      escaped_next = 0;
    }
    const u64 quotes = bits_of(x == '"') & ~escaped;
    u64 within = quotes;
    for (int by = 1; by < 64; by *= 2) within ^= within << by;
    within ^= inside;
    inside = 0 - (within >> 63);
    const u64 own = bits_of((folded == '{') | (folded == '}') | (x == ':') | (x == ','));
    const u64 other = ~(own | bits_of((x == ' ') | (x == '\n') | (x == '\r') | (x == '\t')));
    const u64 plain = other & ~quotes;
    u64 found = (own | (other & ~(plain << 1 | plain_before))) & ~(within ^ quotes);
    plain_before = plain >> 63;
    if (const u64 control = bits_of(x < u8{0x20}) & within; control != 0) {
      fault = std::min(fault, at + size_t(std::countr_zero(control)));
    }
    for (; found != 0; found &= found - 1, ++count) {
      if (count < room) index[count] = u32(at + size_t(std::countr_zero(found)));
    }
  }
  if (inside != 0) fault = std::min(fault, length);
  a.at<u32>(2)[0] = u32(count);
  a.at<u32>(3)[0] = fault == length + 1 ? 0 : u32(fault + 1);
}

/// Calls found(place) for places in [first, last) at which the needle begins.
template <typename Found>
void find_needle(const u8* text, size_t length, const u8* needle, size_t size, size_t first, size_t last,
                 const Found& found) {
  if (size == 0 || size > length) return;
  last = std::min(last, length - size + 1);
  size_t at = first;
  for (; at + 64 <= last; at += 64) {  // its first and its last byte
    u64 fits = bits_of((load_bytes(text + at) == needle[0]) &
                       (load_bytes(text + at + size - 1) == needle[size - 1]));
    for (; fits != 0; fits &= fits - 1) {
      const size_t place = at + size_t(std::countr_zero(fits));
      if (std::memcmp(text + place, needle, size) == 0) found(place);
    }
  }
  for (; at < last; ++at) {
    if (std::memcmp(text + at, needle, size) == 0) found(at);
  }
}
struct Needle {
  size_t length, size;
  explicit Needle(const Arrays& a) {
    const u32* params = a.at<u32>(4);
    const size_t n = a.count<u32>(4);
    length = n > 0 ? std::min<size_t>(params[0], a.bytes[0]) : a.bytes[0];
    size = n > 1 ? std::min<size_t>(params[1], a.bytes[1]) : a.bytes[1];
  }
};
VYRE_HAND(library_find_all) {
  const Needle sizes(a);
  std::vector<std::vector<u32>> places(vyre::bench::threads());
  in_parts(sizes.length, [&](size_t part, size_t first, size_t last) {
    find_needle(a.at<u8>(0), sizes.length, a.at<u8>(1), sizes.size, first, last,
                [&](size_t place) { places[part].push_back(u32(place)); });
  });
  size_t count = 0;
  for (const auto& part : places) {
    for (size_t i = 0; i < part.size() && count + i < a.count<u32>(2); ++i) a.at<u32>(2)[count + i] = part[i];
    count += part.size();
  }
  a.at<u32>(3)[0] = u32(count);
}
VYRE_LIBRARY(library_find_all, "memmem") {
  const Needle sizes(a);
  const u8* const text = a.at<u8>(0);
  size_t count = 0;
  for (size_t at = 0; sizes.size > 0;) {
    const void* const found = memmem(text + at, sizes.length - at, a.at<u8>(1), sizes.size);
    if (found == nullptr) break;
    at = size_t(static_cast<const u8*>(found) - text);
    if (count < a.count<u32>(2)) a.at<u32>(2)[count] = u32(at);
    ++count, ++at;
  }
  a.at<u32>(3)[0] = u32(count);
}

// Where the items are is known when the sizes are added up.
VYRE_HAND(library_lower_ascii) {
  const u32* offsets = a.at<u32>(1);
  u8* out = a.at<u8>(2);
  const u64 size = std::min<u64>(a.bytes[0], ~0u), room = a.bytes[2];
  const size_t n = std::max<size_t>(a.count<u32>(1), 1) - 1;
  std::vector<u32> starts(n + 1);
  u64 sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const u64 begin = std::min<u64>(offsets[i], size), end = std::min<u64>(offsets[i + 1], size);
    sum = std::min<u64>(sum + (end > begin ? end - begin : 0), ~0u);
    starts[i + 1] = u32(sum);
  }
  std::copy_n(starts.begin(), std::min(n + 1, a.count<u32>(3)), a.at<u32>(3));
  std::fill_n(a.at<u32>(4), std::min(n, a.count<u32>(4)), 0);
  each_item(a, 64, [&](size_t i, const u8* item, size_t length) {
    const u64 at = starts[i], end = std::min<u64>(room, at + length);
    for (u64 k = at; k < end; ++k) {
      const u8 c = item[k - at];
      out[k] = u8(c + (u8(c - 'A') < 26 ? 32 : 0));
    }
  });
}
}  // namespace
