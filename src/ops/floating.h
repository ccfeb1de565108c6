// Operations on floats: one file an operator, one operation a type.
//
// src/ops/floating/add.cpp declares float.f16.add, float.bf16.add and float.f32.add at once: the body is the
// operator itself, so their laws speak of what a backend makes of that, and rows, classes and boundary values
// are written in values that every format has ("one", "the least subnormal"), which Values names. A row that
// hangs on the precision says so by such a value; it is worked out by hand all the same. Source: semantics,
// "Floats"; vyre-conform-spec, "Float semantics".
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "ops/float_reference.h"
#include "ops/operation.h"
#include "spec/float_format.h"
#include "spec/ops.h"
#include "spec/rows.h"

namespace vyre::ops {

/// The type of the language that a format of the host is.
template <typename Float>
inline constexpr spec::DataType type_of = spec::DataType::F32;
template <>
inline constexpr spec::DataType type_of<host_float::F16> = spec::DataType::F16;
template <>
inline constexpr spec::DataType type_of<host_float::BF16> = spec::DataType::BF16;

/// Patterns by what they are.
template <typename Float>
struct Values {
  static constexpr spec::FloatFormat format = spec::float_format(type_of<Float>);
  static constexpr uint32_t sign = format.sign_bit();
  /// 2^k, also among the subnormals. Domain: it is a number of the format.
  static constexpr uint32_t power(int k) {
    const int least = format.min_exponent();
    return k >= least ? uint32_t(k + format.bias()) << format.fraction_bits
                      : 1u << (k - (least - int(format.fraction_bits)));
  }
  static constexpr uint32_t minus(uint32_t x) { return x ^ sign; }

  static constexpr uint32_t zero = 0, minus_zero = sign;
  static constexpr uint32_t one = format.one(), two = power(1), four = power(2), half = power(-1);
  static constexpr uint32_t half_unit = 1u << (format.fraction_bits - 1);  // 0.5 in the fraction of one
  static constexpr uint32_t one_and_half = one | half_unit, three = two | half_unit, six = four | half_unit;
  static constexpr uint32_t two_and_half = two | half_unit >> 1;
  static constexpr uint32_t minus_one = one | sign;
  /// Half the distance from one to its upper neighbour: a tie when it is added to one.
  static constexpr uint32_t tie = power(-int(format.precision()));
  static constexpr uint32_t tiny = 1;  // the least subnormal
  static constexpr uint32_t least_normal = format.least_normal();
  static constexpr uint32_t greatest = format.greatest();
  static constexpr uint32_t infinity = format.infinity(), minus_infinity = infinity | sign;
  static constexpr uint32_t nan = format.nan();         // the one that arithmetic gives
  static constexpr uint32_t payload = nan | sign | 1;   // another quiet one
  static constexpr uint32_t signalling = infinity | 1;  // and a signalling one

  static constexpr bool is_nan(uint32_t x) { return format.is_nan(x); }
  static constexpr bool is_infinite(uint32_t x) { return format.is_infinite(x); }
  static constexpr bool is_zero(uint32_t x) { return (x & ~sign & format.mask()) == 0; }
  static constexpr bool is_subnormal(uint32_t x) { return format.is_subnormal(x); }
};

/// A value that each format has its own pattern for.
template <typename Float>
constexpr uint32_t by_format(uint32_t f16, uint32_t bf16, uint32_t f32) {
  if (type_of<Float> == spec::DataType::F16) return f16;
  return type_of<Float> == spec::DataType::BF16 ? bf16 : f32;
}

template <spec::Op op>
ir::Ex compose_operator(ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
  return f.apply(op, p);
}

/// "float.f32.add"; lives for ever.
std::string_view float_id(spec::DataType type, std::string_view name);

/// A law that names another operation of the same type.
template <typename Float>
std::string beside(std::string_view name) {
  return std::string(float_id(type_of<Float>, name));
}

/// What the operations of an operator have in common. laws, denied, boundaries, rows and summary are left.
template <typename Float, spec::Op op>
Operation floating(std::string_view name, Reference reference) {
  constexpr spec::DataType type = type_of<Float>;
  Operation out;
  out.id = float_id(type, name);
  out.signature.inputs.assign(*spec::operand_count(op), type);
  out.signature.output = spec::result_type(op, type);
  out.parameter_names = {"a", "b", "c"};
  out.parameter_names.resize(out.signature.inputs.size());
  out.reference = reference;
  out.compose = compose_operator<op>;
  return out;
}

/// Adds the rows of the operator (spec/rows.h), published hard cases among them, but for operands that the
/// operation has a row for.
template <typename Float, spec::Op op>
void add_operator_rows(Operation& o) {
  for (const spec::OperatorRow& row : spec::operator_rows()) {
    if (row.op != op || row.type != type_of<Float>) continue;
    std::vector<uint32_t> operands;
    for (const spec::RowValue& value : row.operands()) operands.push_back(value.words[0]);
    if (std::ranges::find(o.rows, operands, &SpecRow::operands) != o.rows.end()) continue;
    o.rows.push_back({operands, row.expected.words[0], row.rationale, row.source});
  }
}

/// declare.operator()<Float>() for each of the types, in the order of the ledger.
template <typename Declare>
std::vector<Operation> at_each_float(Declare declare) {
  return {
    declare.template operator()<host_float::F16>(),
    declare.template operator()<host_float::BF16>(),
    declare.template operator()<host_float::F32>()
  };
}

/// Whether an operand is a zero, an infinity or NaN: there an approximate operation gives what the strict one
/// gives.
template <typename Float>
bool is_special(uint32_t x) {
  using V = Values<Float>;
  return V::is_zero(x) || V::is_infinite(x) || V::is_nan(x);
}

/// An approximate operation beside its strict one, of which it has reference, classes, boundary values and
/// those rows that leave nothing to approximate. It claims no law: a bound on errors keeps none.
template <typename Float, spec::Op op>
Operation approximation(Operation strict, std::string_view name, std::string_view summary) {
  static_assert(spec::is_approximate(op));
  strict.id = float_id(type_of<Float>, name);
  strict.summary = summary;
  strict.compose = compose_operator<op>;
  strict.laws.clear();
  strict.denied.clear();
  strict.bound = spec::bound_of(op, type_of<Float>);
  std::erase_if(strict.rows,
                [](const SpecRow& row) { return std::ranges::none_of(row.operands, is_special<Float>); });
  using V = Values<Float>;
  for (const uint32_t x : {V::nan, V::minus(V::nan), V::minus(V::signalling)}) {
    if (strict.signature.inputs.size() == 1)
      strict.rows.push_back({{x}, V::nan, "of any NaN the one NaN", "semantics: Floats (one NaN)"});
  }
  return strict;
}
/// The same of all types.
template <spec::Op op>
std::vector<Operation> approximations(std::vector<Operation> strict, std::string_view name,
                                      std::string_view summary) {
  size_t n = 0;
  return at_each_float(
      [&]<typename Float>() { return approximation<Float, op>(std::move(strict[n++]), name, summary); });
}

/// The same of a conversion to another float type.
template <typename Float, spec::DataType to>
Operation conversion(std::string_view name, Reference reference) {
  Operation out;
  out.id = float_id(type_of<Float>, name);
  out.signature = {{type_of<Float>}, to};
  out.parameter_names = {"a"};
  out.reference = reference;
  out.compose = [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) { return f.cast(to, p[0]); };
  return out;
}

/// Every operand is one of the five kinds of values; the first that is among them decides.
template <typename Float, size_t arity>
std::vector<EquivalenceClass> operand_classes() {
  using V = Values<Float>;
  using Words = const uint32_t*;
  constexpr auto any = [](Words x, auto is) {
    for (size_t i = 0; i < arity; ++i) {
      if (is(x[i])) return true;
    }
    return false;
  };
  static constexpr auto has_nan = [any](Words x) { return any(x, V::is_nan); };
  static constexpr auto has_infinity = [any](Words x) { return !has_nan(x) && any(x, V::is_infinite); };
  static constexpr auto has_zero = [any](Words x) {
    return !has_nan(x) && !has_infinity(x) && any(x, V::is_zero);
  };
  static constexpr auto has_subnormal = [any](Words x) {
    return !has_nan(x) && !has_infinity(x) && !has_zero(x) && any(x, V::is_subnormal);
  };
  const auto first = [](uint32_t x) {
    std::vector<uint32_t> out(arity, V::one);
    out[0] = x;
    return out;
  };
  return {
      {"an operand is NaN", [](Words x) { return has_nan(x); }, first(V::payload)},
      {"an operand is infinite, none is NaN", [](Words x) { return has_infinity(x); }, first(V::infinity)},
      {"an operand is a zero, all are numbers", [](Words x) { return has_zero(x); }, first(V::minus_zero)},
      {"an operand is subnormal, none is zero", [](Words x) { return has_subnormal(x); }, first(V::tiny)},
      {"all operands are normal",
       [](Words x) { return !has_nan(x) && !has_infinity(x) && !has_zero(x) && !has_subnormal(x); },
       first(V::two)},
  };
}

/// Boundary values of operands that are hard on any operator, and more that are on one.
template <typename Float>
std::vector<BoundaryValue> binary_boundaries(std::vector<BoundaryValue> more = {}) {
  using V = Values<Float>;
  std::vector<BoundaryValue> out = {
      {{V::zero, V::minus_zero}, "the two zeros"},
      {{V::minus_zero, V::zero}, "the two zeros, the other way"},
      {{V::tiny, V::tiny}, "the least subnormal, twice"},
      {{V::least_normal, V::minus(V::tiny)}, "across the border of the subnormals"},
      {{V::greatest, V::greatest}, "the greatest number, twice"},
      {{V::one, V::tie}, "one, and half a unit in its last place"},
      {{V::infinity, V::minus_infinity}, "the two infinities"},
      {{V::infinity, V::zero}, "infinity and zero"},
      {{V::payload, V::one}, "a quiet NaN with a payload"},
      {{V::one, V::signalling}, "a signalling NaN"},
  };
  out.insert(out.end(), more.begin(), more.end());
  return out;
}
template <typename Float>
std::vector<BoundaryValue> unary_boundaries(std::vector<BoundaryValue> more = {}) {
  using V = Values<Float>;
  std::vector<BoundaryValue> out = {
      {{V::zero}, "zero"},
      {{V::minus_zero}, "minus zero"},
      {{V::tiny}, "the least subnormal"},
      {{V::least_normal - 1}, "the greatest subnormal"},
      {{V::least_normal}, "the least normal number"},
      {{V::greatest}, "the greatest number"},
      {{V::infinity}, "infinity"},
      {{V::minus_infinity}, "minus infinity"},
      {{V::payload}, "a quiet NaN with a payload"},
      {{V::signalling}, "a signalling NaN"},
  };
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// What comparisons know of two values, for rows of all five.
enum class Relation : uint8_t { Less, Equal, Greater, Unordered };
/// Rows of a comparison that is 1 for the relations that `holds` says.
template <typename Float>
std::vector<SpecRow> comparison_rows(bool (*holds)(Relation)) {
  using V = Values<Float>;
  struct Pair {
    uint32_t a, b;
    Relation relation;
    std::string_view why;
  };
  const Pair pairs[] = {
      {V::one, V::two, Relation::Less, "one is below two"},
      {V::two, V::one, Relation::Greater, "two is above one"},
      {V::one, V::one, Relation::Equal, "one equals itself"},
      {V::minus_zero, V::zero, Relation::Equal, "the zeros are equal"},
      {V::zero, V::minus_zero, Relation::Equal, "the zeros are equal, the other way"},
      {V::minus_one, V::one, Relation::Less, "signs count: as words it would be above"},
      {V::minus_one, V::minus(V::two), Relation::Greater, "of negative numbers the larger word is below"},
      {V::zero, V::tiny, Relation::Less, "a subnormal is not zero"},
      {V::minus(V::tiny), V::zero, Relation::Less, "nor is a negative one"},
      {V::tiny, V::least_normal, Relation::Less, "subnormals are below normal numbers"},
      {V::greatest, V::infinity, Relation::Less, "infinity is above every number"},
      {V::infinity, V::infinity, Relation::Equal, "infinity equals itself"},
      {V::payload, V::one, Relation::Unordered, "NaN has no order"},
      {V::one, V::payload, Relation::Unordered, "NaN has no order, on the right"},
      {V::nan, V::nan, Relation::Unordered, "NaN does not equal itself"},
      {V::signalling, V::signalling, Relation::Unordered, "nor does a signalling one"},
  };
  std::vector<SpecRow> out;
  for (const Pair& p : pairs) {
    out.push_back({{p.a, p.b},
                   holds(p.relation) ? 1u : 0u,
                   p.why,
                   "vyre-conform-spec: Float semantics (NaN comparisons are false)"});
  }
  return out;
}

/// Rows of a rounding: of each value what floor, ceil, round and trunc give; `which` is one of these.
template <typename Float>
std::vector<SpecRow> rounding_rows(size_t which) {
  using V = Values<Float>;
  struct Value {
    uint32_t a, results[4];
    std::string_view why;
  };
  constexpr uint32_t one = V::one, two = V::two, mz = V::minus_zero;
  const Value values[] = {
      {V::half, {0, one, 0, 0}, "a half: ties go to even"},
      {V::half + 1, {0, one, one, 0}, "just above a half"},
      {V::half - 1, {0, one, 0, 0}, "just below a half: adding a half and cutting would give one"},
      {V::minus(V::half), {V::minus_one, mz, mz, mz}, "a zero keeps the sign of what was rounded"},
      {V::one_and_half, {one, two, two, one}, "one and a half goes to two"},
      {V::two_and_half, {two, V::three, two, two}, "two and a half goes to two: even, not away from zero"},
      {V::minus(V::one_and_half), {V::minus(two), V::minus_one, V::minus(two), V::minus_one}, "below zero"},
      {V::minus(V::two_and_half),
       {V::minus(V::three), V::minus(two), V::minus(two), V::minus(two)},
       "a tie below zero"},
      {V::zero, {0, 0, 0, 0}, "zero"},
      {V::minus_zero, {mz, mz, mz, mz}, "minus zero"},
      {V::tiny, {0, one, 0, 0}, "the least subnormal is not zero"},
      {V::minus(V::tiny), {V::minus_one, mz, mz, mz}, "nor is its negative"},
      {V::three, {V::three, V::three, V::three, V::three}, "an integer stays"},
      {V::greatest, {V::greatest, V::greatest, V::greatest, V::greatest}, "all large numbers are integers"},
      {V::infinity, {V::infinity, V::infinity, V::infinity, V::infinity}, "infinity stays"},
      {V::payload, {V::nan, V::nan, V::nan, V::nan}, "one NaN"},
  };
  std::vector<SpecRow> out;
  for (const Value& v : values) {
    out.push_back({{v.a}, v.results[which], v.why, "semantics: Floats (FRound: to nearest, ties to even)"});
  }
  return out;
}

/// What floor, ceil, round and trunc are, but for the reference and the summary.
template <typename Float, spec::Op op>
Operation rounding(std::string_view name, Reference reference, size_t which) {
  using V = Values<Float>;
  Operation o = floating<Float, op>(name, reference);
  o.laws = {laws::projection(), laws::monotone()};
  o.denied = {
      {laws::involution(), {V::half}},
      {laws::de_morgan(beside<Float>("add"), beside<Float>("add")), {V::half, V::half}},
  };
  o.classes = operand_classes<Float, 1>();
  o.boundaries = unary_boundaries<Float>();
  o.rows = rounding_rows<Float>(which);
  return o;
}

/// Rows of a choice between two values: of each pair the lesser or the greater.
enum class Extreme : uint8_t { Lesser, Greater };
template <typename Float>
std::vector<SpecRow> extreme_rows(Extreme which) {
  using V = Values<Float>;
  constexpr std::string_view kSpec = "vyre-conform-spec: Float semantics", kFloats = "semantics: Floats";
  struct Pair {
    uint32_t a, b, lesser, greater;
    std::string_view why, source;
  };
  const Pair pairs[] = {
      {V::one, V::two, V::one, V::two, "the first is less", kSpec},
      {V::two, V::one, V::one, V::two, "the second is less", kSpec},
      {V::minus_one, V::one, V::minus_one, V::one, "signs count", kSpec},
      {V::minus_zero, V::zero, V::minus_zero, V::zero, "-0 < +0", kFloats},
      {V::zero, V::minus_zero, V::minus_zero, V::zero, "-0 < +0, the other way", kFloats},
      {V::payload, V::one, V::one, V::one, "a number wins over NaN", kFloats},
      {V::one, V::signalling, V::one, V::one, "a signalling NaN counts as quiet", kFloats},
      {V::payload, V::signalling, V::nan, V::nan, "without a number the result is the one NaN",
       "semantics: Floats (one NaN)"},
      {V::infinity, V::payload, V::infinity, V::infinity, "infinity is a number here", kFloats},
      {V::minus_infinity, V::minus_one, V::minus_infinity, V::minus_one, "below every number", kSpec},
      {V::tiny, V::zero, V::zero, V::tiny, "a subnormal is not zero", kSpec},
      {V::greatest, V::infinity, V::greatest, V::infinity, "above every number", kSpec},
      {V::minus(V::two), V::minus_one, V::minus(V::two), V::minus_one,
       "of negative numbers the larger word is less", kSpec},
      {V::tiny, V::least_normal, V::tiny, V::least_normal, "subnormals are below normal numbers", kSpec},
  };
  std::vector<SpecRow> out;
  for (const Pair& p : pairs) {
    out.push_back({{p.a, p.b}, which == Extreme::Lesser ? p.lesser : p.greater, p.why, p.source});
  }
  return out;
}

/// Rows of a test for one kind of values; `which` is 0 for NaN, 1 for infinities.
template <typename Float>
std::vector<SpecRow> kind_rows(size_t which) {
  using V = Values<Float>;
  struct Value {
    uint32_t a, results[2];
    std::string_view why;
  };
  const Value values[] = {
      {V::nan, {1, 0}, "the NaN of arithmetic"},
      {V::payload, {1, 0}, "a quiet NaN with a payload"},
      {V::signalling, {1, 0}, "a signalling NaN"},
      {V::infinity, {0, 1}, "infinity"},
      {V::minus_infinity, {0, 1}, "minus infinity"},
      {V::zero, {0, 0}, "zero"},
      {V::minus_zero, {0, 0}, "minus zero"},
      {V::one, {0, 0}, "a number"},
      {V::tiny, {0, 0}, "a subnormal"},
      {V::greatest, {0, 0}, "the neighbour of infinity"},
  };
  std::vector<SpecRow> out;
  for (const Value& v : values) {
    out.push_back({{v.a}, v.results[which], v.why, "vyre-conform-spec: Float semantics"});
  }
  return out;
}

}  // namespace vyre::ops
