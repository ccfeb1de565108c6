#include "symbolic/operators.h"

#include <vector>

#include "spec/ops.h"
#include "spec/table.h"

namespace vyre::symbolic {
namespace {

using smt::Pool;
using smt::Term;
using spec::DataType;
using spec::Op;

/// One application: the operator's type and its operands.
struct Application {
  Pool& pool;
  DataType type;
  std::span<const Term> x;

  bool is_signed() const { return type == DataType::I32; }
  uint32_t width() const { return pool.width(x[0]); }
  uint32_t word() const { return width() / spec::value_words(type); }
  Term number(uint32_t value) const { return pool.constant(width(), value); }
  Term truth(Term t) const { return pool.word(t, word()); }
  /// Unequal to zero, which is what counts as true.
  Term is_true(size_t i) const { return truth_of(pool, x[i]); }
};
using Encode = Term (*)(const Application&);

// Arithmetic wraps. A quotient or remainder by zero is zero; MIN / -1 needs no case of its own, since the
// magnitude of MIN has MIN's own bits.

Term add(const Application& f) { return f.pool.add(f.x[0], f.x[1]); }
Term sub(const Application& f) { return f.pool.sub(f.x[0], f.x[1]); }
Term mul(const Application& f) { return f.pool.mul(f.x[0], f.x[1]); }
Term div(const Application& f) {
  const Term quotient = f.is_signed() ? f.pool.sdiv(f.x[0], f.x[1]) : f.pool.udiv(f.x[0], f.x[1]);
  return f.pool.ite(f.pool.is_zero(f.x[1]), f.number(0), quotient);
}
Term mod(const Application& f) {
  const Term rest = f.is_signed() ? f.pool.srem(f.x[0], f.x[1]) : f.pool.urem(f.x[0], f.x[1]);
  return f.pool.ite(f.pool.is_zero(f.x[1]), f.number(0), rest);
}
Term negate(const Application& f) { return f.pool.neg(f.x[0]); }

// Bits.

Term bit_and(const Application& f) { return f.pool.bit_and(f.x[0], f.x[1]); }
Term bit_or(const Application& f) { return f.pool.bit_or(f.x[0], f.x[1]); }
Term bit_xor(const Application& f) { return f.pool.bit_xor(f.x[0], f.x[1]); }
Term bit_not(const Application& f) { return f.pool.bit_not(f.x[0]); }

/// The amount modulo the width, as wide as what is shifted.
Term amount(const Application& f) {
  const Term rest = f.pool.bit_and(f.x[1], f.pool.constant(f.pool.width(f.x[1]), f.width() - 1));
  return f.pool.zero_extend(rest, f.width());
}
Term shl(const Application& f) { return f.pool.shl(f.x[0], amount(f)); }
Term shr(const Application& f) {
  return f.is_signed() ? f.pool.ashr(f.x[0], amount(f)) : f.pool.lshr(f.x[0], amount(f));
}

/// The set bits of x[low .. low + count), by halves, in one bit more than those of a half: in the width of a
/// word solvers take a hundred times as long.
Term count_ones(const Application& f, uint32_t low, uint32_t count) {
  if (count == 1) return f.pool.extract(f.x[0], low, 1);
  const Term a = count_ones(f, low, count / 2), b = count_ones(f, low + count / 2, count / 2);
  const uint32_t bits = f.pool.width(a) + 1;
  return f.pool.add(f.pool.zero_extend(a, bits), f.pool.zero_extend(b, bits));
}
Term popcount(const Application& f) { return f.pool.zero_extend(count_ones(f, 0, f.width()), f.word()); }

Term is_set(const Application& f, uint32_t bit) {
  return f.pool.eq(f.pool.extract(f.x[0], bit, 1), f.pool.constant(1, 1));
}
/// The highest set bit decides last.
Term clz(const Application& f) {
  Term out = f.pool.constant(f.word(), f.width());
  for (uint32_t bit = 0; bit < f.width(); ++bit)
    out = f.pool.ite(is_set(f, bit), f.pool.constant(f.word(), f.width() - 1 - bit), out);
  return out;
}
Term ctz(const Application& f) {
  Term out = f.pool.constant(f.word(), f.width());
  for (uint32_t bit = f.width(); bit-- > 0;)
    out = f.pool.ite(is_set(f, bit), f.pool.constant(f.word(), bit), out);
  return out;
}
Term reverse_bits(const Application& f) {
  Term out = f.pool.extract(f.x[0], 0, 1);
  for (uint32_t bit = 1; bit < f.width(); ++bit) out = f.pool.concat(out, f.pool.extract(f.x[0], bit, 1));
  return out;
}

// Comparisons and truth.

Term eq(const Application& f) { return f.truth(f.pool.eq(f.x[0], f.x[1])); }
Term ne(const Application& f) { return f.truth(f.pool.ne(f.x[0], f.x[1])); }
Term below(const Application& f, Term a, Term b) {
  return f.truth(f.is_signed() ? f.pool.slt(a, b) : f.pool.ult(a, b));
}
Term at_most(const Application& f, Term a, Term b) {
  return f.truth(f.is_signed() ? f.pool.sle(a, b) : f.pool.ule(a, b));
}
Term lt(const Application& f) { return below(f, f.x[0], f.x[1]); }
Term gt(const Application& f) { return below(f, f.x[1], f.x[0]); }
Term le(const Application& f) { return at_most(f, f.x[0], f.x[1]); }
Term ge(const Application& f) { return at_most(f, f.x[1], f.x[0]); }
Term logical_and(const Application& f) { return f.truth(f.pool.and_(f.is_true(0), f.is_true(1))); }
Term logical_or(const Application& f) { return f.truth(f.pool.or_(f.is_true(0), f.is_true(1))); }
Term logical_not(const Application& f) { return f.truth(f.pool.not_(f.is_true(0))); }
Term select(const Application& f) { return f.pool.ite(f.is_true(0), f.x[1], f.x[2]); }

constexpr bool is_encoded_op(Op op) { return is_encoded(op); }
constexpr spec::Row<Op, Encode> kFormulaRows[] = {
    {Op::Add, add},
    {Op::Sub, sub},
    {Op::Mul, mul},
    {Op::Div, div},
    {Op::Mod, mod},
    {Op::BitAnd, bit_and},
    {Op::BitOr, bit_or},
    {Op::BitXor, bit_xor},
    {Op::Shl, shl},
    {Op::Shr, shr},
    {Op::Eq, eq},
    {Op::Ne, ne},
    {Op::Lt, lt},
    {Op::Gt, gt},
    {Op::Le, le},
    {Op::Ge, ge},
    {Op::And, logical_and},
    {Op::Or, logical_or},
    {Op::Negate, negate},
    {Op::BitNot, bit_not},
    {Op::LogicalNot, logical_not},
    {Op::Popcount, popcount},
    {Op::Clz, clz},
    {Op::Ctz, ctz},
    {Op::ReverseBits, reverse_bits},
    {Op::Select, select},
};
constexpr spec::TotalTable<kFormulaRows, is_encoded_op> kEncodings;

}  // namespace

std::vector<DataType> operand_types(Op op, DataType type) {
  std::vector<DataType> out;
  for (uint32_t i = 0; i < *spec::operand_count(op); ++i) out.push_back(spec::operand_type(op, type, i));
  return out;
}

Term encode(Pool& pool, Op op, DataType type, std::span<const Term> operands) {
  return kEncodings[op]({pool, type, operands});
}

Term truth_of(Pool& pool, Term word) {
  const smt::Node& n = pool[word];
  const auto is_constant = [&](Term t, smt::Bits value) {
    return pool.is_constant(t) && pool[t].bits == value;
  };
  if (n.kind == smt::Kind::Ite && is_constant(n.operands[1], 1) && is_constant(n.operands[2], 0))
    return n.operands[0];
  return pool.is_not_zero(word);
}

Term encode_cast(Pool& pool, DataType from, DataType to, Term value) {
  if (from == to) return value;
  const uint32_t word = pool.width(value) / spec::value_words(from);
  if (to == DataType::Bool) return pool.word(truth_of(pool, value), word);
  // Low bits, or as many more as the type has: of the sign where there is one, else zeros.
  const uint32_t width = width_of(to, word);
  return from == DataType::I32 && width > word ? pool.sign_extend(value, width) : pool.resize(value, width);
}

Term encode_bitcast(Pool&, DataType, DataType, Term value) { return value; }

}  // namespace vyre::symbolic
