// The operators as functions: against the specification rows, and against the same arithmetic in 64 bits.
#include "ref/eval.h"

#include <gtest/gtest.h>

#include "oracle.h"
#include "spec/ops.h"
#include "spec/rows.h"

VYRE_ORACLE(CpuReference, "the specification's formulas on unbounded integers and bit by bit");

namespace vyre::ref {
namespace {

using spec::DataType;
using spec::Op;
using spec::OperatorRow;

Bits bits_of(const spec::RowValue& value) {
  Bits out = 0;
  for (size_t i = 4; i-- > 0;) out = out << 32 | value.words[i];
  return out;
}

Bits evaluate(const OperatorRow& row) {
  std::array<Bits, 4> values{};
  for (uint32_t i = 0; i < row.count; ++i) values[i] = bits_of(row.values[i]);
  const std::span<const Bits> x = std::span(values).first(row.count);
  if (row.op == Op::Cast) return eval_cast(row.type, row.target, row.mode, x[0]);
  if (row.op == Op::Bitcast) return eval_bitcast(row.type, row.target, x[0]);
  if (row.op == Op::Component) return eval_component(x[0], uint32_t(x[1]));
  if (spec::is_vector_op(row.op)) return eval_make(x);
  if (row.op == Op::AtomicCompareExchange) return eval_atomic(row.op, x[0], x[1], x[2]);
  if (spec::is_atomic(row.op)) return eval_atomic(row.op, x[0], 0, x[1]);
  return eval(row.op, row.type, x);
}

TEST(Eval, GivesEverySpecificationRow) {
  VYRE_ORACLE(SpecificationTable, "the specification rows, worked out by hand");
  for (const OperatorRow& row : spec::operator_rows()) {
    EXPECT_TRUE(evaluate(row) == bits_of(row.expected))
        << spec::mnemonic(row.op) << " " << spec::text(row.type) << ": " << row.rationale << " ("
        << row.source << ")";
  }
}

const std::vector<uint32_t> kEdges = {0,          1,          2,          3,          7,          8,
                                      31,         32,         33,         63,         100,        255,
                                      256,        0x7fff,     0x8000,     0xffff,     0x10000,    0x10001,
                                      0x12345678, 0x3fffffff, 0x40000000, 0x55555555, 0x7ffffffe, 0x7fffffff,
                                      0x80000000, 0x80000001, 0xaaaaaaaa, 0xc0000000, 0xdeadbeef, 0xffff0000,
                                      0xfffffff8, 0xfffffff9, 0xfffffffd, 0xfffffffe, 0xffffffff};

/// The result as a word; with anything above it, it is no value of a 32-bit type.
uint64_t word(Bits bits) { return bits >> 32 == 0 ? uint64_t(bits) : UINT64_MAX; }

/// The mathematical value of a word, in a type where neither sums, products nor quotients of two can
/// overflow.
int64_t value_of(DataType type, uint32_t word) {
  const int64_t value = word;
  return type == DataType::I32 && value >= (1ll << 31) ? value - (1ll << 32) : value;
}
uint32_t wrap(int64_t value) { return uint32_t(uint64_t(value)); }

/// Floor division, which is what an arithmetic shift right is.
int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

TEST(Eval, IsTheFormulaOnIntegersModulo2To32) {
  // The specification's formulas on unbounded integers (64 bits hold every intermediate value), reduced
  // modulo 2^32 at the end.
  for (const DataType type : {DataType::U32, DataType::I32}) {
    for (const uint32_t left : kEdges) {
      for (const uint32_t right : kEdges) {
        const std::array<Bits, 2> x = {left, right};
        const int64_t a = value_of(type, left), b = value_of(type, right);
        const int64_t power = 1ll << right % 32;
        SCOPED_TRACE(testing::Message() << spec::text(type) << " " << left << " " << right);
        EXPECT_EQ(word(eval(Op::Add, type, x)), wrap(a + b));
        EXPECT_EQ(word(eval(Op::Sub, type, x)), wrap(a - b));
        EXPECT_EQ(word(eval(Op::Mul, type, x)), uint32_t(uint64_t(a) * uint64_t(b)));
        EXPECT_EQ(word(eval(Op::Div, type, x)), b == 0 ? 0 : wrap(a / b));
        EXPECT_EQ(word(eval(Op::Mod, type, x)), b == 0 ? 0 : wrap(a % b));
        EXPECT_EQ(word(eval(Op::Shl, type, x)), wrap(int64_t(uint64_t(left) * uint64_t(power))));
        EXPECT_EQ(word(eval(Op::Shr, type, x)), wrap(floor_divide(a, power)));
        EXPECT_EQ(word(eval(Op::Eq, type, x)), a == b ? 1u : 0u);
        EXPECT_EQ(word(eval(Op::Ne, type, x)), a == b ? 0u : 1u);
        EXPECT_EQ(word(eval(Op::Lt, type, x)), a < b ? 1u : 0u);
        EXPECT_EQ(word(eval(Op::Gt, type, x)), a > b ? 1u : 0u);
        EXPECT_EQ(word(eval(Op::Le, type, x)), a <= b ? 1u : 0u);
        EXPECT_EQ(word(eval(Op::Ge, type, x)), a >= b ? 1u : 0u);
        EXPECT_EQ(word(eval(Op::And, type, x)), a != 0 && b != 0 ? 1u : 0u);
        EXPECT_EQ(word(eval(Op::Or, type, x)), a == 0 && b == 0 ? 0u : 1u);
      }
    }
  }
}

TEST(Eval, IsTheDefinitionOnEachBit) {
  const auto bit = [](uint32_t word, int i) { return word / (1u << i) % 2; };
  for (const DataType type : {DataType::U32, DataType::I32}) {
    for (const uint32_t a : kEdges) {
      const std::array<Bits, 1> x = {a};
      SCOPED_TRACE(testing::Message() << spec::text(type) << " " << a);
      uint32_t ones = 0, leading = 32, trailing = 32;
      for (int i = 0; i < 32; ++i) {
        ones += bit(a, i);
        if (bit(a, i) == 1) leading = uint32_t(31 - i);
        if (bit(a, 31 - i) == 1) trailing = uint32_t(31 - i);
        EXPECT_EQ(bit(uint32_t(eval(Op::BitNot, type, x)), i), 1 - bit(a, i));
        EXPECT_EQ(bit(uint32_t(eval(Op::ReverseBits, type, x)), i), bit(a, 31 - i));
      }
      EXPECT_EQ(word(eval(Op::Popcount, type, x)), ones);
      EXPECT_EQ(word(eval(Op::Clz, type, x)), leading);
      EXPECT_EQ(word(eval(Op::Ctz, type, x)), trailing);
      EXPECT_EQ(word(eval(Op::Negate, type, x)), wrap(-value_of(type, a)));
      EXPECT_EQ(word(eval(Op::LogicalNot, type, x)), a > 0 ? 0u : 1u);
      for (const uint32_t b : kEdges) {
        const std::array<Bits, 2> y = {a, b};
        for (int i = 0; i < 32; ++i) {
          EXPECT_EQ(bit(uint32_t(eval(Op::BitAnd, type, y)), i), bit(a, i) * bit(b, i));
          EXPECT_EQ(bit(uint32_t(eval(Op::BitOr, type, y)), i), std::max(bit(a, i), bit(b, i)));
          EXPECT_EQ(bit(uint32_t(eval(Op::BitXor, type, y)), i), (bit(a, i) + bit(b, i)) % 2);
        }
      }
    }
  }
}

}  // namespace
}  // namespace vyre::ref
