#include "float_functions.h"

#include <fmt/format.h>

#include "ir/builder.h"
#include "spec/float_format.h"
#include "spec/ops.h"

namespace vyre::faults {
namespace {

using ir::Ex;
using spec::DataType;
using spec::Op;

// --- What the faulty functions are made of

/// A function under construction: x are its parameters, first those of the inner operator where there is one.
struct Body {
  ir::FunctionBuilder& f;
  std::vector<Ex> x;
  const std::vector<DataType>& types;
  DataType result;

  DataType type() const { return types[0]; }
  spec::FloatFormat format(DataType t) const { return spec::float_format(t); }
  Ex number(DataType t, uint32_t bits) const { return f.literal(t, bits); }
  Ex zero(DataType t) const { return number(t, 0); }
  Ex bits(Ex value) const { return f.bitcast(DataType::U32, value); }
  Ex from_bits(DataType t, Ex word) const { return f.bitcast(t, word); }
  Ex apply(Op op, std::initializer_list<Ex> operands) const { return f.apply(op, operands); }
  Ex truth(Op test, Ex value) const { return f.apply(test, {value}) != 0; }
  Ex is_nan(Ex value) const { return truth(Op::FIsNaN, value); }
  Ex wide(Ex value) const { return f.cast(DataType::F32, value); }

  /// The bits but the sign.
  Ex size(DataType t, Ex value) const { return bits(value) & ~format(t).sign_bit(); }
  Ex is_subnormal(DataType t, Ex value) const { return size(t, value) - 1 < format(t).least_normal() - 1; }
  /// A zero of the same sign for a subnormal. Domain: a variable.
  Ex flushed(DataType t, Ex value) const {
    return f.select(is_subnormal(t, value), from_bits(t, bits(value) & format(t).sign_bit()), value);
  }
  /// The operator as it should be.
  Ex right(Op op) const { return f.apply(op, x); }
  Ex let(Ex value) const { return f.let("value", value); }
};

using Make = Ex (*)(const Body&);

/// A part of a 32-bit pattern with `magnitude` and the sign of `of`.
Ex with_sign(const Body& b, uint32_t magnitude, Ex of) {
  return b.from_bits(DataType::F32, (b.bits(of) & 0x80000000) | magnitude);
}

// --- Subnormals

Ex flushed_operand(const Body& b) {
  return b.apply(Op::FAdd, {b.flushed(b.type(), b.x[0]), b.flushed(b.type(), b.x[1])});
}
Ex flushed_product(const Body& b) { return b.flushed(b.type(), b.let(b.right(Op::FMul))); }
Ex flushed_difference(const Body& b) { return b.flushed(b.type(), b.let(b.right(Op::FSub))); }
Ex flushed_addend(const Body& b) {
  return b.apply(Op::FMulAdd, {b.x[0], b.x[1], b.flushed(b.type(), b.x[2])});
}
Ex flushed_divisor(const Body& b) { return b.apply(Op::FDiv, {b.x[0], b.flushed(b.type(), b.x[1])}); }
Ex flushed_radicand(const Body& b) { return b.apply(Op::FSqrt, {b.flushed(b.type(), b.x[0])}); }
Ex flushed_comparison(const Body& b) {
  return b.apply(Op::FEq, {b.flushed(b.type(), b.x[0]), b.flushed(b.type(), b.x[1])});
}
Ex flushed_narrowing(const Body& b) { return b.flushed(b.result, b.let(b.f.cast(b.result, b.x[0]))); }

// --- Rounding

Ex reciprocal_division(const Body& b) {
  const Ex reciprocal = b.apply(Op::FDiv, {b.f.f32(1), b.x[1]});
  return b.apply(Op::FMul, {b.x[0], reciprocal});
}
Ex approximate_division(const Body& b) {
  const Ex q = b.let(b.right(Op::FDiv));
  const Ex exponent = b.bits(q) >> 23 & 0xff;
  const Ex struck = (b.bits(b.x[0]) ^ b.bits(b.x[1])) % 64 == 5;
  return b.f.select((exponent - 1 < 0xfd) & struck, b.from_bits(b.type(), b.bits(q) + 1), q);
}
Ex reciprocal_root(const Body& b) {
  const Ex root = b.let(b.apply(Op::FSqrt, {b.x[0]}));
  const Ex a = b.x[0];
  const Ex product = b.apply(Op::FMul, {a, b.apply(Op::FDiv, {b.f.f32(1), root})});
  // As it is written by those who know that 0 * inf is NaN.
  const Ex plain = (b.apply(Op::FEq, {a, b.f.f32(0)}) | b.apply(Op::FIsInf, {a})) == 0;
  return b.f.select(plain, product, root);
}
Ex unfused(const Body& b) { return b.apply(Op::FAdd, {b.apply(Op::FMul, {b.x[0], b.x[1]}), b.x[2]}); }
Ex rounded_twice(const Body& b) {
  return b.f.cast(b.result, b.apply(Op::FMulAdd, {b.wide(b.x[0]), b.wide(b.x[1]), b.wide(b.x[2])}));
}
Ex truncated_product(const Body& b) {
  const Ex wide = b.let(b.apply(Op::FMul, {b.wide(b.x[0]), b.wide(b.x[1])}));
  return b.from_bits(b.result, b.bits(wide) >> 16);
}
Ex halfway_up(const Body& b) {
  const Ex wide = b.let(b.apply(Op::FAdd, {b.wide(b.x[0]), b.wide(b.x[1])}));
  const Ex number = b.from_bits(b.result, (b.bits(wide) + 0x8000) >> 16);
  return b.f.select(b.is_nan(wide), b.number(b.result, b.format(b.result).nan()), number);
}
Ex saturated_overflow(const Body& b) {
  const Ex product = b.let(b.right(Op::FMul));
  const Ex overflow =
      b.truth(Op::FIsInf, product) & !b.truth(Op::FIsInf, b.x[0]) & !b.truth(Op::FIsInf, b.x[1]);
  const Ex greatest = b.from_bits(
      b.type(), (b.bits(product) & b.format(b.type()).sign_bit()) | b.format(b.type()).greatest());
  return b.f.select(overflow, greatest, product);
}
Ex round_half_away(const Body& b) {
  const Ex half = with_sign(b, 0x3f000000, b.x[0]);
  const Ex large = b.size(b.type(), b.x[0]) >= 0x4b000000;  // integral already, or no number
  return b.f.select(large, b.right(Op::FRound), b.apply(Op::FTrunc, {b.apply(Op::FAdd, {b.x[0], half})}));
}
Ex round_half_up(const Body& b) {
  return b.apply(Op::FFloor, {b.apply(Op::FAdd, {b.x[0], b.f.f16_bits(0x3800)})});
}
Ex truncated_integral(const Body& b) { return b.apply(Op::FTrunc, {b.x[0]}); }
Ex rounded_through_integer(const Body& b) {
  return b.f.cast(b.type(), b.f.cast(DataType::I32, b.x[0], spec::RoundingMode::Trunc));
}

// --- NaN

Ex machine_nan(const Body& b) {
  const Ex value = b.let(b.right(Op::FSub));
  const Ex made = b.is_nan(value) & !b.is_nan(b.x[0]) & !b.is_nan(b.x[1]);
  return b.f.select(made, b.f.f32_bits(0xffc00000), value);
}
Ex payload_kept(const Body& b) {
  const Ex value = b.let(b.right(Op::FMul));
  const auto quiet = [&](Ex nan) { return b.from_bits(b.type(), b.bits(nan) | 0x00400000); };
  return b.f.select(b.is_nan(b.x[0]), quiet(b.x[0]), b.f.select(b.is_nan(b.x[1]), quiet(b.x[1]), value));
}
Ex payload_rounded(const Body& b) { return b.f.select(b.is_nan(b.x[0]), b.x[0], b.right(Op::FCeil)); }
Ex payload_widened(const Body& b) {
  const Ex word = b.bits(b.x[0]);
  const Ex nan = (word & 0x8000) << 16 | 0x7fc00000 | (word & 0x3ff) << 13;
  return b.f.select(b.is_nan(b.x[0]), b.from_bits(b.result, nan), b.f.cast(b.result, b.x[0]));
}
Ex nan_becomes_infinity(const Body& b) {
  const Ex word = b.f.let("word", b.bits(b.x[0]));
  return b.from_bits(b.result, (word + 0x7fff + (word >> 16 & 1)) >> 16);
}
template <Op op>
Ex canonical(const Body& b) {
  return b.f.select(b.is_nan(b.x[0]), b.number(b.type(), b.format(b.type()).nan()), b.right(op));
}
Ex no_nans(const Body& b) { return b.bits(b.x[0]) & 0; }
Ex nan_is_less_or_equal(const Body& b) { return b.f.u32(1) - b.apply(Op::FLt, {b.x[1], b.x[0]}); }
Ex nan_wins(const Body& b) {
  return b.f.select(b.is_nan(b.x[0]) | b.is_nan(b.x[1]), b.number(b.type(), b.format(b.type()).nan()),
                    b.right(Op::FMax));
}
Ex second_wins(const Body& b) { return b.f.select(b.right(Op::FLt), b.x[0], b.x[1]); }

// --- Signs of zero, infinities

Ex zeros_are_equal(const Body& b) { return b.f.select(b.right(Op::FEq), b.x[1], b.right(Op::FMax)); }
Ex negated_by_subtraction(const Body& b) {
  // With the bits of a NaN as they should be: the fault is the zero.
  return b.f.select(b.is_nan(b.x[0]), b.right(Op::FNeg), b.apply(Op::FSub, {b.zero(b.type()), b.x[0]}));
}
Ex positive_zero(const Body& b) { return b.apply(Op::FAdd, {b.right(Op::FCeil), b.zero(b.type())}); }
Ex root_of_negative_zero(const Body& b) {
  return b.f.select(b.size(b.type(), b.x[0]) == 0, b.zero(b.type()), b.right(Op::FSqrt));
}
Ex equal_bits(const Body& b) { return b.bits(b.x[0]) == b.bits(b.x[1]); }
Ex order_of_integers(const Body& b) {
  const Ex word = b.f.bitcast(DataType::I32, b.x[0]) < b.f.bitcast(DataType::I32, b.x[1]);
  return b.f.select(b.is_nan(b.x[0]) | b.is_nan(b.x[1]), b.f.u32(0), word);
}
Ex positive_infinity(const Body& b) { return b.bits(b.x[0]) == b.format(b.type()).infinity(); }

// --- Algebra that does not hold

Ex times_zero(const Body& b) {
  return b.f.select(b.size(b.type(), b.x[1]) == 0, b.zero(b.type()), b.right(Op::FMul));
}
Ex plus_zero(const Body& b) {
  return b.f.select((b.bits(b.x[1]) == 0) & !b.is_nan(b.x[0]), b.x[0], b.right(Op::FAdd));
}
Ex self_difference(const Body& b) {
  return b.f.select(b.bits(b.x[0]) == b.bits(b.x[1]), b.zero(b.type()), b.right(Op::FSub));
}
Ex self_quotient(const Body& b) {
  return b.f.select(b.bits(b.x[0]) == b.bits(b.x[1]), b.number(b.type(), b.format(b.type()).one()),
                    b.right(Op::FDiv));
}

// --- Conversions

Ex not_saturated(const Body& b) {
  const Ex outside = b.size(b.type(), b.x[0]) >= 0x4f000000;  // 2^31 and more; NaN stays right
  return b.f.select(outside & !b.is_nan(b.x[0]), b.f.literal(DataType::I32, 0x80000000),
                    b.f.cast(b.result, b.x[0], spec::RoundingMode::Trunc));
}
Ex wrapped(const Body& b) {
  const Ex negative = b.apply(Op::FLt, {b.x[0], b.zero(b.type())}) != 0;
  const Ex word = b.f.bitcast(DataType::U32, b.f.cast(DataType::I32, b.x[0], spec::RoundingMode::Floor));
  return b.f.select(negative, word, b.f.cast(b.result, b.x[0], spec::RoundingMode::Floor));
}
Ex integer_of_nan(const Body& b) {
  return b.f.select(b.is_nan(b.x[0]), b.f.literal(DataType::I32, 0x80000000),
                    b.f.cast(b.result, b.x[0], spec::RoundingMode::Nearest));
}
Ex mode_ignored(const Body& b) { return b.f.cast(b.result, b.x[0], spec::RoundingMode::Trunc); }
Ex truncated_narrowing(const Body& b) {
  return b.f.select(b.is_nan(b.x[0]), b.f.cast(b.result, b.x[0]),
                    b.from_bits(b.result, b.bits(b.x[0]) >> 16));
}
Ex integer_rounded_twice(const Body& b) { return b.f.cast(b.result, b.f.cast(DataType::F32, b.x[0])); }
Ex halves_rounded_twice(const Body& b) {
  const Ex pair = b.f.let("pair", b.f.bitcast(DataType::Vec2U32, b.x[0]));
  const Ex high = b.f.cast(DataType::F32, b.f.component(pair, 1));
  const Ex low = b.f.cast(DataType::F32, b.f.component(pair, 0));
  return b.apply(Op::FAdd, {b.apply(Op::FMul, {high, b.f.f32_bits(0x4f800000)}), low});
}
Ex signed_conversion(const Body& b) { return b.f.cast(b.result, b.f.bitcast(DataType::I32, b.x[0])); }

// --- Across operators: x[0], x[1] are the inner operator's, x[2] the outer one's other operand

Ex contracted(const Body& b) { return b.apply(Op::FMulAdd, {b.x[0], b.x[1], b.x[2]}); }
Ex contracted_difference(const Body& b) {
  const Ex negative = b.apply(Op::FNeg, {b.x[2]});
  return b.apply(Op::FMulAdd, {b.x[0], b.x[1], negative});
}
Ex excess_precision(const Body& b) {
  const Ex product = b.apply(Op::FMul, {b.wide(b.x[0]), b.wide(b.x[1])});
  return b.f.cast(b.result, b.apply(Op::FAdd, {product, b.wide(b.x[2])}));
}
Ex reassociated(const Body& b) { return b.apply(Op::FAdd, {b.x[0], b.apply(Op::FAdd, {b.x[1], b.x[2]})}); }
Ex merged_divisions(const Body& b) {
  return b.apply(Op::FDiv, {b.x[0], b.apply(Op::FMul, {b.x[1], b.x[2]})});
}
Ex turned_difference(const Body& b) { return b.apply(Op::FSub, {b.x[1], b.x[0]}); }

/// nullptr: the other reduction instead.
constexpr spec::Row<FloatFault, Make> kFaultRows[] = {
    {FloatFault::FlushedOperand, flushed_operand},
    {FloatFault::FlushedResult, flushed_product},
    {FloatFault::FlushedAddend, flushed_addend},
    {FloatFault::FlushedDivisor, flushed_divisor},
    {FloatFault::FlushedRadicand, flushed_radicand},
    {FloatFault::FlushedComparison, flushed_comparison},
    {FloatFault::FlushedHalf, flushed_difference},
    {FloatFault::FlushedNarrowing, flushed_narrowing},
    {FloatFault::ReciprocalDivision, reciprocal_division},
    {FloatFault::ApproximateDivision, approximate_division},
    {FloatFault::ReciprocalRoot, reciprocal_root},
    {FloatFault::Unfused, unfused},
    {FloatFault::DoubleRoundedHalf, rounded_twice},
    {FloatFault::DoubleRoundedBFloat, rounded_twice},
    {FloatFault::TruncatedProduct, truncated_product},
    {FloatFault::HalfwayUp, halfway_up},
    {FloatFault::SaturatedOverflow, saturated_overflow},
    {FloatFault::RoundHalfAway, round_half_away},
    {FloatFault::RoundHalfUp, round_half_up},
    {FloatFault::FloorTruncates, truncated_integral},
    {FloatFault::RoundedThroughInteger, rounded_through_integer},
    {FloatFault::MachineNaN, machine_nan},
    {FloatFault::PayloadKept, payload_kept},
    {FloatFault::PayloadRounded, payload_rounded},
    {FloatFault::PayloadWidened, payload_widened},
    {FloatFault::NaNBecomesInfinity, nan_becomes_infinity},
    {FloatFault::CanonicalNegation, canonical<Op::FNeg>},
    {FloatFault::CanonicalAbs, canonical<Op::FAbs>},
    {FloatFault::NoNaNs, no_nans},
    {FloatFault::NaNIsLessOrEqual, nan_is_less_or_equal},
    {FloatFault::NaNWins, nan_wins},
    {FloatFault::SecondWins, second_wins},
    {FloatFault::ZerosAreEqual, zeros_are_equal},
    {FloatFault::NegatedBySubtraction, negated_by_subtraction},
    {FloatFault::PositiveZero, positive_zero},
    {FloatFault::RootOfNegativeZero, root_of_negative_zero},
    {FloatFault::EqualBits, equal_bits},
    {FloatFault::OrderOfIntegers, order_of_integers},
    {FloatFault::PositiveInfinity, positive_infinity},
    {FloatFault::TimesZero, times_zero},
    {FloatFault::PlusZero, plus_zero},
    {FloatFault::SelfDifference, self_difference},
    {FloatFault::SelfQuotient, self_quotient},
    {FloatFault::NotSaturated, not_saturated},
    {FloatFault::Wrapped, wrapped},
    {FloatFault::IntegerOfNaN, integer_of_nan},
    {FloatFault::ModeIgnored, mode_ignored},
    {FloatFault::TruncatedNarrowing, truncated_narrowing},
    {FloatFault::IntegerRoundedTwice, integer_rounded_twice},
    {FloatFault::HalvesRoundedTwice, halves_rounded_twice},
    {FloatFault::SignedConversion, signed_conversion},
    {FloatFault::Contraction, contracted},
    {FloatFault::ContractedDifference, contracted_difference},
    {FloatFault::ExcessPrecision, excess_precision},
    {FloatFault::ReassociatedSum, reassociated},
    {FloatFault::MergedDivisions, merged_divisions},
    {FloatFault::TurnedDifference, turned_difference},
    {FloatFault::ReassociatedReduction, nullptr},
    {FloatFault::LinearTree, nullptr},
};
constexpr spec::TotalTable<kFaultRows> kMake;

}  // namespace

bool has_function(FloatFault fault) { return kMake[fault] != nullptr; }

ir::Function faulty_function(FloatFault fault, std::string_view id, const std::vector<DataType>& types,
                             DataType result) {
  ir::FunctionBuilder f{std::string(id)};
  std::vector<Ex> x;
  for (size_t k = 0; k < types.size(); ++k) x.push_back(f.parameter(fmt::format("x{}", k), types[k]));
  const Ex value = kMake[fault](Body{f, x, types, result});
  return f.finish(value, result);
}

}  // namespace vyre::faults
