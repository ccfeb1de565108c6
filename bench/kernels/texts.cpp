// Texts: search, alignment, encodings.
#include <algorithm>
#include <cstring>

#include "kernels/parallel.h"
#include "kernels/rivals.h"
#include "kernels/vectors.h"

namespace {
using vyre::bench::parallel;
using vyre::bench::V32;
using u8 = uint8_t;
using u32 = uint32_t;

VYRE_HAND(string_search) {
  const u32* __restrict text = a.at<u32>(0);
  const u32 p = a.at<u32>(1)[0], q = a.at<u32>(1)[1];
  u32* __restrict out = a.at<u32>(2);
  parallel(a.count<u32>(2), 8192, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const u32 x = text[i] & 0x03030303, y = text[i + 1] & 0x03030303, z = text[i + 2] & 0x03030303;
      u32 found = x == p && y == q;
      for (u32 k = 1; k < 4; ++k) {
        const u32 low = x >> (k * 8) | y << (32 - k * 8), high = y >> (k * 8) | z << (32 - k * 8);
        found |= u32((low == p) & (high == q)) << k;
      }
      out[i] = found;
    }
  });
}

inline u32 letter(u32 x) {
  return x + (x < 26 ? 65 : x < 52 ? 71 : x < 62 ? u32(-4) : x == 62 ? u32(-19) : u32(-16));
}
inline u32 letters(u32 x) {
  return letter(x >> 2 & 63) | letter((x & 3) << 4 | (x >> 12 & 15)) << 8 |
         letter((x >> 6 & 60) | (x >> 22 & 3)) << 16 | letter(x >> 16 & 63) << 24;
}
VYRE_HAND(base64) {
  const u32* __restrict data = a.at<u32>(0);
  u32* __restrict out = a.at<u32>(1);
  parallel(a.count<u32>(1) / 4, 2048, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const u32 x = data[i * 3], y = data[i * 3 + 1], z = data[i * 3 + 2];
      out[i * 4] = letters(x);
      out[i * 4 + 1] = letters(x >> 24 | y << 8);
      out[i * 4 + 2] = letters(y >> 16 | z << 16);
      out[i * 4 + 3] = letters(z >> 8);
    }
  });
}

// Sixteen pairs at a time, a column of the first word's letters after the other.
VYRE_HAND(smith_waterman) {
  const u32* x = a.at<u32>(0);
  const u32* y = a.at<u32>(1);
  u32* out = a.at<u32>(2);
  parallel(a.count<u32>(2), 16, [=](size_t first, size_t last) {
    for (size_t pair = first; pair < last; pair += 16) {
      using S32 = int32_t __attribute__((ext_vector_type(16)));
      S32 h[65] = {}, word[64], best = 0;
      const size_t lanes = std::min<size_t>(16, last - pair);
      for (size_t i = 0; i < 64; ++i) {
        for (size_t l = 0; l < lanes; ++l) word[i][l] = int32_t(x[(pair + l) * 64 + i]);
      }
      for (size_t j = 0; j < 256; ++j) {
        S32 letter_of = 0;
        for (size_t l = 0; l < lanes; ++l) letter_of[l] = int32_t(y[(pair + l) * 256 + j]);
        S32 diagonal = 0, up = 0;
        for (size_t i = 0; i < 64; ++i) {
          const S32 old = h[i + 1];
          S32 score = diagonal + (word[i] == letter_of ? S32(3) : S32(-1));
          score = __builtin_elementwise_max(score, __builtin_elementwise_max(up, old) - 2);
          score = __builtin_elementwise_max(score, S32(0));
          best = __builtin_elementwise_max(best, score);
          diagonal = old;
          h[i + 1] = up = score;
        }
      }
      for (size_t l = 0; l < lanes; ++l) out[pair + l] = u32(best[l]);
    }
  });
}

VYRE_HAND(lz4_decode) {
  const u8* data = a.at<u8>(0);
  const size_t size = a.at<u32>(1)[0];
  u8* out = a.at<u8>(2);
  parallel(a.bytes[2] / size, 4, [=](size_t first, size_t last) {
    for (size_t block = first; block < last; ++block) {
      const u8* from = data + block * size;
      u8* to = out + block * size;
      u8* const end = to + size;
      const auto length = [&](size_t count) {
        if (count != 15) return count;
        u8 byte;
        do count += byte = *from++;
        while (byte == 255);
        return count;
      };
      for (;;) {
        const u8 token = *from++;
        size_t count = length(token >> 4);
        if (count <= 16 && to + 16 <= end)
          std::memcpy(to, from, 16);  // and goes on behind what counts
        else
          std::memcpy(to, from, count);
        from += count, to += count;
        if (to >= end) break;
        const u8* match = to - (from[0] | from[1] << 8);
        from += 2;
        count = length(token & 15) + 4;
        if (to - match >= 16 && to + count + 16 <= end) {
          for (size_t k = 0; k < count; k += 16) std::memcpy(to + k, match + k, 16);
        } else {
          for (size_t k = 0; k < count; ++k) to[k] = match[k];
        }
        to += count;
      }
    }
  });
}
}  // namespace
