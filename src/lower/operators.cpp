#include "lower/operators.h"

#include <array>
#include <bit>
#include <cmath>

#include "num/float.h"
#include "ref/eval.h"
#include "spec/ops.h"

namespace vyre::lower {
namespace {

using spec::Op;

using Apply = Word (*)(const Word* x);

ref::Bits pack(const Bits& words) { return std::bit_cast<ref::Bits>(words); }
Bits unpack(ref::Bits value) { return std::bit_cast<Bits>(value); }
static_assert(std::endian::native == std::endian::little);

Word reversed(Word w) {
  Word out = 0;
  for (int i = 0; i < 32; ++i) out |= (w >> i & 1) << (31 - i);
  return out;
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

template <spec::RoundingMode kMode>
Word rounded(const Word* x) {
  return num::round_to_integral(spec::kBinary32, kMode, x[0]);
}

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
    {RawOp::FFloor, {always, rounded<spec::RoundingMode::Floor>}},
    {RawOp::FCeil, {always, rounded<spec::RoundingMode::Ceil>}},
    {RawOp::FRound, {always, rounded<spec::RoundingMode::Nearest>}},
    {RawOp::FTrunc, {always, rounded<spec::RoundingMode::Trunc>}},
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
    {RawOp::FFromBF16,
     {half, [](const Word* x) { return num::convert(spec::kBFloat16, spec::kBinary32, x[0]); }}},
    {RawOp::FToBF16,
     {always, [](const Word* x) { return num::convert(spec::kBinary32, spec::kBFloat16, x[0]); }}},
    {RawOp::FWideMulAdd, {always, [](const Word* x) { return std::bit_cast<Word>(float(wide_sum(x))); }}},
    {RawOp::FWideLow, {always, [](const Word* x) { return Word(std::bit_cast<uint64_t>(wide_sum(x))); }}},
};
constexpr spec::TotalTable<kRawRows, is_of_words> kRaw;

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
constexpr spec::TotalTable<kWideRows, is_wide> kWide;

struct PartialLong {
  bool (*in_domain)(const uint64_t* x);
  uint64_t (*apply)(const uint64_t* x);
};
bool always_long(const uint64_t*) { return true; }
bool divisible_long(const uint64_t* x) { return x[1] != 0; }
bool shiftable_long(const uint64_t* x) { return x[1] < 64; }
bool countable_long(const uint64_t* x) { return x[0] != 0; }
bool decided_long(const uint64_t* x) { return x[0] <= 1; }
constexpr spec::Row<RawOp, PartialLong> kLongRows[] = {
    {RawOp::LongOf, {always_long, [](const uint64_t* x) { return x[0] | x[1] << 32; }}},
    {RawOp::LongLow, {always_long, [](const uint64_t* x) { return x[0] & UINT32_MAX; }}},
    {RawOp::LongHigh, {always_long, [](const uint64_t* x) { return x[0] >> 32; }}},
    {RawOp::LongSelect, {decided_long, [](const uint64_t* x) { return x[0] == 1 ? x[1] : x[2]; }}},
    {RawOp::LongAdd, {always_long, [](const uint64_t* x) { return x[0] + x[1]; }}},
    {RawOp::LongSub, {always_long, [](const uint64_t* x) { return x[0] - x[1]; }}},
    {RawOp::LongMul, {always_long, [](const uint64_t* x) { return x[0] * x[1]; }}},
    {RawOp::LongUMulHi,
     {always_long,
      [](const uint64_t* x) {
        __extension__ using Product = unsigned __int128;
        return uint64_t(Product(x[0]) * x[1] >> 64);
      }}},
    {RawOp::LongUDiv, {divisible_long, [](const uint64_t* x) { return x[0] / x[1]; }}},
    {RawOp::LongURem, {divisible_long, [](const uint64_t* x) { return x[0] % x[1]; }}},
    {RawOp::LongAnd, {always_long, [](const uint64_t* x) { return x[0] & x[1]; }}},
    {RawOp::LongOr, {always_long, [](const uint64_t* x) { return x[0] | x[1]; }}},
    {RawOp::LongXor, {always_long, [](const uint64_t* x) { return x[0] ^ x[1]; }}},
    {RawOp::LongShl, {shiftable_long, [](const uint64_t* x) { return x[0] << x[1]; }}},
    {RawOp::LongLShr, {shiftable_long, [](const uint64_t* x) { return x[0] >> x[1]; }}},
    {RawOp::LongPopcount, {always_long, [](const uint64_t* x) { return uint64_t(std::popcount(x[0])); }}},
    {RawOp::LongClz, {countable_long, [](const uint64_t* x) { return uint64_t(std::countl_zero(x[0])); }}},
    {RawOp::LongCtz, {countable_long, [](const uint64_t* x) { return uint64_t(std::countr_zero(x[0])); }}},
    {RawOp::LongEq, {always_long, [](const uint64_t* x) { return uint64_t{x[0] == x[1]}; }}},
    {RawOp::LongNe, {always_long, [](const uint64_t* x) { return uint64_t{x[0] != x[1]}; }}},
    {RawOp::LongULt, {always_long, [](const uint64_t* x) { return uint64_t{x[0] < x[1]}; }}},
    {RawOp::LongULe, {always_long, [](const uint64_t* x) { return uint64_t{x[0] <= x[1]}; }}},
};
constexpr spec::TotalTable<kLongRows, is_long> kLong;

}  // namespace

Bits apply_semantic(const Inst& apply, const Bits* words) {
  std::array<ref::Bits, 4> x{};
  for (uint32_t n = 0; n < apply.args.count; ++n) x[n] = pack(words[n]);
  const std::span<const ref::Bits> operands(x.data(), apply.args.count);
  switch (spec::form_of(apply.op)) {
    case spec::Form::Scalar:
    case spec::Form::Select: return unpack(ref::eval(apply.op, apply.operand_type, operands));
    case spec::Form::Cast: return unpack(ref::eval_cast(apply.operand_type, apply.type, apply.mode, x[0]));
    case spec::Form::Bitcast: return unpack(ref::eval_bitcast(apply.operand_type, apply.type, x[0]));
    case spec::Form::MakeVector: return unpack(ref::eval_make(operands));
    case spec::Form::Component: return unpack(ref::eval_component(x[0], apply.imm));
    case spec::Form::Reduce:
    case spec::Form::Call:
    case spec::Form::Atomic: break;  // build() makes no Apply of these
  }
  return {};
}

bool in_domain(RawOp op, const Word* operands) { return kRaw[op].in_domain(operands); }

Word apply_raw(RawOp op, const Word* operands) { return kRaw[op].apply(operands); }

RawFunctions functions_of(RawOp op) {
  const Partial& partial = kRaw[op];
  return {partial.in_domain == always ? nullptr : partial.in_domain, partial.apply};
}

uint64_t apply_wide(RawOp op, const uint64_t* operands) { return kWide[op](operands); }

bool in_long_domain(RawOp op, const uint64_t* operands) { return kLong[op].in_domain(operands); }
uint64_t apply_long(RawOp op, const uint64_t* operands) { return kLong[op].apply(operands); }

Word apply_atomic(Op op, Word before, Word expected, Word value) {
  return Word(ref::eval_atomic(op, before, expected, value));
}

}  // namespace vyre::lower
