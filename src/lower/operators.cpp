#include "lower/operators.h"

#include <algorithm>
#include <bit>

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::Op;

using Apply = Word (*)(const Word* x);

// Signed arithmetic goes through 64 bits, where no operation on 32-bit operands overflows.
int64_t wide(Word w) { return int32_t(w); }
Word narrow(int64_t v) { return Word(uint64_t(v)); }

Word reversed(Word w) {
  Word out = 0;
  for (int i = 0; i < 32; ++i) out |= (w >> i & 1) << (31 - i);
  return out;
}
Word quotient_u(const Word* x) { return x[1] == 0 ? 0 : x[0] / x[1]; }
Word quotient_s(const Word* x) { return x[1] == 0 ? 0 : narrow(wide(x[0]) / wide(x[1])); }
Word remainder_u(const Word* x) { return x[1] == 0 ? 0 : x[0] % x[1]; }
Word remainder_s(const Word* x) { return x[1] == 0 ? 0 : narrow(wide(x[0]) % wide(x[1])); }
Word shift_right_s(const Word* x) { return narrow(wide(x[0]) >> (x[1] % 32)); }

/// One function a type that the operator takes.
struct Meaning {
  Apply u32, i32, boolean;
};
constexpr Meaning integers(Apply both) { return {both, both, nullptr}; }
constexpr Meaning integers(Apply u32, Apply i32) { return {u32, i32, nullptr}; }
constexpr Meaning all(Apply f) { return {f, f, f}; }

constexpr spec::Row<Op, Meaning> kSemanticRows[] = {
    {Op::Add, integers([](const Word* x) { return x[0] + x[1]; })},
    {Op::Sub, integers([](const Word* x) { return x[0] - x[1]; })},
    {Op::Mul, integers([](const Word* x) { return Word(uint64_t(x[0]) * x[1]); })},
    {Op::Div, integers(quotient_u, quotient_s)},
    {Op::Mod, integers(remainder_u, remainder_s)},
    {Op::BitAnd, integers([](const Word* x) { return x[0] & x[1]; })},
    {Op::BitOr, integers([](const Word* x) { return x[0] | x[1]; })},
    {Op::BitXor, integers([](const Word* x) { return x[0] ^ x[1]; })},
    {Op::Shl, integers([](const Word* x) { return x[0] << (x[1] % 32); })},
    {Op::Shr, integers([](const Word* x) { return x[0] >> (x[1] % 32); }, shift_right_s)},
    {Op::Eq, all([](const Word* x) { return Word(x[0] == x[1]); })},
    {Op::Ne, all([](const Word* x) { return Word(x[0] != x[1]); })},
    {Op::Lt, integers([](const Word* x) { return Word(x[0] < x[1]); },
                      [](const Word* x) { return Word(wide(x[0]) < wide(x[1])); })},
    {Op::Gt, integers([](const Word* x) { return Word(x[0] > x[1]); },
                      [](const Word* x) { return Word(wide(x[0]) > wide(x[1])); })},
    {Op::Le, integers([](const Word* x) { return Word(x[0] <= x[1]); },
                      [](const Word* x) { return Word(wide(x[0]) <= wide(x[1])); })},
    {Op::Ge, integers([](const Word* x) { return Word(x[0] >= x[1]); },
                      [](const Word* x) { return Word(wide(x[0]) >= wide(x[1])); })},
    {Op::And, all([](const Word* x) { return Word(x[0] != 0 && x[1] != 0); })},
    {Op::Or, all([](const Word* x) { return Word(x[0] != 0 || x[1] != 0); })},
    {Op::Negate, integers([](const Word* x) { return ~x[0] + 1; })},
    {Op::BitNot, integers([](const Word* x) { return ~x[0]; })},
    {Op::LogicalNot, all([](const Word* x) { return Word(x[0] == 0); })},
    {Op::Popcount, integers([](const Word* x) { return Word(std::popcount(x[0])); })},
    {Op::Clz, integers([](const Word* x) { return Word(std::countl_zero(x[0])); })},
    {Op::Ctz, integers([](const Word* x) { return Word(std::countr_zero(x[0])); })},
    {Op::ReverseBits, integers([](const Word* x) { return reversed(x[0]); })},
    {Op::Select, all([](const Word* x) { return x[0] != 0 ? x[1] : x[2]; })},
};
constexpr bool is_evaluated_here(Op op) { return spec::is_scalar(op) || op == Op::Select; }
constexpr spec::TotalTable<kSemanticRows, is_evaluated_here> kSemantic;

struct Partial {
  bool (*in_domain)(const Word* x);
  Apply apply;
};
bool always(const Word*) { return true; }
bool divisible_u(const Word* x) { return x[1] != 0; }
bool divisible_s(const Word* x) { return x[1] != 0 && !(x[0] == 0x80000000u && x[1] == 0xffffffffu); }
bool shiftable(const Word* x) { return x[1] < 32; }
bool countable(const Word* x) { return x[0] != 0; }
bool decided(const Word* x) { return x[0] <= 1; }

constexpr spec::Row<RawOp, Partial> kRawRows[] = {
    {RawOp::Add, {always, [](const Word* x) { return x[0] + x[1]; }}},
    {RawOp::Sub, {always, [](const Word* x) { return x[0] - x[1]; }}},
    {RawOp::Mul, {always, [](const Word* x) { return x[0] * x[1]; }}},
    {RawOp::UMulHi, {always, [](const Word* x) { return Word(uint64_t(x[0]) * x[1] >> 32); }}},
    {RawOp::UDiv, {divisible_u, [](const Word* x) { return x[0] / x[1]; }}},
    {RawOp::URem, {divisible_u, [](const Word* x) { return x[0] % x[1]; }}},
    {RawOp::SDiv, {divisible_s, [](const Word* x) { return Word(int32_t(x[0]) / int32_t(x[1])); }}},
    {RawOp::SRem, {divisible_s, [](const Word* x) { return Word(int32_t(x[0]) % int32_t(x[1])); }}},
    {RawOp::And, {always, [](const Word* x) { return x[0] & x[1]; }}},
    {RawOp::Or, {always, [](const Word* x) { return x[0] | x[1]; }}},
    {RawOp::Xor, {always, [](const Word* x) { return x[0] ^ x[1]; }}},
    {RawOp::Not, {always, [](const Word* x) { return ~x[0]; }}},
    {RawOp::Shl, {shiftable, [](const Word* x) { return x[0] << x[1]; }}},
    {RawOp::LShr, {shiftable, [](const Word* x) { return x[0] >> x[1]; }}},
    {RawOp::AShr, {shiftable, [](const Word* x) { return Word(int32_t(x[0]) >> x[1]); }}},
    {RawOp::Popcount, {always, [](const Word* x) { return Word(std::popcount(x[0])); }}},
    {RawOp::Clz, {countable, [](const Word* x) { return Word(std::countl_zero(x[0])); }}},
    {RawOp::Ctz, {countable, [](const Word* x) { return Word(std::countr_zero(x[0])); }}},
    {RawOp::ReverseBits, {always, [](const Word* x) { return reversed(x[0]); }}},
    {RawOp::Eq, {always, [](const Word* x) { return Word(x[0] == x[1]); }}},
    {RawOp::Ne, {always, [](const Word* x) { return Word(x[0] != x[1]); }}},
    {RawOp::ULt, {always, [](const Word* x) { return Word(x[0] < x[1]); }}},
    {RawOp::ULe, {always, [](const Word* x) { return Word(x[0] <= x[1]); }}},
    {RawOp::SLt, {always, [](const Word* x) { return Word(int32_t(x[0]) < int32_t(x[1])); }}},
    {RawOp::SLe, {always, [](const Word* x) { return Word(int32_t(x[0]) <= int32_t(x[1])); }}},
    {RawOp::Select, {decided, [](const Word* x) { return x[0] == 1 ? x[1] : x[2]; }}},
};
constexpr spec::TotalTable<kRawRows> kRaw;

struct Update {
  Word before, expected, value;
};
constexpr spec::Row<Op, Word (*)(Update)> kAtomicRows[] = {
    {Op::AtomicAdd, [](Update u) { return u.before + u.value; }},
    {Op::AtomicOr, [](Update u) { return u.before | u.value; }},
    {Op::AtomicAnd, [](Update u) { return u.before & u.value; }},
    {Op::AtomicXor, [](Update u) { return u.before ^ u.value; }},
    {Op::AtomicMin, [](Update u) { return std::min(u.before, u.value); }},
    {Op::AtomicMax, [](Update u) { return std::max(u.before, u.value); }},
    {Op::AtomicExchange, [](Update u) { return u.value; }},
    {Op::AtomicCompareExchange, [](Update u) { return u.before == u.expected ? u.value : u.before; }},
};
constexpr spec::TotalTable<kAtomicRows, spec::is_atomic> kAtomic;

}  // namespace

Word apply_semantic(Op op, DataType type, DataType result, const Word* operands) {
  if (op == Op::Cast || op == Op::Bitcast)
    return result == DataType::Bool ? Word(operands[0] != 0) : operands[0];
  const Meaning& meaning = kSemantic[op];
  if (type == DataType::Bool) return meaning.boolean(operands);
  return type == DataType::I32 ? meaning.i32(operands) : meaning.u32(operands);
}

bool in_domain(RawOp op, const Word* operands) { return kRaw[op].in_domain(operands); }

Word apply_raw(RawOp op, const Word* operands) { return kRaw[op].apply(operands); }

Word apply_atomic(Op op, Word before, Word expected, Word value) {
  return kAtomic[op]({.before = before, .expected = expected, .value = value});
}

}  // namespace vyre::lower
