// Unsigned integers of every width against arithmetic done bit by bit, as on paper.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "oracle.h"
#include "ref/eval.h"
#include "spec/ops.h"

VYRE_ORACLE(CpuReference,
            "schoolbook arithmetic on single bits, and bits moved one by one, written without any arithmetic "
            "on numbers");

namespace vyre::ref {
namespace {

using spec::DataType;
using spec::Op;

/// A number as its bits, the lowest first.
using Paper = std::vector<bool>;

Paper paper(Bits value, uint32_t width) {
  Paper out(width);
  for (uint32_t i = 0; i < width; ++i) out[i] = (value >> i & 1) != 0;
  return out;
}
Bits value(const Paper& bits) {
  Bits out = 0;
  for (size_t i = bits.size(); i-- > 0;) out = out * 2 + (bits[i] ? 1 : 0);
  return out;
}

bool is_zero(const Paper& a) { return a == Paper(a.size()); }
/// Looks for the highest bit in which they differ.
bool is_less(const Paper& a, const Paper& b) {
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return b[i];
  }
  return false;
}
Paper sum(const Paper& a, const Paper& b) {
  Paper out(a.size());
  int carry = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const int digit = a[i] + b[i] + carry;
    out[i] = digit % 2 != 0;
    carry = digit / 2;
  }
  return out;
}
Paper difference(const Paper& a, const Paper& b) {
  Paper out(a.size());
  int borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const int digit = a[i] - b[i] - borrow;
    out[i] = digit % 2 != 0;
    borrow = digit < 0 ? 1 : 0;
  }
  return out;
}
Paper shifted_up(const Paper& a, size_t by) {
  Paper out(a.size());
  for (size_t i = by; i < a.size(); ++i) out[i] = a[i - by];
  return out;
}
Paper shifted_down(const Paper& a, size_t by) {
  Paper out(a.size());
  for (size_t i = by; i < a.size(); ++i) out[i - by] = a[i];
  return out;
}
Paper product(const Paper& a, const Paper& b) {
  Paper out(a.size());
  for (size_t i = 0; i < b.size(); ++i) {
    if (b[i]) out = sum(out, shifted_up(a, i));
  }
  return out;
}
struct Division {
  Paper quotient, remainder;
};
/// Long division; by zero both are zero, as the language has it.
Division divided(const Paper& a, const Paper& b) {
  Division out{Paper(a.size()), Paper(a.size() + 1)};
  if (is_zero(b)) return {Paper(a.size()), Paper(a.size())};
  Paper divisor = b;
  divisor.push_back(false);  // the remainder may for a moment need one bit more
  for (size_t i = a.size(); i-- > 0;) {
    out.remainder = shifted_up(out.remainder, 1);
    out.remainder[0] = a[i];
    if (is_less(out.remainder, divisor)) continue;
    out.remainder = difference(out.remainder, divisor);
    out.quotient[i] = true;
  }
  out.remainder.pop_back();
  return out;
}

std::vector<Bits> edges(uint32_t width) {
  const Bits one = 1, ones = (one << (width - 1)) * 2 - 1;
  std::vector<Bits> out = {0,       1,          2,    3,        7,        10,          255,
                           0x10001, 0xdeadbeef, ones, ones - 1, ones / 3, ones / 5 * 3};
  for (uint32_t bit = 16; bit < width; bit += 16) {
    for (const Bits near : {(one << bit) - 1, one << bit, (one << bit) + 1}) out.push_back(near & ones);
  }
  out.push_back(one << (width - 1));
  out.push_back((one << (width - 1)) - 1);
  out.push_back((Bits{0x0123456789abcdefu} << 64 | 0xfedcba9876543210u) & ones);
  out.push_back((Bits{0xcafef00dd15ea5e5u} << 64 | 0x8badf00d0badcafeu) & ones);
  return out;
}

uint32_t width_of(DataType type) { return type == DataType::U32 ? 32 : type == DataType::U64 ? 64 : 128; }

class Wide : public testing::TestWithParam<DataType> {};

TEST_P(Wide, ArithmeticIsThatOnPaper) {
  const DataType type = GetParam();
  const uint32_t width = width_of(type);
  for (const Bits left : edges(width)) {
    for (const Bits right : edges(width)) {
      const std::array<Bits, 2> x = {left, right};
      const Paper a = paper(left, width), b = paper(right, width);
      SCOPED_TRACE(testing::Message() << std::hex << uint64_t(left >> 64) << ":" << uint64_t(left) << " "
                                      << uint64_t(right >> 64) << ":" << uint64_t(right));
      const Division division = divided(a, b);
      EXPECT_TRUE(eval(Op::Add, type, x) == value(sum(a, b)));
      EXPECT_TRUE(eval(Op::Sub, type, x) == value(difference(a, b)));
      EXPECT_TRUE(eval(Op::Mul, type, x) == value(product(a, b)));
      EXPECT_TRUE(eval(Op::Div, type, x) == value(division.quotient));
      EXPECT_TRUE(eval(Op::Mod, type, x) == value(division.remainder));
      EXPECT_TRUE(eval(Op::Lt, type, x) == Bits(is_less(a, b)));
      EXPECT_TRUE(eval(Op::Gt, type, x) == Bits(is_less(b, a)));
      EXPECT_TRUE(eval(Op::Le, type, x) == Bits(!is_less(b, a)));
      EXPECT_TRUE(eval(Op::Ge, type, x) == Bits(!is_less(a, b)));
      EXPECT_TRUE(eval(Op::Eq, type, x) == Bits(a == b));
      EXPECT_TRUE(eval(Op::Ne, type, x) == Bits(a != b));
      EXPECT_TRUE(eval(Op::And, type, x) == Bits(!is_zero(a) && !is_zero(b)));
      EXPECT_TRUE(eval(Op::Or, type, x) == Bits(!is_zero(a) || !is_zero(b)));
    }
  }
}

TEST_P(Wide, ShiftsAndCountsAreThoseOnPaper) {
  // Bits moved one by one; the amount counts modulo the width.
  const DataType type = GetParam();
  const uint32_t width = width_of(type);
  for (const Bits left : edges(width)) {
    const Paper a = paper(left, width);
    for (const uint32_t amount :
         {0u, 1u, 31u, 32u, 33u, 63u, 64u, 65u, 95u, 96u, 127u, 128u, 129u, 0xffffffffu}) {
      const std::array<Bits, 2> x = {left, amount};
      EXPECT_TRUE(eval(Op::Shl, type, x) == value(shifted_up(a, amount % width))) << amount;
      EXPECT_TRUE(eval(Op::Shr, type, x) == value(shifted_down(a, amount % width))) << amount;
    }
    uint32_t ones = 0, first = width, last = width;
    Paper inverted(width), reversed(width);
    for (uint32_t i = 0; i < width; ++i) {
      if (a[i]) ++ones;
      if (a[i] && last == width) last = i;
      if (a[i]) first = width - 1 - i;
      inverted[i] = !a[i];
      reversed[width - 1 - i] = a[i];
    }
    const std::array<Bits, 1> x = {left};
    EXPECT_TRUE(eval(Op::Popcount, type, x) == ones);
    EXPECT_TRUE(eval(Op::Clz, type, x) == first);
    EXPECT_TRUE(eval(Op::Ctz, type, x) == last);
    EXPECT_TRUE(eval(Op::BitNot, type, x) == value(inverted));
    EXPECT_TRUE(eval(Op::ReverseBits, type, x) == value(reversed));
    EXPECT_TRUE(eval(Op::Negate, type, x) == value(difference(Paper(width), a)));
    EXPECT_TRUE(eval(Op::LogicalNot, type, x) == Bits(is_zero(a)));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Wide, testing::Values(DataType::U32, DataType::U64, DataType::U128),
                         [](const auto& type) { return std::string(spec::text(type.param)); });

}  // namespace
}  // namespace vyre::ref
