// The library's operations over buffers: hashes by hand, an item a thread, and CUB. What reads a text is
// beside a copy of the text.
#include "device_hashes.h"

#ifdef __CUDACC__
#include <cub/cub.cuh>
#else
#include "emulated_cub.h"
#endif

namespace {

__device__ u32 swapped(u32 x) { return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24; }

// Items: the bytes from an offset to the next, both at most the size.
struct Items {
  const u8* data;
  const u32* offsets;
  u32 size, count;
};
Items items_of(const vyre::bench::Arrays& a, size_t room) {
  const size_t n = a.count<u32>(1) == 0 ? 0 : a.count<u32>(1) - 1;
  return {a.at<u8>(0), a.at<u32>(1), u32(a.bytes[0] < 0xffffffff ? a.bytes[0] : 0xffffffff),
          u32(n < room ? n : room)};
}
__device__ u32 begin_of(const Items& items, u32 i) { return min(items.offsets[i], items.size); }
__device__ u32 length_of(const Items& items, u32 i) {
  const u32 begin = begin_of(items, i), end = min(items.offsets[i + 1], items.size);
  return end > begin ? end - begin : 0;
}
/// The word at any byte, all of whose bytes are data.
__device__ u32 word_at(const u8* __restrict__ data, u32 at) {
  const u32* words = reinterpret_cast<const u32*>(data) + at / 4;
  const u32 shift = at % 4 * 8;
  return shift == 0 ? words[0] : words[0] >> shift | words[1] << (32 - shift);
}
/// All 64 bytes of a block.
__device__ void load_block(const u8* __restrict__ data, u32 at, u32 (&w)[16]) {
  if (at % 16 == 0) {
    const uint4* from = reinterpret_cast<const uint4*>(data + at);
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const uint4 x = from[k];
      w[4 * k] = x.x, w[4 * k + 1] = x.y, w[4 * k + 2] = x.z, w[4 * k + 3] = x.w;
    }
  } else {
#pragma unroll
    for (u32 k = 0; k < 16; ++k) w[k] = word_at(data, at + 4 * k);
  }
}
/// The `rest` < 64 last bytes of an item, `mark` behind them, and zeros.
__device__ void load_end(const u8* __restrict__ data, u32 at, u32 rest, u32 mark, u32 (&w)[16]) {
#pragma unroll
  for (u32 k = 0; k < 16; ++k) {
    u32 word = 0;
    if (4 * k + 4 <= rest) {
      word = word_at(data, at + 4 * k);
    } else if (4 * k <= rest) {
      for (u32 b = 0; 4 * k + b < rest; ++b) word |= u32(data[at + 4 * k + b]) << 8 * b;
      word |= mark << 8 * (rest - 4 * k);
    }
    w[k] = word;
  }
}

/// The blocks of an item and of its padding, the last without its length. The bit behind the last byte is in
/// the first block that is not whole.
template <typename Block>
__device__ void each_block(const u8* data, u32 begin, u32 length, const Block& block) {
  u32 w[16];
  const u32 whole = length / 64, blocks = whole + (length % 64 < 56 ? 1 : 2);
  for (u32 k = 0; k < blocks; ++k) {
    if (k < whole)
      load_block(data, begin + k * 64, w);
    else
      load_end(data, begin + k * 64, k == whole ? length % 64 : 0, k == whole ? 0x80 : 0, w);
    block(w, k + 1 == blocks);
  }
}

// SHA-256.
__global__ void library_sha256_kernel(Items items, uint4* digests) {
  const u32 i = global_x();
  if (i >= items.count) return;
  const u32 begin = begin_of(items, i), length = length_of(items, i);
  u32 h[8] = {VYRE_SHA256_START};
  each_block(items.data, begin, length, [&](u32(&w)[16], bool last) {
#pragma unroll
    for (u32 k = 0; k < 16; ++k) w[k] = swapped(w[k]);
    if (last) w[14] = length >> 29, w[15] = length << 3;
    sha256_block(h, w);
  });
  digests[2 * i] = make_uint4(swapped(h[0]), swapped(h[1]), swapped(h[2]), swapped(h[3]));
  digests[2 * i + 1] = make_uint4(swapped(h[4]), swapped(h[5]), swapped(h[6]), swapped(h[7]));
}
void sha256_by_hand(const vyre::bench::Arrays& a) {
  const Items items = items_of(a, a.bytes[2] / 32);
  launch(library_sha256_kernel, groups_of(items.count, 128), 128, items, a.at<uint4>(2));
}
VYRE_HAND(library_sha256) { sha256_by_hand(a); }
VYRE_HAND(library_sha256_1k) { sha256_by_hand(a); }

// MD5.
__constant__ u32 kMd5[64] = {VYRE_MD5_ROUNDS};
__device__ void md5_block(u32 (&h)[4], const u32 (&w)[16]) {
  constexpr int kTurns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
  u32 s0 = h[0], s1 = h[1], s2 = h[2], s3 = h[3];
#pragma unroll
  for (int t = 0; t < 64; ++t) {
    const int kind = t / 16;
    const u32 f = kind == 0   ? s3 ^ (s1 & (s2 ^ s3))
                  : kind == 1 ? s2 ^ (s3 & (s1 ^ s2))
                  : kind == 2 ? s1 ^ s2 ^ s3
                              : s2 ^ (s1 | ~s3);
    const int word = (kind == 0 ? t : kind == 1 ? 5 * t + 1 : kind == 2 ? 3 * t + 5 : 7 * t) & 15;
    const u32 next = s1 + turned(s0 + f + kMd5[t] + w[word], kTurns[kind * 4 + (t & 3)]);
    s0 = s3, s3 = s2, s2 = s1, s1 = next;
  }
  h[0] += s0, h[1] += s1, h[2] += s2, h[3] += s3;
}
__global__ void library_md5_kernel(Items items, uint4* digests) {
  const u32 i = global_x();
  if (i >= items.count) return;
  const u32 begin = begin_of(items, i), length = length_of(items, i);
  u32 h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  each_block(items.data, begin, length, [&](u32(&w)[16], bool last) {
    if (last) w[14] = length << 3, w[15] = length >> 29;
    md5_block(h, w);
  });
  digests[i] = make_uint4(h[0], h[1], h[2], h[3]);
}
void md5_by_hand(const vyre::bench::Arrays& a) {
  const Items items = items_of(a, a.bytes[2] / 16);
  launch(library_md5_kernel, groups_of(items.count, 128), 128, items, a.at<uint4>(2));
}
VYRE_HAND(library_md5) { md5_by_hand(a); }
VYRE_HAND(library_md5_1k) { md5_by_hand(a); }

// CRC-32: eight bytes at a time, by tables in shared memory that each block of threads makes for itself.
__global__ void library_crc32_kernel(Items items, u32* digests) {
  __shared__ u32 t[2048];
  u32 entry = threadIdx.x;  // 256 threads
  for (u32 k = 0; k < 8; ++k) {
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) entry = entry >> 1 ^ (0xedb88320u & (0 - (entry & 1)));
    t[k * 256 + threadIdx.x] = entry;
  }
  __syncthreads();
  const u32 i = global_x();
  if (i >= items.count) return;
  const u32 begin = begin_of(items, i), length = length_of(items, i);
  u32 crc = ~0u, at = 0;
  const auto mix = [&](u32 low, u32 high) {
    low ^= crc;
    crc = t[1792 + (low & 255)] ^ t[1536 + (low >> 8 & 255)] ^ t[1280 + (low >> 16 & 255)] ^
          t[1024 + (low >> 24)] ^ t[768 + (high & 255)] ^ t[512 + (high >> 8 & 255)] ^
          t[256 + (high >> 16 & 255)] ^ t[high >> 24];
  };
  if (begin % 16 == 0) {
    for (; at + 16 <= length; at += 16) {
      const uint4 x = *reinterpret_cast<const uint4*>(items.data + begin + at);
      mix(x.x, x.y);
      mix(x.z, x.w);
    }
  }
  for (; at + 8 <= length; at += 8) mix(word_at(items.data, begin + at), word_at(items.data, begin + at + 4));
  for (; at < length; ++at) crc = crc >> 8 ^ t[(crc ^ items.data[begin + at]) & 255];
  digests[i] = ~crc;
}
void crc32_by_hand(const vyre::bench::Arrays& a) {
  const Items items = items_of(a, a.count<u32>(2));
  launch(library_crc32_kernel, groups_of(items.count, 256), 256, items, a.at<u32>(2));
}
VYRE_HAND(library_crc32) { crc32_by_hand(a); }
VYRE_HAND(library_crc32_1k) { crc32_by_hand(a); }

// XXH64.
constexpr u64 kXxh0 = 0x9e3779b185ebca87, kXxh1 = 0xc2b2ae3d27d4eb4f, kXxh2 = 0x165667b19e3779f9,
              kXxh3 = 0x85ebca77c2b2ae63, kXxh4 = 0x27d4eb2f165667c5;
__device__ u64 xxh_round(u64 sum, u64 lane) { return turned(sum + lane * kXxh1, 31) * kXxh0; }
__device__ u64 pair(u32 low, u32 high) { return low | u64(high) << 32; }
__global__ void library_xxh64_kernel(Items items, u64* digests, const u32* params, u32 param_count) {
  const u32 i = global_x();
  if (i >= items.count) return;
  const u64 seed = pair(param_count > 0 ? params[0] : 0, param_count > 1 ? params[1] : 0);
  const u32 begin = begin_of(items, i), length = length_of(items, i);
  const auto lane = [&](u32 at) {
    return pair(word_at(items.data, begin + at), word_at(items.data, begin + at + 4));
  };
  u64 hash = seed + kXxh4;
  u32 at = 0;
  if (length >= 32) {
    u64 v[4] = {seed + kXxh0 + kXxh1, seed + kXxh1, seed, seed - kXxh0};
    if (begin % 16 == 0) {
      for (; at + 32 <= length; at += 32) {
        const uint4* from = reinterpret_cast<const uint4*>(items.data + begin + at);
        const uint4 x = from[0], y = from[1];
        v[0] = xxh_round(v[0], pair(x.x, x.y)), v[1] = xxh_round(v[1], pair(x.z, x.w));
        v[2] = xxh_round(v[2], pair(y.x, y.y)), v[3] = xxh_round(v[3], pair(y.z, y.w));
      }
    } else {
      for (; at + 32 <= length; at += 32) {
#pragma unroll
        for (u32 k = 0; k < 4; ++k) v[k] = xxh_round(v[k], lane(at + 8 * k));
      }
    }
    hash = turned(v[0], 1) + turned(v[1], 7) + turned(v[2], 12) + turned(v[3], 18);
#pragma unroll
    for (u32 k = 0; k < 4; ++k) hash = (hash ^ xxh_round(0, v[k])) * kXxh0 + kXxh3;
  }
  hash += length;
  for (; at + 8 <= length; at += 8) hash = turned(hash ^ xxh_round(0, lane(at)), 27) * kXxh0 + kXxh3;
  if (at + 4 <= length) {
    hash = turned(hash ^ word_at(items.data, begin + at) * kXxh0, 23) * kXxh1 + kXxh2;
    at += 4;
  }
  for (; at < length; ++at) hash = turned(hash ^ items.data[begin + at] * kXxh4, 11) * kXxh0;
  hash = (hash ^ hash >> 33) * kXxh1;
  hash = (hash ^ hash >> 29) * kXxh2;
  digests[i] = hash ^ hash >> 32;
}
void xxh64_by_hand(const vyre::bench::Arrays& a) {
  const Items items = items_of(a, a.count<u64>(2));
  launch(library_xxh64_kernel, groups_of(items.count, 128), 128, items, a.at<u64>(2), a.at<u32>(3),
         u32(a.count<u32>(3)));
}
VYRE_HAND(library_xxh64) { xxh64_by_hand(a); }
VYRE_HAND(library_xxh64_1k) { xxh64_by_hand(a); }

// BLAKE3: a thread goes through its item's chunks; subtrees that wait for one as large are on a stack.
constexpr u32 kStart = 1, kEnd = 2, kParent = 4, kRoot = 8;
__device__ void blake_begin(u32 (&value)[8]) {
  constexpr u32 kIv[8] = {VYRE_SHA256_START};
#pragma unroll
  for (u32 k = 0; k < 8; ++k) value[k] = kIv[k];
}
__device__ void blake_compress(u32 (&value)[8], u32 (&m)[16], u32 chunk, u32 size, u32 flags) {
  u32 v[16] = {value[0],   value[1],   value[2],   value[3],   value[4], value[5], value[6], value[7],
               0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, chunk,    0,        size,     flags};
  blake_rounds(v, m);
#pragma unroll
  for (u32 k = 0; k < 8; ++k) value[k] = v[k] ^ v[8 + k];
}
__device__ void blake_parent(const u32* waiting, u32 (&value)[8], u32 flags) {
  u32 m[16];
#pragma unroll
  for (u32 k = 0; k < 8; ++k) m[k] = waiting[k], m[8 + k] = value[k];
  blake_begin(value);
  blake_compress(value, m, 0, 64, kParent | flags);
}
__global__ void library_blake3_kernel(Items items, uint4* digests) {
  const u32 i = global_x();
  if (i >= items.count) return;
  const u32 begin = begin_of(items, i), length = length_of(items, i);
  const u32 chunks = length == 0 ? 1 : (length - 1) / 1024 + 1;
  u32 waiting[24 * 8], value[8], count = 0;
  for (u32 chunk = 0; chunk < chunks; ++chunk) {
    const u32 size = min(length - chunk * 1024, 1024u);
    const u32 blocks = size == 0 ? 1 : (size - 1) / 64 + 1;
    blake_begin(value);
    for (u32 block = 0; block < blocks; ++block) {
      const u32 at = begin + chunk * 1024 + block * 64, rest = min(size - block * 64, 64u);
      u32 m[16];
      if (rest == 64)
        load_block(items.data, at, m);
      else
        load_end(items.data, at, rest, 0, m);
      const u32 flags = (block == 0 ? kStart : 0) | (block + 1 == blocks ? kEnd : 0) |
                        (block + 1 == blocks && chunks == 1 ? kRoot : 0);
      blake_compress(value, m, chunk, rest, flags);
    }
    if (chunk + 1 == chunks) break;
    for (u32 whole = chunk + 1; whole % 2 == 0; whole /= 2) blake_parent(waiting + 8 * --count, value, 0);
    for (u32 k = 0; k < 8; ++k) waiting[8 * count + k] = value[k];
    ++count;
  }
  while (count > 0) {
    --count;
    blake_parent(waiting + 8 * count, value, count == 0 ? kRoot : 0);
  }
  digests[2 * i] = make_uint4(value[0], value[1], value[2], value[3]);
  digests[2 * i + 1] = make_uint4(value[4], value[5], value[6], value[7]);
}
void blake3_by_hand(const vyre::bench::Arrays& a) {
  const Items items = items_of(a, a.bytes[2] / 32);
  launch(library_blake3_kernel, groups_of(items.count, 128), 128, items, a.at<uint4>(2));
}
VYRE_HAND(library_blake3) { blake3_by_hand(a); }
VYRE_HAND(library_blake3_1k) { blake3_by_hand(a); }

// CUB.
VYRE_LIBRARY(library_reduce, "CUB DeviceReduce") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceReduce::Sum(at, bytes, a.at<u32>(0), a.at<u32>(1), a.count<u32>(0));
  });
}
VYRE_LIBRARY(library_scan, "CUB DeviceScan") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(at, bytes, a.at<u32>(0), a.at<u32>(1), a.count<u32>(0));
  });
}
VYRE_LIBRARY(library_sort, "CUB DeviceRadixSort") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(at, bytes, a.at<u32>(0), a.at<u32>(1), a.count<u32>(0));
  });
}
VYRE_LIBRARY(library_sort_pairs, "CUB DeviceRadixSort") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(at, bytes, a.at<u32>(0), a.at<u32>(2), a.at<u32>(1), a.at<u32>(3),
                                           a.count<u32>(0));
  });
}
VYRE_LIBRARY(library_histogram, "CUB DeviceHistogram") {
  const auto bins = u32(a.count<u32>(1));
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(at, bytes, a.at<u32>(0), a.at<u32>(1), int(bins) + 1, 0u, bins,
                                               int(a.count<u32>(0)));
  });
}
VYRE_LIBRARY(library_compact, "CUB DeviceSelect") {
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceSelect::Flagged(at, bytes, a.at<u32>(0), a.at<u32>(1), a.at<u32>(2), a.at<u32>(3),
                                      a.count<u32>(0));
  });
}

// A text is read once at least.
void copy_text(const vyre::bench::Arrays& a) {
  (void)cudaMemcpyAsync(scratch(a.bytes[0], 6), a.data[0], a.bytes[0], cudaMemcpyDeviceToDevice);
}
VYRE_BANDWIDTH(library_utf8_valid, "copy of the text") { copy_text(a); }
VYRE_BANDWIDTH(library_json_index, "copy of the text") { copy_text(a); }
VYRE_BANDWIDTH(library_find_all, "copy of the text") { copy_text(a); }

// Lower case: sizes, their sums by CUB, bytes.
__global__ void library_sizes_kernel(Items items, u32* sizes, u32* status, u32 status_count) {
  const u32 i = global_x();
  if (i > items.count) return;
  sizes[i] = i < items.count ? length_of(items, i) : 0;  // one more, so that the last sum is that of all
  if (i < items.count && i < status_count) status[i] = 0;
}
__device__ u32 lower(u32 word) {
  const u32 ascii = word & 0x7f7f7f7f;
  const u32 letters = (ascii + 0x3f3f3f3f) & ~(ascii + 0x25252525) & ~word & 0x80808080;
  return word | letters >> 2;
}
__global__ void library_lower_kernel(Items items, const u32* __restrict__ starts, u8* out, u32 room) {
  const u32 i = global_x();
  if (i >= items.count) return;
  const u32 begin = begin_of(items, i), to = starts[i];
  const u32 length = to < room ? min(length_of(items, i), room - to) : 0;
  u32 at = 0;
  if (begin % 16 == 0 && to % 16 == 0) {
    for (; at + 16 <= length; at += 16) {
      const uint4 x = *reinterpret_cast<const uint4*>(items.data + begin + at);
      *reinterpret_cast<uint4*>(out + to + at) = make_uint4(lower(x.x), lower(x.y), lower(x.z), lower(x.w));
    }
  }
  for (; at < length; ++at) out[to + at] = u8(lower(items.data[begin + at]));
}
VYRE_HAND(library_lower_ascii) {
  const Items items = items_of(a, 0xffffffff);
  u32* const sizes = scratch_of<u32>(items.count + 1, 5);
  const size_t starts = a.count<u32>(3);
  launch(library_sizes_kernel, groups_of(items.count + 1, 256), 256, items, sizes, a.at<u32>(4),
         u32(a.count<u32>(4)));
  // With room for all of them, as here.
  with_memory([&](void* at, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(at, bytes, sizes, a.at<u32>(3),
                                         starts < items.count + 1 ? starts : items.count + 1);
  });
  launch(library_lower_kernel, groups_of(items.count, 128), 128, items, a.at<u32>(3), a.at<u8>(2),
         u32(a.bytes[2]));
}

}  // namespace
