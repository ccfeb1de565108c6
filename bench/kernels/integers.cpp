// Arithmetic on integers of 32, 64 and 128 bits, in registers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/rivals.h"

namespace {
using vyre::bench::parallel;
using u32 = uint32_t;
using u64 = uint64_t;
using u128 = unsigned __int128;

VYRE_HAND(xorshift) {
  const u32* __restrict in = a.at<u32>(0);
  u32* __restrict out = a.at<u32>(1);
  parallel(a.count<u32>(1), 1024, [=](size_t first, size_t last) {
    // So many generators at a time are vectors.
    constexpr size_t kBlock = 64;
    for (size_t i = first; i < last; i += kBlock) {
      u32 x[kBlock];
      for (size_t l = 0; l < kBlock; ++l) x[l] = in[i + l];
      for (int round = 0; round < 64; ++round) {
        for (size_t l = 0; l < kBlock; ++l) {
          x[l] ^= x[l] << 13;
          x[l] ^= x[l] >> 17;
          x[l] ^= x[l] << 5;
        }
      }
      for (size_t l = 0; l < kBlock; ++l) out[i + l] = x[l];
    }
  });
}
VYRE_HAND(u64_div) {
  const u64* __restrict x = a.at<u64>(0);
  const u64* __restrict y = a.at<u64>(1);
  u64* __restrict out = a.at<u64>(2);
  parallel(a.count<u64>(2), 2048, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      const u64 d = y[i] >> 20;
      out[i] = (d == 0 ? 0 : x[i] / d) + (y[i] == 0 ? 0 : x[i] % y[i]);
    }
  });
}
VYRE_HAND(u64_lcg) {
  const u64* __restrict in = a.at<u64>(0);
  u64* __restrict out = a.at<u64>(1);
  const u64 factor = a.at<u64>(2)[0], term = a.at<u64>(2)[1];
  parallel(a.count<u64>(1), 1024, [=](size_t first, size_t last) {
    constexpr size_t kBlock = 64;
    for (size_t i = first; i < last; i += kBlock) {
      u64 x[kBlock];
      for (size_t l = 0; l < kBlock; ++l) x[l] = in[i + l];
      for (int round = 0; round < 64; ++round) {
        for (size_t l = 0; l < kBlock; ++l) x[l] = x[l] * factor + term;
      }
      for (size_t l = 0; l < kBlock; ++l) out[i + l] = x[l];
    }
  });
}
VYRE_HAND(u128_add) {
  const u128* __restrict x = a.at<u128>(0);
  const u128* __restrict y = a.at<u128>(1);
  u128* __restrict out = a.at<u128>(2);
  parallel(a.count<u128>(2), 4096, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) out[i] = x[i] + y[i];
  });
}
VYRE_HAND(u128_lcg) {
  const u128* __restrict in = a.at<u128>(0);
  u64* __restrict out = a.at<u64>(1);
  const u128 factor = a.at<u128>(2)[0], term = a.at<u128>(2)[1];
  parallel(a.count<u64>(1), 512, [=](size_t first, size_t last) {
    // Four chains at a time: one waits for its products.
    for (size_t i = first; i < last; i += 4) {
      u128 x[4] = {in[i], in[i + 1], in[i + 2], in[i + 3]};
      for (int round = 0; round < 32; ++round) {
        for (u128& one : x) one = one * factor + term;
      }
      for (size_t l = 0; l < 4; ++l) out[i + l] = u64(x[l] >> 64);
    }
  });
}
VYRE_HAND(crc32_bits) {
  const u32* __restrict data = a.at<u32>(0);
  u32* __restrict out = a.at<u32>(1);
  parallel(a.count<u32>(1), 1024, [=](size_t first, size_t last) {
    constexpr size_t kBlock = 64;
    for (size_t i = first; i < last; i += kBlock) {
      u32 crc[kBlock];
      for (size_t l = 0; l < kBlock; ++l) crc[l] = ~data[i + l];
      for (int bit = 0; bit < 32; ++bit) {
        for (size_t l = 0; l < kBlock; ++l) crc[l] = crc[l] >> 1 ^ (0xedb88320u & (0 - (crc[l] & 1)));
      }
      for (size_t l = 0; l < kBlock; ++l) out[i + l] = ~crc[l];
    }
  });
}
VYRE_HAND(popcount) {
  const u64* __restrict x = a.at<u64>(0);
  const u64* __restrict y = a.at<u64>(1);
  u32* __restrict out = a.at<u32>(2);
  parallel(a.count<u32>(2), 4096, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      u32 count = 0;
      for (size_t k = 0; k < 4; ++k) count += u32(std::popcount(x[i * 4 + k] & y[i * 4 + k]));
      out[i] = count;
    }
  });
}
// A segment lies in the first cache while each prime below the root of its end strikes out its multiples.
VYRE_HAND(sieve) {
  u32* out = a.at<u32>(0);
  const size_t segments = a.count<u32>(0) / 256;
  const auto root = u32(std::sqrt(double(segments * 16384))) + 1;
  std::vector<bool> composite(root + 1);
  std::vector<u32> primes;
  for (u32 p = 3; p <= root; p += 2) {
    if (composite[p]) continue;
    primes.push_back(p);
    for (u32 q = p * p; q <= root; q += 2 * p) composite[q] = true;
  }
  parallel(segments, 1, [=, &primes](size_t first, size_t last) {
    for (size_t segment = first; segment < last; ++segment) {
      u32* words = out + segment * 256;
      std::memset(words, 0xff, 1024);
      const u32 low = u32(segment * 16384) + 1, high = low + 16382;
      for (const u32 p : primes) {
        if (p * p > high) break;
        u32 at = (low + p - 1) / p * p;
        if (at % 2 == 0) at += p;
        at = std::max(at, p * p);
        for (u32 bit = (at - low) / 2; bit < 8192; bit += p) words[bit / 32] &= ~(1u << bit % 32);
      }
      if (segment == 0) words[0] &= ~1u;
    }
  });
}
VYRE_HAND(collatz) {
  u32* out = a.at<u32>(0);
  parallel(a.count<u32>(0), 1024, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      u64 n = i + 1;
      u32 step = 0;
      for (; step < 1000 && n != 1; ++step) n = n & 1 ? n * 3 + 1 : n >> 1;
      out[i] = step;
    }
  });
}
VYRE_HAND(gcd) {
  const u32* x = a.at<u32>(0);
  const u32* y = a.at<u32>(1);
  u32* out = a.at<u32>(2);
  parallel(a.count<u32>(2), 512, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      u32 p = x[i], q = y[i];
      while (q != 0) p = std::exchange(q, p % q);
      out[i] = p;
    }
  });
}
VYRE_LIBRARY(gcd, "std::gcd") {
  const u32* x = a.at<u32>(0);
  const u32* y = a.at<u32>(1);
  u32* out = a.at<u32>(2);
  parallel(a.count<u32>(2), 512, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) out[i] = std::gcd(x[i], y[i]);
  });
}
VYRE_HAND(modpow) {
  const u32* base = a.at<u32>(0);
  const u32* exponent = a.at<u32>(1);
  const u64 modulus = a.at<u64>(2)[0];
  u32* out = a.at<u32>(3);
  parallel(a.count<u32>(3), 128, [=](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      u64 x = base[i], power = 1;
      for (u32 e = exponent[i]; e != 0; e >>= 1) {
        if (e & 1) power = power * x % modulus;
        x = x * x % modulus;
      }
      out[i] = u32(power);
    }
  });
}
VYRE_HAND(walsh_hadamard) {
  const u32* in = a.at<u32>(0);
  u32* out = a.at<u32>(1);
  parallel(a.count<u32>(0) / 1024, 2, [=](size_t first, size_t last) {
    for (size_t b = first; b < last; ++b) {
      u32* s = out + b * 1024;
      std::memcpy(s, in + b * 1024, 4096);
      for (size_t distance = 1; distance < 1024; distance *= 2) {
        for (size_t base = 0; base < 1024; base += 2 * distance) {
          for (size_t i = base; i < base + distance; ++i) {
            const u32 x = s[i], y = s[i + distance];
            s[i] = x + y, s[i + distance] = x - y;
          }
        }
      }
    }
  });
}
VYRE_HAND(ntt) {
  const u32* in = a.at<u32>(0);
  const u32* roots = a.at<u32>(1);
  u32* out = a.at<u32>(2);
  parallel(a.count<u32>(0) / 1024, 1, [=](size_t first, size_t last) {
    constexpr u32 kPrime = 998244353;
    for (size_t b = first; b < last; ++b) {
      u32* s = out + b * 1024;
      for (u32 i = 0; i < 1024; ++i) s[__builtin_bitreverse32(i) >> 22] = in[b * 1024 + i];
      for (size_t distance = 1; distance < 1024; distance *= 2) {
        for (size_t base = 0; base < 1024; base += 2 * distance) {
          for (size_t l = 0; l < distance; ++l) {
            const u32 x = s[base + l], y = u32(u64{s[base + l + distance]} * roots[distance + l] % kPrime);
            const u32 sum = x + y;
            s[base + l] = sum >= kPrime ? sum - kPrime : sum;
            s[base + l + distance] = x < y ? x + kPrime - y : x - y;
          }
        }
      }
    }
  });
}
}  // namespace
