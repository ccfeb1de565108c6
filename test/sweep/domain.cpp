#include "domain.h"

#include <algorithm>
#include <array>
#include <bit>

#include "generate/float_values.h"
#include "powers.h"
#include "spec/ops.h"

namespace vyre::sweep {
namespace {

using spec::Op;

constexpr uint32_t kSign = 0x80000000, kFraction = 0x007fffff;
constexpr int kBias = 127, kFractionBits = 23;

/// Steele and Vigna's mixing of a counter: every bit of the result depends on every bit of the number.
uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
constexpr uint64_t kStep = 0x9e3779b97f4a7c15ull;

constexpr uint32_t kSpecials[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x00800001,
    0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x40000000, 0x3f000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc00001, 0x4b000000, 0x4b800000, 0xcb000001,
    0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x34000000, 0x33800000, 0x5f000000, 0x1f800000,
};

uint32_t number(uint32_t sign, int exponent, uint32_t fraction) {
  return (sign & kSign) | uint32_t(std::clamp(exponent, 0, 254)) << kFractionBits | (fraction & kFraction);
}
int exponent_of(uint32_t x) { return int(x >> kFractionBits & 0xff); }

/// A fraction with few bits set, so that results are often halfway.
uint32_t short_fraction(uint64_t r) {
  const uint32_t keep = uint32_t(r >> 32) % 24;
  return (uint32_t(r) & kFraction) >> keep << keep | ((r >> 60 & 1) << keep & kFraction);
}

struct Row {
  uint32_t a, b, c;
};

/// Random bits of a row: all else is made of these.
struct Bits {
  uint64_t r, s;
};

/// What the rows of a block of 64 have in common, so that no row's kind has to be guessed by the processor.
enum class Kind : uint8_t { Uniform, Special, Near, Apart, Underflow, Overflow, Anywhere };
constexpr Kind kKinds[16] = {Kind::Uniform,   Kind::Special,   Kind::Near,      Kind::Near,
                             Kind::Near,      Kind::Apart,     Kind::Apart,     Kind::Apart,
                             Kind::Underflow, Kind::Underflow, Kind::Underflow, Kind::Underflow,
                             Kind::Overflow,  Kind::Overflow,  Kind::Anywhere,  Kind::Anywhere};
constexpr uint64_t kBlock = 64;

Row special(Bits x) {
  const auto pick = [&](uint32_t from, uint32_t or_else) {
    return (x.r >> from & 1) != 0 ? kSpecials[(x.r >> (from + 1)) % std::size(kSpecials)] : or_else;
  };
  const uint32_t a = kSpecials[x.r >> 50 & (std::size(kSpecials) - 1)], b = pick(20, uint32_t(x.s));
  const bool swapped = (x.r & 1) != 0;
  return {swapped ? b : a, swapped ? a : b, pick(30, uint32_t(x.s >> 32))};
}

/// The second differs from the first, or from its negative, in its last few bits: cancellation.
Row near(Bits x) {
  const uint32_t a =
      number(uint32_t(x.r), 1 + int(x.r >> 8 & 0xff), (x.r & 1) != 0 ? short_fraction(x.s) : uint32_t(x.s));
  const uint32_t last = (1u << (x.r >> 16 & 7)) - 1;
  return {a, a ^ (uint32_t(x.r >> 32) & kSign) ^ (uint32_t(x.s >> 32) & last), 0};
}
/// The second is up to 31 binades below the first: ties of sums.
Row apart(Bits x) {
  const uint32_t a =
      number(uint32_t(x.r), 1 + int(x.r >> 8 & 0xff), (x.r & 1) != 0 ? short_fraction(x.s) : uint32_t(x.s));
  const uint32_t fraction = (x.r >> 1 & 1) != 0 ? short_fraction(x.s * kStep) : uint32_t(x.s >> 32);
  return {a, number(uint32_t(x.r >> 32), exponent_of(a) - int(x.r >> 16 & 0x1f), fraction), 0};
}
/// Operands whose sum, product or quotient has about the biased exponent `at`.
template <Op op>
Row aimed(Bits x, int at) {
  const uint32_t fa = (x.r >> 2 & 1) != 0 ? short_fraction(x.s) : uint32_t(x.s);
  const uint32_t fb = (x.r >> 3 & 1) != 0 ? short_fraction(x.s * kStep) : uint32_t(x.s >> 32);
  int ea = int(x.r >> 8 & 0xff), eb = at - int(x.r >> 16 & 3);
  if constexpr (op == Op::FMul || op == Op::FMulAdd) {
    eb = at + kBias - ea;
  } else if constexpr (op == Op::FDiv) {
    eb = ea + kBias - at;
  } else {
    ea = at + int(x.r >> 21 & 0x1f);
  }
  return {number(uint32_t(x.r), ea, fa), number(uint32_t(x.r >> 5), eb, fb), 0};
}

/// A third operand that nearly cancels the product, or lies a chosen distance from it.
uint32_t addend(uint32_t a, uint32_t b, uint64_t r) {
  // Where the product lies, sign and leading bits: it only aims.
  const uint32_t sign = ~(a ^ b) & kSign;
  const uint64_t product = uint64_t((a & kFraction) | (kFraction + 1)) * ((b & kFraction) | (kFraction + 1));
  const uint32_t carry = uint32_t(product >> 47);
  const uint32_t leading = uint32_t(product >> (23 + carry));
  const int exponent = exponent_of(a) + exponent_of(b) - kBias + int(carry);
  const uint32_t kind = uint32_t(r & 3);
  const uint32_t last = (1u << (r >> 2 & 7)) - 1;
  const int away = kind < 2 ? 0 : kind == 2 ? int(r >> 40 & 0x3f) - 40 : int(r >> 40 & 3) - 26;
  const uint32_t fraction = kind < 2 ? leading ^ (uint32_t(r >> 16) & last) : short_fraction(r);
  return number(sign ^ (kind < 2 ? 0 : uint32_t(r >> 8)), exponent + away, fraction);
}

template <Op op>
Row row_of(Kind kind, Bits x) {
  switch (kind) {
    case Kind::Uniform: return {uint32_t(x.s), uint32_t(x.s >> 32), uint32_t(x.r)};
    case Kind::Special: return special(x);
    case Kind::Near: return near(x);
    case Kind::Apart: return apart(x);
    case Kind::Underflow: return aimed<op>(x, int(x.s >> 40 & 0x1f) - 27);  // 2^-154 to 2^-123
    case Kind::Overflow: return aimed<op>(x, 250 + int(x.s >> 40 & 7));     // to just beyond the greatest
    case Kind::Anywhere: return aimed<op>(x, int(x.s >> 40 & 0xff));
  }
  return {};
}

using Columns = std::span<const std::span<uint32_t>>;

template <Op op, Kind kind>
void fill_block(uint64_t seed, uint64_t first, Columns columns, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const uint64_t k = first + i;
    const Bits x{mix(seed + (2 * k + 1) * kStep), mix(seed + (2 * k + 2) * kStep)};
    Row row = row_of<op>(kind, x);
    columns[0][i] = row.a;
    columns[1][i] = row.b;
    if constexpr (op == Op::FMulAdd) {
      const bool given = kind == Kind::Uniform || kind == Kind::Special;
      columns[2][i] = given ? row.c : addend(row.a, row.b, x.s * kStep ^ x.r);
    }
  }
}

template <Op op>
void fill_rows(uint64_t seed, uint64_t first, Columns columns) {
  const size_t n = columns[0].size();
  for (size_t begin = 0; begin < n;) {
    const uint64_t block = (first + begin) / kBlock;
    const size_t end = std::min<size_t>(n, begin + kBlock - (first + begin) % kBlock);
    switch (kKinds[mix(seed ^ block * kStep) >> 60]) {
      case Kind::Uniform: fill_block<op, Kind::Uniform>(seed, first, columns, begin, end); break;
      case Kind::Special: fill_block<op, Kind::Special>(seed, first, columns, begin, end); break;
      case Kind::Near: fill_block<op, Kind::Near>(seed, first, columns, begin, end); break;
      case Kind::Apart: fill_block<op, Kind::Apart>(seed, first, columns, begin, end); break;
      case Kind::Underflow: fill_block<op, Kind::Underflow>(seed, first, columns, begin, end); break;
      case Kind::Overflow: fill_block<op, Kind::Overflow>(seed, first, columns, begin, end); break;
      case Kind::Anywhere: fill_block<op, Kind::Anywhere>(seed, first, columns, begin, end); break;
    }
    begin = end;
  }
}

/// Uniform patterns: those of small types are all run elsewhere.
void fill_scattered(const Operation& operation, uint64_t seed, uint64_t first,
                    std::span<const std::span<uint32_t>> columns) {
  const uint32_t mask = spec::value_bits(operation.from) == 16 ? 0xffff : ~0u;
  for (size_t i = 0; i < columns[0].size(); ++i) {
    for (size_t k = 0; k < columns.size(); ++k) {
      columns[k][i] = uint32_t(mix(seed + ((first + i) * 4 + k) * kStep)) & mask;
    }
  }
}

/// Three operands of 16 bits, 2^48 tuples: directed as those of certification are, by the format.
void fill_directed_triples(const Operation& operation, uint64_t seed, uint64_t first,
                           std::span<const std::span<uint32_t>> columns) {
  for (size_t i = 0; i < columns[0].size(); ++i) {
    const uint64_t k = first + i, r = mix(seed + (2 * k + 1) * kStep), s = mix(seed + (2 * k + 2) * kStep);
    std::array<uint32_t, 3> row{};
    generate::directed_floats(operation.from, k,
                              {uint32_t(r), uint32_t(r >> 32), uint32_t(s), uint32_t(s >> 32)}, row);
    for (size_t n = 0; n < row.size(); ++n) columns[n][i] = row[n];
  }
}

void fill_powers(uint64_t seed, uint64_t first, Columns columns) {
  for (size_t i = 0; i < columns[0].size(); ++i) {
    const uint64_t k = first + i;
    const auto row = directed_power(mix(seed + (2 * k + 1) * kStep), mix(seed + (2 * k + 2) * kStep));
    for (size_t n = 0; n < row.size(); ++n) columns[n][i] = row[n];
  }
}

}  // namespace

std::optional<uint64_t> whole(const Operation& operation) {
  const uint32_t bits = operation.arity() * spec::value_bits(operation.from);
  return bits > 32 ? std::nullopt : std::optional(uint64_t{1} << bits);
}

void fill_whole(const Operation& operation, uint64_t first, std::span<const std::span<uint32_t>> columns) {
  const uint32_t width = spec::value_bits(operation.from);
  for (uint32_t k = 0; k < columns.size(); ++k) {
    const uint32_t down = width * (uint32_t(columns.size()) - 1 - k);
    const uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
    for (size_t i = 0; i < columns[k].size(); ++i) columns[k][i] = uint32_t((first + i) >> down) & mask;
  }
}

void fill_directed(const Operation& operation, uint64_t seed, uint64_t first,
                   std::span<const std::span<uint32_t>> columns) {
  if (operation.from == spec::DataType::U64) {
    for (size_t i = 0; i < columns[0].size() / 2; ++i) {
      // As many leading zeros as any other number, then runs of equal bits: halfway cases.
      const uint64_t r = mix(seed + (first + i) * kStep), low = uint64_t(short_fraction(r)) << (r >> 5 & 31);
      const uint64_t value =
          (r >> 6 & 1) != 0 ? r : (uint64_t{1} << (r & 63)) + ((r >> 7 & 1) != 0 ? low : ~low >> (r & 31));
      columns[0][2 * i] = uint32_t(value);
      columns[0][2 * i + 1] = uint32_t(value >> 32);
    }
    return;
  }
  if (operation.arity() == 3 && operation.from != spec::DataType::F32) {
    return fill_directed_triples(operation, seed, first, columns);
  }
  if (operation.from != spec::DataType::F32 || operation.arity() == 1) {
    return fill_scattered(operation, seed, first, columns);
  }
  if (operation.op == Op::FPow) return fill_powers(seed, first, columns);
  if (operation.op == Op::FATan2) return fill_rows<Op::FDiv>(seed, first, columns);
  if (operation.op == Op::FMulAdd) return fill_rows<Op::FMulAdd>(seed, first, columns);
  if (operation.op == Op::FMul) return fill_rows<Op::FMul>(seed, first, columns);
  if (operation.op == Op::FDiv) return fill_rows<Op::FDiv>(seed, first, columns);
  fill_rows<Op::FAdd>(seed, first, columns);
}

}  // namespace vyre::sweep
