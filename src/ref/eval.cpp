#include "ref/eval.h"

#include <bit>

#include "spec/casts.h"
#include "spec/table.h"

namespace vyre::ref {
namespace {

using spec::DataType;
using spec::Op;
using spec::Row;
using spec::TotalTable;
using Operands = std::span<const Bits>;

// Every value is one word; a wider type needs a wider Bits, and this refuses to compile until it has
// one.
constexpr bool is_available_value(DataType type) {
  return spec::is_available(type) && spec::is_value_type(type);
}
consteval bool values_fit_bits() {
  for (const spec::TypeInfo& t : spec::kTypes) {
    if (is_available_value(t.type) && t.bytes != sizeof(Bits)) return false;
  }
  return true;
}
static_assert(values_fit_bits());

// Which types an order, a quotient or a right shift reads as two's complement.
constexpr Row<DataType, bool> kSignedRows[] = {
    {DataType::U32, false},
    {DataType::I32, true},
    {DataType::Bool, false},
};
constexpr TotalTable<kSignedRows, is_available_value> kSigned;

constexpr Bits kMin = 0x80000000;       // the smallest i32
constexpr Bits kMinusOne = 0xffffffff;  // -1 as an i32
constexpr Bits kShiftMask = 31;         // width - 1

int32_t as_signed(Bits x) { return std::bit_cast<int32_t>(x); }
Bits from_signed(int32_t x) { return std::bit_cast<Bits>(x); }

// Arithmetic. Words wrap, and two's complement makes that the same for both integer types but where signs
// matter.

Bits eval_Add(DataType, Operands x) { return x[0] + x[1]; }
Bits eval_Sub(DataType, Operands x) { return x[0] - x[1]; }
Bits eval_Mul(DataType, Operands x) { return x[0] * x[1]; }
Bits eval_Div(DataType type, Operands x) {
  if (x[1] == 0) return 0;
  if (!kSigned[type]) return x[0] / x[1];
  if (x[0] == kMin && x[1] == kMinusOne) return kMin;
  return from_signed(as_signed(x[0]) / as_signed(x[1]));
}
Bits eval_Mod(DataType type, Operands x) {
  if (x[1] == 0) return 0;
  if (!kSigned[type]) return x[0] % x[1];
  if (x[0] == kMin && x[1] == kMinusOne) return 0;
  return from_signed(as_signed(x[0]) % as_signed(x[1]));
}
Bits eval_Negate(DataType, Operands x) { return ~x[0] + 1; }

// Bits. Shift amounts are u32 and masked to the width.

Bits eval_BitAnd(DataType, Operands x) { return x[0] & x[1]; }
Bits eval_BitOr(DataType, Operands x) { return x[0] | x[1]; }
Bits eval_BitXor(DataType, Operands x) { return x[0] ^ x[1]; }
Bits eval_BitNot(DataType, Operands x) { return ~x[0]; }
Bits eval_Shl(DataType, Operands x) { return x[0] << (x[1] & kShiftMask); }
Bits eval_Shr(DataType type, Operands x) {
  const Bits amount = x[1] & kShiftMask;
  return kSigned[type] ? from_signed(as_signed(x[0]) >> amount) : x[0] >> amount;
}
Bits eval_Popcount(DataType, Operands x) { return Bits(std::popcount(x[0])); }
Bits eval_Clz(DataType, Operands x) { return Bits(std::countl_zero(x[0])); }
Bits eval_Ctz(DataType, Operands x) { return Bits(std::countr_zero(x[0])); }
Bits eval_ReverseBits(DataType, Operands x) {
  Bits out = 0;
  for (uint32_t i = 0; i < 32; ++i) out |= (x[0] >> i & 1) << (31 - i);
  return out;
}

// Comparisons and truth: u32, 0 or 1.

bool less(DataType type, Bits a, Bits b) { return kSigned[type] ? as_signed(a) < as_signed(b) : a < b; }

Bits eval_Eq(DataType, Operands x) { return x[0] == x[1] ? 1 : 0; }
Bits eval_Ne(DataType, Operands x) { return x[0] != x[1] ? 1 : 0; }
Bits eval_Lt(DataType type, Operands x) { return less(type, x[0], x[1]) ? 1 : 0; }
Bits eval_Gt(DataType type, Operands x) { return less(type, x[1], x[0]) ? 1 : 0; }
Bits eval_Le(DataType type, Operands x) { return less(type, x[1], x[0]) ? 0 : 1; }
Bits eval_Ge(DataType type, Operands x) { return less(type, x[0], x[1]) ? 0 : 1; }
Bits eval_And(DataType, Operands x) { return x[0] != 0 && x[1] != 0 ? 1 : 0; }
Bits eval_Or(DataType, Operands x) { return x[0] != 0 || x[1] != 0 ? 1 : 0; }
Bits eval_LogicalNot(DataType, Operands x) { return x[0] == 0 ? 1 : 0; }
Bits eval_Select(DataType, Operands x) { return x[0] != 0 ? x[1] : x[2]; }

constexpr bool is_evaluated(Op op) { return spec::is_scalar(op) || op == Op::Select; }

using Eval = Bits (*)(DataType, Operands);
constexpr Row<Op, Eval> kEvalRows[] = {
    {Op::Add, eval_Add},
    {Op::Sub, eval_Sub},
    {Op::Mul, eval_Mul},
    {Op::Div, eval_Div},
    {Op::Mod, eval_Mod},
    {Op::BitAnd, eval_BitAnd},
    {Op::BitOr, eval_BitOr},
    {Op::BitXor, eval_BitXor},
    {Op::Shl, eval_Shl},
    {Op::Shr, eval_Shr},
    {Op::Eq, eval_Eq},
    {Op::Ne, eval_Ne},
    {Op::Lt, eval_Lt},
    {Op::Gt, eval_Gt},
    {Op::Le, eval_Le},
    {Op::Ge, eval_Ge},
    {Op::And, eval_And},
    {Op::Or, eval_Or},
    {Op::Negate, eval_Negate},
    {Op::BitNot, eval_BitNot},
    {Op::LogicalNot, eval_LogicalNot},
    {Op::Popcount, eval_Popcount},
    {Op::Clz, eval_Clz},
    {Op::Ctz, eval_Ctz},
    {Op::ReverseBits, eval_ReverseBits},
    {Op::Select, eval_Select},
};
constexpr TotalTable<kEvalRows, is_evaluated> kEval;

// Casts, by the type that is wanted. A bool is 0 or 1 already, and u32 and i32 are the same word read in two
// ways, so what the value was before makes no difference yet.

Bits cast_to_word(Bits value) { return value; }
Bits cast_to_truth(Bits value) { return value != 0 ? 1 : 0; }

using Cast = Bits (*)(Bits);
constexpr Row<DataType, Cast> kCastRows[] = {
    {DataType::U32, cast_to_word},
    {DataType::I32, cast_to_word},
    {DataType::Bool, cast_to_truth},
};
constexpr TotalTable<kCastRows, is_available_value> kCast;

// Atomics: what is in memory afterwards. All of them are on u32, so minimum and maximum are unsigned.

using Atomic = Bits (*)(Bits before, Bits expected, Bits value);

Bits eval_AtomicAdd(Bits before, Bits, Bits value) { return before + value; }
Bits eval_AtomicOr(Bits before, Bits, Bits value) { return before | value; }
Bits eval_AtomicAnd(Bits before, Bits, Bits value) { return before & value; }
Bits eval_AtomicXor(Bits before, Bits, Bits value) { return before ^ value; }
Bits eval_AtomicMin(Bits before, Bits, Bits value) { return value < before ? value : before; }
Bits eval_AtomicMax(Bits before, Bits, Bits value) { return value > before ? value : before; }
Bits eval_AtomicExchange(Bits, Bits, Bits value) { return value; }
Bits eval_AtomicCompareExchange(Bits before, Bits expected, Bits value) {
  return before == expected ? value : before;
}

constexpr Row<Op, Atomic> kAtomicRows[] = {
    {Op::AtomicAdd, eval_AtomicAdd},           {Op::AtomicOr, eval_AtomicOr},
    {Op::AtomicAnd, eval_AtomicAnd},           {Op::AtomicXor, eval_AtomicXor},
    {Op::AtomicMin, eval_AtomicMin},           {Op::AtomicMax, eval_AtomicMax},
    {Op::AtomicExchange, eval_AtomicExchange}, {Op::AtomicCompareExchange, eval_AtomicCompareExchange},
};
constexpr TotalTable<kAtomicRows, spec::is_atomic> kAtomic;

}  // namespace

Bits eval(Op op, DataType type, std::span<const Bits> operands) { return kEval[op](type, operands); }

Bits eval_cast(DataType, DataType to, spec::RoundingMode, Bits value) { return kCast[to](value); }

Bits eval_atomic(Op op, Bits before, Bits expected, Bits value) {
  return kAtomic[op](before, expected, value);
}

}  // namespace vyre::ref
