// Columns answer row by row what single cases answer, at formats that have code of their own and others.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "cases.h"
#include "opinions.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference, "MPFR on each row");

namespace vyre::num::test {
namespace {

struct Table {
  explicit Table(FloatFormat f) {
    RandomStream random(8, f.width());
    const auto values = directed(f);
    for (uint32_t i = 0; i < 5000; ++i) {
      auto [x, y, z] = random_row(f, random);
      if (random.chance(3)) x = values[random.below(uint32_t(values.size()))];
      if (random.chance(3)) y = values[random.below(uint32_t(values.size()))];
      a.push_back(x);
      b.push_back(y);
      c.push_back(z);
    }
    out.resize(a.size());
  }
  std::vector<uint32_t> a, b, c, out;
};

TEST(Columns, AgreeWithMpfr) {
  for (const FloatFormat f : {spec::kBinary32, spec::kBinary16, spec::kBFloat16, FloatFormat{5, 2}}) {
    Mpfr mpfr(f);
    Table t(f);
    Differences differences(describe(f));
    const auto expect = [&](auto row) {
      for (size_t i = 0; i < t.out.size(); ++i) differences.expect(t.out[i], row(i), t.a[i], t.b[i], t.c[i]);
      t.out.assign(t.out.size(), 0xdeadbeefu);
    };
    for (const Binary& op : kBinary) {
      op.columns(f, t.a, t.b, t.out);
      expect([&](size_t i) { return op.mpfr(mpfr, t.a[i], t.b[i]); });
    }
    mul_add(f, t.a, t.b, t.c, t.out);
    expect([&](size_t i) { return mpfr.mul_add(t.a[i], t.b[i], t.c[i]); });
    sqrt(f, t.a, t.out);
    expect([&](size_t i) { return mpfr.unary(mpfr_sqrt, t.a[i]); });
    negate(f, t.a, t.out);
    expect([&](size_t i) { return t.a[i] ^ f.sign_bit(); });
    abs(f, t.a, t.out);
    expect([&](size_t i) { return t.a[i] & ~f.sign_bit(); });
    for (const RoundingMode mode : kModes) {
      round_to_integral(f, mode, t.a, t.out);
      expect([&](size_t i) { return mpfr.round_to_integral(mode, t.a[i]); });
      to_u32(f, mode, t.a, t.out);
      expect([&](size_t i) { return uint32_t(mpfr.to_integer(mode, t.a[i], 0, UINT32_MAX)); });
      to_i32(f, mode, t.a, t.out);
      expect([&](size_t i) { return uint32_t(mpfr.to_integer(mode, t.a[i], INT32_MIN, INT32_MAX)); });
    }
    for (const FloatFormat to : kTypes) {
      Mpfr target(to);
      convert(f, to, t.a, t.out);
      expect([&](size_t i) { return target.convert(f, t.a[i]); });
    }
  }
}

// A result may take the place of an operand.
TEST(Columns, MayOverwriteAnOperand) {
  Mpfr mpfr(spec::kBinary32);
  const Table t(spec::kBinary32);
  std::vector<uint32_t> column = t.b;
  sub(spec::kBinary32, t.a, column, column);
  for (size_t i = 0; i < column.size(); ++i) ASSERT_EQ(column[i], mpfr.binary(mpfr_sub, t.a[i], t.b[i])) << i;
}

}  // namespace
}  // namespace vyre::num::test
