#include "lower/operators.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "num/float.h"
#include "num/functions.h"
#include "spec/ops.h"

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

// The operators on unsigned integers of n words, written for any n. x: the operands; of shifts, the amount is
// a word.
using WideApply = Bits (*)(uint32_t n, const Bits* x);

Bits of(Word w) { return {w, 0, 0, 0}; }
Word word_of(const Bits& a, uint32_t bit) { return a[bit / 32] >> (bit % 32) & 1; }
bool is_zero(const Bits& a) { return (a[0] | a[1] | a[2] | a[3]) == 0; }

Bits complement(uint32_t n, const Bits& a) {
  Bits out{};
  for (uint32_t i = 0; i < n; ++i) out[i] = ~a[i];
  return out;
}
Bits sum(uint32_t n, const Bits& a, const Bits& b, Word carry_in) {
  Bits out{};
  uint64_t carry = carry_in;
  for (uint32_t i = 0; i < n; ++i, carry >>= 32) {
    carry += uint64_t(a[i]) + b[i];
    out[i] = Word(carry);
  }
  return out;
}
Bits difference(uint32_t n, const Bits& a, const Bits& b) { return sum(n, a, complement(n, b), 1); }
Bits product(uint32_t n, const Bits* x) {
  Bits out{};
  for (uint32_t i = 0; i < n; ++i) {
    uint64_t carry = 0;
    for (uint32_t j = 0; i + j < n; ++j, carry >>= 32) {
      carry += uint64_t(x[0][i]) * x[1][j] + out[i + j];
      out[i + j] = Word(carry);
    }
  }
  return out;
}
/// -1, 0 or 1 as a is below, equal to or above b.
int order(const Bits& a, const Bits& b) {
  for (uint32_t i = 4; i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}
/// By bits: moved by `by`, towards the high end where it is positive; what is not there is zero.
Bits moved(uint32_t n, const Bits& a, int by) {
  Bits out{};
  for (int to = 0; to < int(32 * n); ++to) {
    const int from = to - by;
    if (from >= 0 && from < int(32 * n)) out[uint32_t(to) / 32] |= word_of(a, uint32_t(from)) << (to % 32);
  }
  return out;
}
struct Quotient {
  Bits quotient, remainder;
};
/// Half a word at a time would be faster; a bit at a time is plain to see. The remainder may be a bit longer
/// than n words.
Quotient divided(uint32_t n, const Bits& a, const Bits& b) {
  if (is_zero(b)) return {};
  Quotient out{};
  for (uint32_t bit = 32 * n; bit-- > 0;) {
    const Word lost = word_of(out.remainder, 32 * n - 1);
    out.remainder = sum(n, out.remainder, out.remainder, word_of(a, bit));
    if (lost == 0 && order(out.remainder, b) < 0) continue;
    out.remainder = difference(n, out.remainder, b);
    out.quotient[bit / 32] |= 1u << (bit % 32);
  }
  return out;
}
Word ones(uint32_t n, const Bits& a) {
  Word count = 0;
  for (uint32_t bit = 0; bit < 32 * n; ++bit) count += word_of(a, bit);
  return count;
}
Word zeros_above(uint32_t n, const Bits& a) {
  Word count = 0;
  while (count < 32 * n && word_of(a, 32 * n - 1 - count) == 0) ++count;
  return count;
}
Word zeros_below(uint32_t n, const Bits& a) {
  Word count = 0;
  while (count < 32 * n && word_of(a, count) == 0) ++count;
  return count;
}
Bits mirrored(uint32_t n, const Bits& a) {
  Bits out{};
  for (uint32_t i = 0; i < n; ++i) out[n - 1 - i] = reversed(a[i]);
  return out;
}
template <Word (*f)(Word, Word)>
Bits by_word(uint32_t n, const Bits* x) {
  Bits out{};
  for (uint32_t i = 0; i < n; ++i) out[i] = f(x[0][i], x[1][i]);
  return out;
}

// Floats: the oracle's arithmetic on patterns.
using Format = spec::FloatFormat;
using FloatApply = Word (*)(Format f, const Word* x);
template <Word (*f)(Format, Word)>
Word float1(Format format, const Word* x) {
  return f(format, x[0]);
}
template <Word (*f)(Format, Word, Word)>
Word float2(Format format, const Word* x) {
  return f(format, x[0], x[1]);
}
template <bool (*f)(Format, Word, Word)>
Word ordered(Format format, const Word* x) {
  return f(format, x[0], x[1]) ? 1 : 0;
}
template <bool (*f)(Format, Word, Word)>
Word ordered_backwards(Format format, const Word* x) {
  return f(format, x[1], x[0]) ? 1 : 0;
}
template <spec::RoundingMode mode>
Word integral(Format format, const Word* x) {
  return num::round_to_integral(format, mode, x[0]);
}

/// One function for each kind of type that the operator takes. Vectors: each component as a u32, or all of
/// them at once.
enum class OnVectors : uint8_t { None, Each, AtOnce };
struct Meaning {
  Apply u32 = nullptr, i32 = nullptr, boolean = nullptr;
  WideApply wide = nullptr;  // u64, u128
  OnVectors vectors = OnVectors::None;
  FloatApply floating = nullptr;
};
constexpr Meaning integers(Apply both, WideApply wide) { return {.u32 = both, .i32 = both, .wide = wide}; }
constexpr Meaning integers(Apply u32, Apply i32, WideApply wide) {
  return {.u32 = u32, .i32 = i32, .wide = wide};
}
constexpr Meaning and_vectors(Apply f, WideApply wide) {
  return {.u32 = f, .i32 = f, .wide = wide, .vectors = OnVectors::Each};
}
constexpr Meaning equality(Apply f, WideApply wide) {
  return {.u32 = f, .i32 = f, .boolean = f, .wide = wide, .vectors = OnVectors::AtOnce};
}
constexpr Meaning and_truth(Apply f, WideApply wide) {
  return {.u32 = f, .i32 = f, .boolean = f, .wide = wide};
}

constexpr Meaning floats(FloatApply f) { return {.floating = f}; }

constexpr spec::Row<Op, Meaning> kSemanticRows[] = {
    {Op::Add, and_vectors([](const Word* x) { return x[0] + x[1]; },
                          [](uint32_t n, const Bits* x) { return sum(n, x[0], x[1], 0); })},
    {Op::Sub, and_vectors([](const Word* x) { return x[0] - x[1]; },
                          [](uint32_t n, const Bits* x) { return difference(n, x[0], x[1]); })},
    {Op::Mul, and_vectors([](const Word* x) { return Word(uint64_t(x[0]) * x[1]); }, product)},
    {Op::Div, integers(quotient_u, quotient_s,
                       [](uint32_t n, const Bits* x) { return divided(n, x[0], x[1]).quotient; })},
    {Op::Mod, integers(remainder_u, remainder_s,
                       [](uint32_t n, const Bits* x) { return divided(n, x[0], x[1]).remainder; })},
    {Op::BitAnd,
     and_vectors([](const Word* x) { return x[0] & x[1]; }, by_word<[](Word a, Word b) { return a & b; }>)},
    {Op::BitOr,
     and_vectors([](const Word* x) { return x[0] | x[1]; }, by_word<[](Word a, Word b) { return a | b; }>)},
    {Op::BitXor,
     and_vectors([](const Word* x) { return x[0] ^ x[1]; }, by_word<[](Word a, Word b) { return a ^ b; }>)},
    {Op::Shl, integers([](const Word* x) { return x[0] << (x[1] % 32); },
                       [](uint32_t n, const Bits* x) { return moved(n, x[0], int(x[1][0] % (32 * n))); })},
    {Op::Shr, integers([](const Word* x) { return x[0] >> (x[1] % 32); }, shift_right_s,
                       [](uint32_t n, const Bits* x) { return moved(n, x[0], -int(x[1][0] % (32 * n))); })},
    {Op::Eq, equality([](const Word* x) { return Word(x[0] == x[1]); },
                      [](uint32_t, const Bits* x) { return of(x[0] == x[1]); })},
    {Op::Ne, equality([](const Word* x) { return Word(x[0] != x[1]); },
                      [](uint32_t, const Bits* x) { return of(x[0] != x[1]); })},
    {Op::Lt, integers([](const Word* x) { return Word(x[0] < x[1]); },
                      [](const Word* x) { return Word(wide(x[0]) < wide(x[1])); },
                      [](uint32_t, const Bits* x) { return of(order(x[0], x[1]) < 0); })},
    {Op::Gt, integers([](const Word* x) { return Word(x[0] > x[1]); },
                      [](const Word* x) { return Word(wide(x[0]) > wide(x[1])); },
                      [](uint32_t, const Bits* x) { return of(order(x[0], x[1]) > 0); })},
    {Op::Le, integers([](const Word* x) { return Word(x[0] <= x[1]); },
                      [](const Word* x) { return Word(wide(x[0]) <= wide(x[1])); },
                      [](uint32_t, const Bits* x) { return of(order(x[0], x[1]) <= 0); })},
    {Op::Ge, integers([](const Word* x) { return Word(x[0] >= x[1]); },
                      [](const Word* x) { return Word(wide(x[0]) >= wide(x[1])); },
                      [](uint32_t, const Bits* x) { return of(order(x[0], x[1]) >= 0); })},
    {Op::And, and_truth([](const Word* x) { return Word(x[0] != 0 && x[1] != 0); },
                        [](uint32_t, const Bits* x) { return of(!is_zero(x[0]) && !is_zero(x[1])); })},
    {Op::Or, and_truth([](const Word* x) { return Word(x[0] != 0 || x[1] != 0); },
                       [](uint32_t, const Bits* x) { return of(!is_zero(x[0]) || !is_zero(x[1])); })},
    {Op::Negate, integers([](const Word* x) { return ~x[0] + 1; },
                          [](uint32_t n, const Bits* x) { return difference(n, {}, x[0]); })},
    {Op::BitNot, and_vectors([](const Word* x) { return ~x[0]; },
                             [](uint32_t n, const Bits* x) { return complement(n, x[0]); })},
    {Op::LogicalNot, and_truth([](const Word* x) { return Word(x[0] == 0); },
                               [](uint32_t, const Bits* x) { return of(is_zero(x[0])); })},
    {Op::Popcount, integers([](const Word* x) { return Word(std::popcount(x[0])); },
                            [](uint32_t n, const Bits* x) { return of(ones(n, x[0])); })},
    {Op::Clz, integers([](const Word* x) { return Word(std::countl_zero(x[0])); },
                       [](uint32_t n, const Bits* x) { return of(zeros_above(n, x[0])); })},
    {Op::Ctz, integers([](const Word* x) { return Word(std::countr_zero(x[0])); },
                       [](uint32_t n, const Bits* x) { return of(zeros_below(n, x[0])); })},
    {Op::ReverseBits, integers([](const Word* x) { return reversed(x[0]); },
                               [](uint32_t n, const Bits* x) { return mirrored(n, x[0]); })},
    {Op::FAdd, floats(float2<num::add>)},
    {Op::FSub, floats(float2<num::sub>)},
    {Op::FMul, floats(float2<num::mul>)},
    {Op::FDiv, floats(float2<num::div>)},
    {Op::FMin, floats(float2<num::min>)},
    {Op::FMax, floats(float2<num::max>)},
    {Op::FMulAdd, floats([](Format f, const Word* x) { return num::mul_add(f, x[0], x[1], x[2]); })},
    {Op::FSqrt, floats(float1<num::sqrt>)},
    {Op::FNeg, floats(float1<num::negate>)},
    {Op::FAbs, floats(float1<num::abs>)},
    {Op::FEq, floats(ordered<num::equal>)},
    {Op::FLt, floats(ordered<num::less>)},
    {Op::FGt, floats(ordered_backwards<num::less>)},
    {Op::FLe, floats(ordered<num::less_equal>)},
    {Op::FGe, floats(ordered_backwards<num::less_equal>)},
    {Op::FIsNaN, floats([](Format f, const Word* x) { return Word(f.is_nan(x[0])); })},
    {Op::FIsInf, floats([](Format f, const Word* x) { return Word(f.is_infinite(x[0])); })},
    {Op::FFloor, floats(integral<spec::RoundingMode::Floor>)},
    {Op::FCeil, floats(integral<spec::RoundingMode::Ceil>)},
    {Op::FRound, floats(integral<spec::RoundingMode::Nearest>)},
    {Op::FTrunc, floats(integral<spec::RoundingMode::Trunc>)},
    {Op::FSin, floats(float1<num::sin>)},
    {Op::FCos, floats(float1<num::cos>)},
    {Op::FTan, floats(float1<num::tan>)},
    {Op::FASin, floats(float1<num::asin>)},
    {Op::FACos, floats(float1<num::acos>)},
    {Op::FATan, floats(float1<num::atan>)},
    {Op::FATan2, floats(float2<num::atan2>)},
    {Op::FExp, floats(float1<num::exp>)},
    {Op::FLog, floats(float1<num::log>)},
    {Op::FExp2, floats(float1<num::exp2>)},
    {Op::FLog2, floats(float1<num::log2>)},
    {Op::FExp10, floats(float1<num::exp10>)},
    {Op::FLog10, floats(float1<num::log10>)},
    {Op::FPow, floats(float2<num::pow>)},
};
constexpr bool is_meant_exactly(Op op) { return spec::is_scalar(op) && !spec::is_approximate(op); }
constexpr spec::TotalTable<kSemanticRows, is_meant_exactly> kSemantic;

/// The table has a function for exactly those types that the ledger says the operator takes.
consteval bool meanings_match_the_ledger() {
  for (const auto& row : kSemanticRows) {
    const spec::TypeSet types = spec::info(row.key).types;
    if ((row.value.u32 != nullptr) != types.contains(DataType::U32)) return false;
    if ((row.value.i32 != nullptr) != types.contains(DataType::I32)) return false;
    if ((row.value.boolean != nullptr) != types.contains(DataType::Bool)) return false;
    if ((row.value.wide != nullptr) != types.contains(DataType::U64)) return false;
    if (types.contains(DataType::U64) != types.contains(DataType::U128)) return false;
    if ((row.value.vectors != OnVectors::None) != types.contains(DataType::Vec2U32)) return false;
    if (types.contains(DataType::Vec2U32) != types.contains(DataType::Vec4U32)) return false;
    for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32}) {
      if ((row.value.floating != nullptr) != types.contains(type)) return false;
    }
  }
  return true;
}
static_assert(meanings_match_the_ledger(),
              "an operator has a meaning for a type it does not take, or lacks one");

Bits on_words(Apply f, uint32_t words, uint32_t operands, const Bits* x) {
  Bits out{};
  for (uint32_t i = 0; i < words; ++i) {
    Word at[2] = {};
    for (uint32_t k = 0; k < operands; ++k) at[k] = x[k][i];
    out[i] = f(at);
  }
  return out;
}

Bits scalar_float(const Inst& apply, const Meaning& meaning, const Bits* x) {
  Word operands[3] = {};
  for (uint32_t k = 0; k < apply.args.count; ++k) operands[k] = x[k][0];
  return of(meaning.floating(spec::float_format(apply.operand_type), operands));
}

Bits scalar(const Inst& apply, const Bits* x) {
  const Meaning& meaning = kSemantic[spec::strict_of(apply.op)];  // one of the results that are right
  const uint32_t n = spec::value_words(apply.operand_type);
  switch (apply.operand_type) {
    case DataType::U32: return on_words(meaning.u32, 1, apply.args.count, x);
    case DataType::I32: return on_words(meaning.i32, 1, apply.args.count, x);
    case DataType::Bool: return on_words(meaning.boolean, 1, apply.args.count, x);
    case DataType::U64:
    case DataType::U128: return meaning.wide(n, x);
    case DataType::Vec2U32:
    case DataType::Vec4U32:
      if (meaning.vectors == OnVectors::AtOnce) return meaning.wide(n, x);
      return on_words(meaning.u32, n, apply.args.count, x);
    case DataType::F16:
    case DataType::BF16:
    case DataType::F32: return scalar_float(apply, meaning, x);
    case DataType::Bytes:
    case DataType::Tensor: break;  // no values
  }
  return {};
}

Bits cast_of_float(DataType from, DataType to, spec::RoundingMode mode, Word a) {
  const Format f = spec::float_format(from);
  if (to == DataType::U32) return of(num::to_u32(f, mode, a));
  if (to == DataType::I32) return of(num::to_i32(f, mode, a));
  return of(num::convert(f, spec::float_format(to), a));
}
Bits cast_to_float(DataType from, DataType to, const Bits& a) {
  const bool negative = from == DataType::I32 && (a[0] >> 31) != 0;
  const uint64_t magnitude = negative ? ~a[0] + 1 : uint64_t(a[1]) << 32 | a[0];
  return of(num::from_integer(spec::float_format(to), negative, magnitude));
}
Bits cast(DataType from, DataType to, spec::RoundingMode mode, const Bits& a) {
  if (from == to) return a;
  if (spec::kFloats.contains(from)) return cast_of_float(from, to, mode, a[0]);
  if (spec::kFloats.contains(to)) return cast_to_float(from, to, a);
  if (to == DataType::Bool) return of(!is_zero(a));
  const bool fills = from == DataType::I32 && (a[0] >> 31) != 0;  // with its sign
  Bits out{};
  for (uint32_t i = 0; i < spec::value_words(to); ++i) {
    const Word beyond = spec::kVectors.contains(to) ? a[0] : fills ? ~0u : 0;
    out[i] = i < spec::value_words(from) ? a[i] : beyond;
  }
  return out;
}
Bits bitcast(DataType to, Bits a) {
  if (spec::value_bits(to) == 16) a[0] %= 0x10000;
  return a;
}

// f64, which num/ does not have: the host's own, uncontracted (cmake/ says so), one rounding an operator.
double wide_sum(const Word* x) {
  const auto real = [](Word w) { return double(std::bit_cast<float>(w)); };
  return real(x[0]) * real(x[1]) + real(x[2]);
}

// Rounded in f64 twice and then to f32: the nearest number, or as near as it but for 2^-28 of a unit.
Word inverse_root(Word a) {
  return std::bit_cast<Word>(float(1 / std::sqrt(double(std::bit_cast<float>(a)))));
}

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
bool half(const Word* x) { return x[0] <= 0xffff; }
// Of f32: 4f000000 is 2^31, cf000000 is -2^31, 4f800000 is 2^32, bf800000 is -1.
bool fits_s32(const Word* x) { return (x[0] & 0x7fffffff) < 0x4f000000 || x[0] == 0xcf000000; }
bool fits_u32(const Word* x) { return x[0] < 0x4f800000 || (x[0] >= 0x80000000 && x[0] < 0xbf800000); }

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
    {RawOp::FAdd, {always, [](const Word* x) { return num::add(spec::kBinary32, x[0], x[1]); }}},
    {RawOp::FSub, {always, [](const Word* x) { return num::sub(spec::kBinary32, x[0], x[1]); }}},
    {RawOp::FMul, {always, [](const Word* x) { return num::mul(spec::kBinary32, x[0], x[1]); }}},
    {RawOp::FDiv, {always, [](const Word* x) { return num::div(spec::kBinary32, x[0], x[1]); }}},
    {RawOp::FMulAdd, {always, [](const Word* x) { return num::mul_add(spec::kBinary32, x[0], x[1], x[2]); }}},
    {RawOp::FSqrt, {always, [](const Word* x) { return num::sqrt(spec::kBinary32, x[0]); }}},
    {RawOp::FInverseSqrt, {always, [](const Word* x) { return inverse_root(x[0]); }}},
    {RawOp::FFloor,
     {always,
      [](const Word* x) {
        return num::round_to_integral(spec::kBinary32, spec::RoundingMode::Floor, x[0]);
      }}},
    {RawOp::FCeil,
     {always,
      [](const Word* x) { return num::round_to_integral(spec::kBinary32, spec::RoundingMode::Ceil, x[0]); }}},
    {RawOp::FRound,
     {always,
      [](const Word* x) {
        return num::round_to_integral(spec::kBinary32, spec::RoundingMode::Nearest, x[0]);
      }}},
    {RawOp::FTrunc,
     {always,
      [](const Word* x) {
        return num::round_to_integral(spec::kBinary32, spec::RoundingMode::Trunc, x[0]);
      }}},
    {RawOp::FEq, {always, [](const Word* x) { return Word(num::equal(spec::kBinary32, x[0], x[1])); }}},
    {RawOp::FLt, {always, [](const Word* x) { return Word(num::less(spec::kBinary32, x[0], x[1])); }}},
    {RawOp::FLe, {always, [](const Word* x) { return Word(num::less_equal(spec::kBinary32, x[0], x[1])); }}},
    {RawOp::FFromS32,
     {always,
      [](const Word* x) {
        const bool negative = (x[0] >> 31) != 0;
        return num::from_integer(spec::kBinary32, negative, negative ? ~x[0] + 1 : x[0]);
      }}},
    {RawOp::FFromU32,
     {always, [](const Word* x) { return num::from_integer(spec::kBinary32, false, x[0]); }}},
    {RawOp::FToS32,
     {fits_s32, [](const Word* x) { return num::to_i32(spec::kBinary32, spec::RoundingMode::Trunc, x[0]); }}},
    {RawOp::FToU32,
     {fits_u32, [](const Word* x) { return num::to_u32(spec::kBinary32, spec::RoundingMode::Trunc, x[0]); }}},
    {RawOp::FFromF16,
     {half, [](const Word* x) { return num::convert(spec::kBinary16, spec::kBinary32, x[0]); }}},
    {RawOp::FToF16,
     {always, [](const Word* x) { return num::convert(spec::kBinary32, spec::kBinary16, x[0]); }}},
    {RawOp::FWideMulAdd, {always, [](const Word* x) { return std::bit_cast<Word>(float(wide_sum(x))); }}},
    {RawOp::FWideLow, {always, [](const Word* x) { return Word(std::bit_cast<uint64_t>(wide_sum(x))); }}},
};
constexpr spec::TotalTable<kRawRows, [](RawOp op) { return !is_wide(op); }> kRaw;

double real(uint64_t pattern) { return std::bit_cast<double>(pattern); }
uint64_t pattern(double real) { return std::bit_cast<uint64_t>(real); }
constexpr spec::Row<RawOp, uint64_t (*)(const uint64_t* x)> kWideRows[] = {
    {RawOp::WideOf, [](const uint64_t* x) { return x[0] | x[1] << 32; }},
    {RawOp::WideLow, [](const uint64_t* x) { return x[0] & UINT32_MAX; }},
    {RawOp::WideHigh, [](const uint64_t* x) { return x[0] >> 32; }},
    {RawOp::WideSelect, [](const uint64_t* x) { return x[0] == 1 ? x[1] : x[2]; }},
    {RawOp::WideFrom, [](const uint64_t* x) { return pattern(double(std::bit_cast<float>(Word(x[0])))); }},
    {RawOp::WideTo, [](const uint64_t* x) { return uint64_t{std::bit_cast<Word>(float(real(x[0])))}; }},
    {RawOp::WideAdd, [](const uint64_t* x) { return pattern(real(x[0]) + real(x[1])); }},
    {RawOp::WideSub, [](const uint64_t* x) { return pattern(real(x[0]) - real(x[1])); }},
    {RawOp::WideMul, [](const uint64_t* x) { return pattern(real(x[0]) * real(x[1])); }},
    {RawOp::WideMulAdd,
     [](const uint64_t* x) { return pattern(std::fma(real(x[0]), real(x[1]), real(x[2]))); }},
    {RawOp::WideDiv, [](const uint64_t* x) { return pattern(real(x[0]) / real(x[1])); }},
    {RawOp::WideSqrt, [](const uint64_t* x) { return pattern(std::sqrt(real(x[0]))); }},
};
constexpr spec::TotalTable<kWideRows, [](RawOp op) { return is_wide(op); }> kWide;

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

Bits apply_semantic(const Inst& apply, const Bits* x) {
  switch (spec::info(apply.op).signature) {
    case spec::Signature::T_T:
    case spec::Signature::TT_T:
    case spec::Signature::TTT_T:
    case spec::Signature::TU_T:
    case spec::Signature::T_U:
    case spec::Signature::TT_U:
    case spec::Signature::T_B: return scalar(apply, x);
    case spec::Signature::CTT_T: return x[0][0] != 0 ? x[1] : x[2];
    case spec::Signature::Cast: return cast(apply.operand_type, apply.type, apply.mode, x[0]);
    case spec::Signature::Bitcast: return bitcast(apply.type, x[0]);
    case spec::Signature::UU_V: return {x[0][0], x[1][0], 0, 0};
    case spec::Signature::UUUU_V: return {x[0][0], x[1][0], x[2][0], x[3][0]};
    case spec::Signature::V_U: return of(x[0][apply.imm]);
    case spec::Signature::Reduce:
    case spec::Signature::Call:
    case spec::Signature::A_T:
    case spec::Signature::AA_T: break;  // build() makes no Apply of these
  }
  return {};
}

bool in_domain(RawOp op, const Word* operands) { return kRaw[op].in_domain(operands); }

Word apply_raw(RawOp op, const Word* operands) { return kRaw[op].apply(operands); }

uint64_t apply_wide(RawOp op, const uint64_t* operands) { return kWide[op](operands); }

Word apply_atomic(Op op, Word before, Word expected, Word value) {
  return kAtomic[op]({.before = before, .expected = expected, .value = value});
}

}  // namespace vyre::lower
