// The rules for casts to and from floats; a is the operand.
#include <optional>

#include "lower/float_rules.h"
#include "spec/float_format.h"

namespace vyre::lower {
namespace {

using spec::DataType;
using spec::RoundingMode;

constexpr bool is_float(DataType type) { return spec::kFloats.contains(type); }

/// What rounds an f32 to an integral value, none for truncation: casts to integers truncate by themselves.
constexpr std::optional<RawOp> rounding(RoundingMode mode) {
  switch (mode) {
    case RoundingMode::Nearest: return RawOp::FRound;
    case RoundingMode::Floor: return RawOp::FFloor;
    case RoundingMode::Ceil: return RawOp::FCeil;
    case RoundingMode::Trunc:
    case RoundingMode::None: break;
  }
  return std::nullopt;
}

Route if_promised(bool promised) { return promised ? Route::Native : Route::Composed; }

// Flushing does not come to it: no integer but zero is below 1.
Route from_integer(DataType from, DataType to, const FloatPromises& p) {
  if (from == DataType::U64 || to == DataType::BF16) return Route::Composed;
  const RawOp raw = from == DataType::U32 ? RawOp::FFromU32 : RawOp::FFromS32;
  return if_promised(rounds_right(p[raw]) && (to == DataType::F32 || converts(to, p)));
}
Route to_integer(DataType from, DataType to, RoundingMode mode, const FloatPromises& p) {
  if (from == DataType::F16) return Route::Composed;  // as its roundings: route_of_half
  const std::optional<RawOp> rounds = rounding(mode);
  const RawOp raw = to == DataType::U32 ? RawOp::FToU32 : RawOp::FToS32;
  const bool rounded = !rounds || p[*rounds].exact();
  return if_promised(rounded && rounds_right(p[raw]));
}
Route between_floats(DataType from, DataType to, const FloatPromises& p) {
  if (from != DataType::F16 && to != DataType::F16) return Route::Bits;
  return if_promised(converts(DataType::F16, p));
}

// match:  cast<f32>(a), a u32, i32
// result: ffrom_u32.raw(a), ffrom_s32.raw(a); select.raw(a == 0, 0, that) where no zero is promised
// match:  cast<f16>(a)
// result: fto_f16.raw of that          // exact below 2^24; from there on both are infinite in the end
Value of_integer(Rewriter& r, const Inst& cast) {
  const RawOp raw = cast.operand_type == DataType::U32 ? RawOp::FFromU32 : RawOp::FFromS32;
  const Value integer = r.word(cast, 0);
  Value real = r.raw(raw, {integer});
  if (r.target().floats[raw].only_normal) real = choose(r, is_zero(r, integer), r.constant(0), real);
  return cast.type == DataType::F32 ? real : narrow(r, cast.type, real);
}

// match:  cast<u32>(t), t an f32, integral but for truncation
// result: in = ult.raw(t, 4f800000);                 // 0 <= t < 2^32; with a sign the word is greater
//         above = ult.raw(sub.raw(t, 4f800000), 30000001);   // 2^32 <= t <= infinity
//         select.raw(in, fto_u32.raw(select.raw(in, t, 0)), select.raw(above, ffffffff, 0))
Value to_u32(Rewriter& r, Value t) {
  constexpr uint32_t kLimit = uint32_t(127 + 32) << 23;
  const Value inside = less(r, t, r.constant(kLimit));
  const Value converted = r.raw(RawOp::FToU32, {choose(r, inside, t, r.constant(0))});
  const Value beyond = sub(r, t, r.constant(kLimit));
  const Value above = less(r, beyond, r.constant(spec::kBinary32.infinity() - kLimit + 1));
  return choose(r, inside, converted, choose(r, above, r.constant(~0u), r.constant(0)));
}

// match:  cast<i32>(t), t an f32, integral but for truncation
// result: in = ult.raw(|t|, 4f000000);               // |t| < 2^31
//         limit = add.raw(7fffffff, lshr.raw(t, 31));
//         select.raw(in, fto_s32.raw(select.raw(in, t, 0)), select.raw(ult.raw(7f800000, |t|), 0, limit))
Value to_i32(Rewriter& r, Value t) {
  const Value size = magnitude(r, spec::kBinary32, t);
  const Value inside = less(r, size, r.constant(uint32_t(127 + 31) << 23));
  const Value converted = r.raw(RawOp::FToS32, {choose(r, inside, t, r.constant(0))});
  const Value limit = add(r, right(r, t, 31), r.constant(0x7fffffff));
  const Value nan = less(r, r.constant(spec::kBinary32.infinity()), size);
  return choose(r, inside, converted, choose(r, nan, r.constant(0), limit));
}

// match:  cast<u32 | i32, mode>(a)
// result: the above of ffloor.raw(a), fceil.raw(a), fround.raw(a), or a itself
Value to_integer(Rewriter& r, const Inst& cast) {
  Value real = r.word(cast, 0);
  if (cast.operand_type != DataType::F32) real = widen(r, cast.operand_type, real);
  if (const auto rounds = rounding(cast.mode)) real = r.raw(*rounds, {real});
  return cast.type == DataType::U32 ? to_u32(r, real) : to_i32(r, real);
}

// match:  cast<T>(a), both floats
// result: a widened, then narrowed: one of them is exact
Value between_floats(Rewriter& r, const Inst& cast) {
  Value real = r.word(cast, 0);
  if (cast.operand_type != DataType::F32) real = widen(r, cast.operand_type, real);
  return cast.type == DataType::F32 ? real : narrow(r, cast.type, real);
}

}  // namespace

Route cast_route(const Inst& cast, const FloatPromises& floats) {
  if (!is_float(cast.operand_type)) return from_integer(cast.operand_type, cast.type, floats);
  if (!is_float(cast.type)) return to_integer(cast.operand_type, cast.type, cast.mode, floats);
  return between_floats(cast.operand_type, cast.type, floats);
}

bool cast_gives_raw_nan(const Inst& cast, const FloatPromises& floats) {
  return is_float(cast.operand_type) && converts_by_raw(cast.type, floats);
}

Limbs legalize_float_cast(Rewriter& r, const Inst& cast) {
  if (float_route(cast, r.target().floats) == Route::Composed) {
    return inline_composition(r, cast_composition(cast.operand_type, cast.type, cast.mode), cast);
  }
  if (!is_float(cast.operand_type)) return of_integer(r, cast);
  return is_float(cast.type) ? between_floats(r, cast) : to_integer(r, cast);
}

}  // namespace vyre::lower
