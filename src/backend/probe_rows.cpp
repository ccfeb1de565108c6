// The inputs of a probe: directed at what goes wrong.
#include <iterator>

#include "backend/probe_contexts.h"
#include "base/random.h"
#include "num/float.h"

namespace vyre::backend::probe {
namespace {

using spec::FloatFormat;

/// Zeros, units, an inexact reciprocal, both ends of the range.
constexpr uint32_t kHard[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x40000000,
                              0x3f000000, 0x40400000, 0x3dcccccd, 0x00800000, 0x00000001,
                              0x7f7fffff, 0x7f800000, 0x4b800000, 0x80000003};

uint32_t random_exponent(RandomStream& random, uint32_t low, uint32_t high) {
  return (low + random.below(high - low + 1)) << 23;
}

}  // namespace

Rows make_rows(size_t count) {
  Rows rows;
  rows.same = 0x3f9e0652;  // 1.2345...: nothing about it is special
  RandomStream random(0x70726f6265, 0);
  constexpr FloatFormat f = spec::kBinary32;
  constexpr uint32_t kFraction = 0x007fffff, kSign = 0x80000000;
  for (size_t i = 0; i < count; ++i) {
    uint32_t a = random.next(), b = random.next(), c = random.next();
    switch (i % 10) {
      case 0: break;  // any bits
      case 1:         // close together
        b = (b & (kSign | kFraction)) | ((a & 0x7f000000) + random_exponent(random, 0, 2));
        c = (c & (kSign | kFraction)) | ((a & 0x7f000000) + random_exponent(random, 0, 2));
        break;
      case 2:  // subnormal and near it
        a = (a & (kSign | kFraction)) | random_exponent(random, 0, 2);
        b = (b & (kSign | kFraction)) | random_exponent(random, 0, 25);
        c = (c & (kSign | kFraction)) | random_exponent(random, 0, 1);
        break;
      case 3: {  // products, and quotients, near the least normal number
        const uint32_t e = 1 + random.below(125);
        a = (a & (kSign | kFraction)) | e << 23;
        b = (b & (kSign | kFraction)) | (127 - e + random.below(4)) << 23;
        c = (c & (kSign | kFraction)) | random_exponent(random, 0, 3);
        break;
      }
      case 4:  // a sum that cancels, by a rounding error
        a = (a & (kSign | kFraction)) | random_exponent(random, 100, 150);
        b = (b & (kSign | kFraction)) | random_exponent(random, 100, 150);
        c = num::mul(f, a, b) ^ kSign;
        break;
      case 5:  // a difference of neighbours
        b = (a ^ kSign) + random.below(5) - 2;
        c = b + random.below(3) - 1;
        break;
      case 6:  // specials
        a = kHard[random.below(std::size(kHard))];
        b = kHard[random.below(std::size(kHard))] | (b & kSign);
        c = random.chance(4) ? 0x7fc12345 : kHard[random.below(std::size(kHard))];
        break;
      case 7:  // near overflow
        a = (a & (kSign | kFraction)) | random_exponent(random, 250, 254);
        b = (b & (kSign | kFraction)) | random_exponent(random, 120, 254);
        c = (c & (kSign | kFraction)) | random_exponent(random, 250, 254);
        break;
      case 8:  // short fractions: halves, exact products, ties
        a = (a & (kSign | 0x007f0000)) | random_exponent(random, 120, 152);
        b = (b & (kSign | 0x007ff000)) | random_exponent(random, 120, 152);
        c = (c & (kSign | 0x007ff800)) | random_exponent(random, 120, 152);
        break;
      case 9:  // what a half holds, or just beside the middle between two of them
        a = num::convert(spec::kBinary16, f, a & 0xffff) | (random.chance(2) ? 0x1000 : 0);
        b = num::convert(spec::kBinary16, f, b & 0xffff) ^ (random.chance(2) ? 0x1001 : 0);
        c = num::convert(spec::kBFloat16, f, c & 0xffff) ^ (random.chance(2) ? 0x8000 : 0);
        break;
    }
    rows.a.push_back(a);
    rows.b.push_back(b);
    rows.c.push_back(c);
  }
  return rows;
}

}  // namespace vyre::backend::probe
