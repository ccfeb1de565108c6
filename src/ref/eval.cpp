#include "ref/eval.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/vectors.h"
#include "num/float.h"
#include "num/functions.h"
#include "num/multiprecision.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "spec/reduction.h"
#include "spec/table.h"

namespace vyre::ref {
namespace {

using spec::DataType;
using spec::Op;
using spec::RoundingMode;
using spec::Row;
using spec::TotalTable;
using Operands = std::span<const Bits>;

__extension__ using SignedBits = __int128;

constexpr bool is_available_value(DataType type) {
  return spec::is_available(type) && spec::is_value_type(type);
}
consteval bool values_fit_bits() {
  for (const spec::TypeInfo& t : spec::kTypes) {
    if (is_available_value(t.type) && t.bytes > sizeof(Bits)) return false;
  }
  return true;
}
static_assert(values_fit_bits());

// Which types an order, a quotient, a right shift or a wider type reads as two's complement. Vectors and
// floats have none of these here.
constexpr Row<DataType, bool> kSignedRows[] = {
    {DataType::U32, false},     {DataType::I32, true},      {DataType::U64, false},  {DataType::U128, false},
    {DataType::Vec2U32, false}, {DataType::Vec4U32, false}, {DataType::Bool, false}, {DataType::F16, false},
    {DataType::BF16, false},    {DataType::F32, false},
};
constexpr TotalTable<kSignedRows, is_available_value> kSigned;

constexpr uint32_t kBits = 128;
constexpr uint32_t width(DataType type) { return spec::value_bits(type); }

/// The low bits that a value of the type has: reduces modulo 2^width.
constexpr Bits low(DataType type, Bits x) { return x << (kBits - width(type)) >> (kBits - width(type)); }
/// The mathematical value of the bits of a signed type of fewer than 128 bits.
constexpr SignedBits as_signed(DataType type, Bits x) {
  return SignedBits(x << (kBits - width(type))) >> (kBits - width(type));
}
constexpr Bits from_signed(DataType type, SignedBits x) { return low(type, Bits(x)); }

/// Applies a function of words to each component of vectors, or a function of the whole value to anything
/// else.
template <typename Function>
Bits by_component(DataType type, Bits a, Bits b, Function f) {
  if (spec::components(type) == 1) return low(type, f(a, b));
  Bits out = 0;
  for (uint32_t i = 0; i < spec::components(type); ++i) {
    out |= low(DataType::U32, f(eval_component(a, i), eval_component(b, i))) << (32 * i);
  }
  return out;
}

// Arithmetic. Integers wrap, and two's complement makes that the same for signed and unsigned types but where
// signs matter. There 128 bits hold every quotient and remainder, that of the smallest i32 by -1 too, and
// reducing it gives the smallest again.

Bits eval_Add(DataType type, Operands x) {
  return by_component(type, x[0], x[1], [](Bits a, Bits b) { return a + b; });
}
Bits eval_Sub(DataType type, Operands x) {
  return by_component(type, x[0], x[1], [](Bits a, Bits b) { return a - b; });
}
Bits eval_Mul(DataType type, Operands x) {
  return by_component(type, x[0], x[1], [](Bits a, Bits b) { return a * b; });
}
Bits eval_Div(DataType type, Operands x) {
  if (x[1] == 0) return 0;
  if (!kSigned[type]) return x[0] / x[1];
  return from_signed(type, as_signed(type, x[0]) / as_signed(type, x[1]));
}
Bits eval_Mod(DataType type, Operands x) {
  if (x[1] == 0) return 0;
  if (!kSigned[type]) return x[0] % x[1];
  return from_signed(type, as_signed(type, x[0]) % as_signed(type, x[1]));
}
Bits eval_Negate(DataType type, Operands x) { return low(type, ~x[0] + 1); }

// Bits. A vector's are those of all its components. Shift amounts are u32 and masked to the width.

constexpr uint32_t shift_amount(DataType type, Bits amount) { return uint32_t(amount) & (width(type) - 1); }

Bits eval_BitAnd(DataType, Operands x) { return x[0] & x[1]; }
Bits eval_BitOr(DataType, Operands x) { return x[0] | x[1]; }
Bits eval_BitXor(DataType, Operands x) { return x[0] ^ x[1]; }
Bits eval_BitNot(DataType type, Operands x) { return low(type, ~x[0]); }
Bits eval_Shl(DataType type, Operands x) { return low(type, x[0] << shift_amount(type, x[1])); }
Bits eval_Shr(DataType type, Operands x) {
  const uint32_t amount = shift_amount(type, x[1]);
  return kSigned[type] ? from_signed(type, as_signed(type, x[0]) >> amount) : x[0] >> amount;
}
Bits eval_Popcount(DataType, Operands x) {
  return Bits(std::popcount(uint64_t(x[0])) + std::popcount(uint64_t(x[0] >> 64)));
}
Bits eval_Clz(DataType type, Operands x) {
  for (uint32_t zeros = 0; zeros < width(type); ++zeros) {
    if ((x[0] >> (width(type) - 1 - zeros) & 1) != 0) return zeros;
  }
  return width(type);
}
Bits eval_Ctz(DataType type, Operands x) {
  for (uint32_t zeros = 0; zeros < width(type); ++zeros) {
    if ((x[0] >> zeros & 1) != 0) return zeros;
  }
  return width(type);
}
Bits eval_ReverseBits(DataType type, Operands x) {
  Bits out = 0, left = x[0];
  for (uint32_t i = 0; i < width(type); ++i, left >>= 1) out = out << 1 | (left & 1);
  return out;
}

// Comparisons and truth: u32, 0 or 1.

bool less(DataType type, Bits a, Bits b) {
  return kSigned[type] ? as_signed(type, a) < as_signed(type, b) : a < b;
}

// Vectors are equal when all their components are, which is when all their bits are.
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

// Floats: the standard's, on patterns (num/float.h).

spec::FloatFormat format(DataType type) { return spec::float_format(type); }
uint32_t word(Bits x) { return uint32_t(x); }

Bits eval_FAdd(DataType type, Operands x) { return num::add(format(type), word(x[0]), word(x[1])); }
Bits eval_FSub(DataType type, Operands x) { return num::sub(format(type), word(x[0]), word(x[1])); }
Bits eval_FMul(DataType type, Operands x) { return num::mul(format(type), word(x[0]), word(x[1])); }
Bits eval_FDiv(DataType type, Operands x) { return num::div(format(type), word(x[0]), word(x[1])); }
Bits eval_FMin(DataType type, Operands x) { return num::min(format(type), word(x[0]), word(x[1])); }
Bits eval_FMax(DataType type, Operands x) { return num::max(format(type), word(x[0]), word(x[1])); }
Bits eval_FMulAdd(DataType type, Operands x) {
  return num::mul_add(format(type), word(x[0]), word(x[1]), word(x[2]));
}
Bits eval_FSqrt(DataType type, Operands x) { return num::sqrt(format(type), word(x[0])); }
Bits eval_FNeg(DataType type, Operands x) { return num::negate(format(type), word(x[0])); }
Bits eval_FAbs(DataType type, Operands x) { return num::abs(format(type), word(x[0])); }
Bits eval_FEq(DataType type, Operands x) { return num::equal(format(type), word(x[0]), word(x[1])) ? 1 : 0; }
Bits eval_FLt(DataType type, Operands x) { return num::less(format(type), word(x[0]), word(x[1])) ? 1 : 0; }
Bits eval_FGt(DataType type, Operands x) { return num::less(format(type), word(x[1]), word(x[0])) ? 1 : 0; }
Bits eval_FLe(DataType type, Operands x) {
  return num::less_equal(format(type), word(x[0]), word(x[1])) ? 1 : 0;
}
Bits eval_FGe(DataType type, Operands x) {
  return num::less_equal(format(type), word(x[1]), word(x[0])) ? 1 : 0;
}
Bits eval_FIsNaN(DataType type, Operands x) { return format(type).is_nan(word(x[0])) ? 1 : 0; }
Bits eval_FIsInf(DataType type, Operands x) { return format(type).is_infinite(word(x[0])) ? 1 : 0; }
template <uint32_t (*f)(spec::FloatFormat, uint32_t)>
Bits eval_function(DataType type, Operands x) {
  return f(format(type), word(x[0]));
}
template <uint32_t (*f)(spec::FloatFormat, uint32_t, uint32_t)>
Bits eval_function(DataType type, Operands x) {
  return f(format(type), word(x[0]), word(x[1]));
}
template <spec::RoundingMode mode>
Bits eval_rounding(DataType type, Operands x) {
  return num::round_to_integral(format(type), mode, word(x[0]));
}

constexpr bool is_evaluated(Op op) {
  return (spec::is_scalar(op) && !spec::is_approximate(op)) || op == Op::Select;
}

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
    {Op::FAdd, eval_FAdd},
    {Op::FSub, eval_FSub},
    {Op::FMul, eval_FMul},
    {Op::FDiv, eval_FDiv},
    {Op::FMulAdd, eval_FMulAdd},
    {Op::FSqrt, eval_FSqrt},
    {Op::FMin, eval_FMin},
    {Op::FMax, eval_FMax},
    {Op::FNeg, eval_FNeg},
    {Op::FAbs, eval_FAbs},
    {Op::FEq, eval_FEq},
    {Op::FLt, eval_FLt},
    {Op::FGt, eval_FGt},
    {Op::FLe, eval_FLe},
    {Op::FGe, eval_FGe},
    {Op::FIsNaN, eval_FIsNaN},
    {Op::FIsInf, eval_FIsInf},
    {Op::FFloor, eval_rounding<spec::RoundingMode::Floor>},
    {Op::FCeil, eval_rounding<spec::RoundingMode::Ceil>},
    {Op::FRound, eval_rounding<spec::RoundingMode::Nearest>},
    {Op::FTrunc, eval_rounding<spec::RoundingMode::Trunc>},
    {Op::FSin, eval_function<num::sin>},
    {Op::FCos, eval_function<num::cos>},
    {Op::FTan, eval_function<num::tan>},
    {Op::FASin, eval_function<num::asin>},
    {Op::FACos, eval_function<num::acos>},
    {Op::FATan, eval_function<num::atan>},
    {Op::FATan2, eval_function<num::atan2>},
    {Op::FExp, eval_function<num::exp>},
    {Op::FLog, eval_function<num::log>},
    {Op::FExp2, eval_function<num::exp2>},
    {Op::FLog2, eval_function<num::log2>},
    {Op::FExp10, eval_function<num::exp10>},
    {Op::FLog10, eval_function<num::log10>},
    {Op::FPow, eval_function<num::pow>},
};
constexpr TotalTable<kEvalRows, is_evaluated> kEval;

/// A row's function at u32: type and function are known, so that the compiler reduces 128 bits to a word.
template <size_t row>
uint32_t eval_words(const uint32_t* x) {
  std::array<Bits, *spec::operand_count(kEvalRows[row].key)> operands;
  std::copy_n(x, operands.size(), operands.begin());
  return uint32_t(kEvalRows[row].value(DataType::U32, operands));
}
/// The same over columns.
template <size_t row>
void eval_columns(const uint32_t* const* x, uint32_t* out, size_t n) {
  constexpr size_t kOperands = *spec::operand_count(kEvalRows[row].key);
  std::array<const uint32_t*, kOperands> columns;
  std::copy_n(x, kOperands, columns.begin());
  for (size_t i = 0; i < n; ++i) {
    std::array<uint32_t, kOperands> operands;
    for (size_t k = 0; k < kOperands; ++k) operands[k] = columns[k][i];
    VYRE_INLINED out[i] = eval_words<row>(operands.data());
  }
}
struct WordOperators {
  WordOperator one = nullptr;
  WordOperatorOnColumns columns = nullptr;
};
constexpr auto kWordOperators = []<size_t... row>(std::index_sequence<row...>) {
  std::array<WordOperators, spec::kOpCount> out{};
  const auto put = [&](Op op, WordOperators f) {
    if (spec::info(op).types.contains(DataType::U32)) out[size_t(op)] = f;
  };
  (put(kEvalRows[row].key, {eval_words<row>, eval_columns<row>}), ...);
  return out;
}(std::make_index_sequence<std::size(kEvalRows)>());

// Casts, by the type that is wanted: the value that was meant, reduced to that type's bits, or rounded to it.

Bits cast_to_integer(DataType from, DataType to, RoundingMode mode, Bits value) {
  if (spec::kFloats.contains(from)) {
    const auto f = format(from);
    return to == DataType::I32 ? num::to_i32(f, mode, word(value)) : num::to_u32(f, mode, word(value));
  }
  return kSigned[from] ? from_signed(to, as_signed(from, value)) : low(to, value);
}
Bits cast_to_truth(DataType, DataType, RoundingMode, Bits value) { return value != 0 ? 1 : 0; }
Bits cast_to_vector(DataType, DataType to, RoundingMode, Bits value) {
  Bits out = 0;
  for (uint32_t i = 0; i < spec::components(to); ++i) out |= value << (32 * i);
  return out;
}
Bits cast_to_float(DataType from, DataType to, RoundingMode, Bits value) {
  if (spec::kFloats.contains(from)) return num::convert(format(from), format(to), word(value));
  const bool negative = kSigned[from] && as_signed(from, value) < 0;
  const Bits magnitude = negative ? low(from, ~value + 1) : value;
  return num::from_integer(format(to), negative, uint64_t(magnitude));
}

using Cast = Bits (*)(DataType from, DataType to, RoundingMode, Bits);
constexpr Row<DataType, Cast> kCastRows[] = {
    {DataType::U32, cast_to_integer},    {DataType::I32, cast_to_integer},
    {DataType::U64, cast_to_integer},    {DataType::U128, cast_to_integer},
    {DataType::Bool, cast_to_truth},     {DataType::Vec2U32, cast_to_vector},
    {DataType::Vec4U32, cast_to_vector}, {DataType::F16, cast_to_float},
    {DataType::BF16, cast_to_float},     {DataType::F32, cast_to_float},
};
constexpr TotalTable<kCastRows, is_available_value> kCast;

// Reductions.

using Load = std::function<Bits(uint32_t)>;

/// An element as arithmetic gives it: a NaN is the one NaN.
Bits canonical(DataType type, Bits x) { return format(type).is_nan(word(x)) ? format(type).nan() : x; }
Bits fold_two(Op fold, DataType type, Bits a, Bits b) { return eval(fold, type, std::array{a, b}); }

Bits fold_left(Op fold, DataType type, uint32_t from, uint32_t to, const Load& load) {
  Bits sum = canonical(type, load(from));
  for (uint32_t i = from + 1; i < to; ++i) sum = fold_two(fold, type, sum, load(i));
  return sum;
}
/// Splits n elements after the largest power of two below n.
Bits fold_tree(Op fold, DataType type, uint32_t from, uint32_t to, const Load& load) {
  const uint32_t n = to - from;
  if (n == 1) return canonical(type, load(from));
  const uint32_t middle = from + std::bit_floor(n - 1);
  const Bits left = fold_tree(fold, type, from, middle, load);
  return fold_two(fold, type, left, fold_tree(fold, type, middle, to, load));
}

// Atomics: what is in memory afterwards. All of them are on u32, so minimum and maximum are unsigned.

using Atomic = Bits (*)(Bits before, Bits expected, Bits value);

Bits eval_AtomicAdd(Bits before, Bits, Bits value) { return low(DataType::U32, before + value); }
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

// Of an approximate function the correctly rounded value, one of those that are right.
Bits eval(Op op, DataType type, std::span<const Bits> operands) {
  return kEval[spec::strict_of(op)](type, operands);
}

WordOperator word_operator(Op op) { return kWordOperators[size_t(op)].one; }
WordOperatorOnColumns word_operator_on_columns(Op op) { return kWordOperators[size_t(op)].columns; }

Bits eval_make(std::span<const Bits> components) {
  Bits out = 0;
  for (size_t i = 0; i < components.size(); ++i) out |= components[i] << (32 * i);
  return out;
}

Bits eval_component(Bits vector, uint32_t component) { return uint32_t(vector >> (32 * component)); }

Bits eval_bitcast(DataType, DataType to, Bits value) { return low(to, value); }

Bits eval_cast(DataType from, DataType to, RoundingMode mode, Bits value) {
  if (from == to) return value;
  return kCast[to](from, to, mode, value);
}

Bits eval_reduction(Op op, Op fold, DataType type, uint32_t from, uint32_t to, const Load& load) {
  if (from == to) return spec::fold_identity(fold, type);
  // Of those in any order one of the right ones: the nearest. The least and the greatest are the same in all.
  if (op == Op::FReduceApprox && to - from > 1 && (fold == Op::FAdd || fold == Op::FMul)) {
    const auto element = [&](uint32_t k) { return word(load(from + k)); };
    return fold == Op::FAdd ? num::multiprecision::sum(format(type), to - from, element)
                            : num::multiprecision::product(format(type), to - from, element);
  }
  return op == Op::FReduceStrict ? fold_left(fold, type, from, to, load)
                                 : fold_tree(fold, type, from, to, load);
}

Bits eval_atomic(Op op, Bits before, Bits expected, Bits value) {
  return kAtomic[op](before, expected, value);
}

}  // namespace vyre::ref
