#include "check/wording.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "spec/casts.h"
#include "spec/ops.h"
#include "text/foreign_words.h"
#include "text/operators.h"

namespace vyre::check {

using spec::DataType;

namespace {

/// One conversion of the text `value`, or nothing where there is none.
std::optional<std::string> one_step(DataType from, DataType to, std::string_view value) {
  if (spec::can_cast(from, to)) {
    const std::string_view mode = spec::cast_takes_mode(from, to) ? ", trunc" : "";
    return fmt::format("cast<{}{}>({})", spec::text(to), mode, value);
  }
  if (spec::can_bitcast(from, to)) return fmt::format("bitcast<{}>({})", spec::text(to), value);
  if (spec::kVectors.contains(from) && to == DataType::U32) return fmt::format("({}).x", value);
  return std::nullopt;
}

/// The operator of the same sign on floats where this one works on integers, and the other way round.
std::optional<spec::Op> on_other_numbers(spec::Op op) {
  const auto other = [op](const auto* sign) -> std::optional<spec::Op> {
    if (sign == nullptr || !sign->floating) return std::nullopt;
    return op == sign->integer ? *sign->floating : sign->integer;
  };
  const auto infix = other(text::find_infix(op));
  return infix ? infix : other(text::find_prefix(op));
}

}  // namespace

std::string in_place_of(std::string_view word) { return std::string(text::foreign_help(word)); }

std::string written(spec::Op op) {
  if (const text::InfixOperator* infix = text::find_infix(op)) return fmt::format("`{}`", infix->text);
  if (const text::PrefixOperator* prefix = text::find_prefix(op))
    return fmt::format("prefix `{}`", prefix->text);
  return fmt::format("`{}`", spec::mnemonic(op));
}

std::string named_for(spec::Op op, DataType type) {
  const bool other =
      spec::kFloats.contains(type) != spec::kFloats.contains(spec::first_of(spec::info(op).types));
  return other && on_other_numbers(op) ? fmt::format("`{}`", spec::mnemonic(op)) : written(op);
}

std::optional<std::string> other_way(spec::Op op, DataType type) {
  using spec::Op;
  const bool floats = spec::kFloats.contains(type);
  if (floats == spec::kFloats.contains(spec::first_of(spec::info(op).types))) return std::nullopt;
  if (const auto other = on_other_numbers(op); other && spec::info(*other).types.contains(type)) {
    return fmt::format("write {} or {}", written(*other), spec::mnemonic(*other));
  }
  if (!floats) return std::nullopt;
  if (op == Op::Ne) return "write !(a == b)";
  if (op == Op::Mod)
    return "floats have no remainder; a - ftrunc(a / b) * b is near it, with three roundings";
  if (op == Op::LogicalNot) return "compare with zero: x == 0.0";
  if (op == Op::And || op == Op::Or) return "compare each side with zero: !(x == 0.0)";
  if (op == Op::Shl || op == Op::Shr)
    return "multiply with a power of two, or shift the bits: bitcast<u32>(...)";
  return "take the bits: bitcast<u32>(...)";
}

std::string types_in(spec::TypeSet set) {
  std::string out;
  for (const spec::TypeInfo& info : spec::kTypes) {
    if (!info.available || !set.contains(info.type)) continue;
    if (!out.empty()) out += ", ";
    out += info.text;
  }
  return out;
}

std::string way_to(DataType from, DataType to) {
  if (from == DataType::Vec2U32 && to == DataType::Vec4U32) return "vec4u32(v.x, v.y, 0, 0)";
  if (from == DataType::Vec4U32 && to == DataType::Vec2U32) return "vec2u32(v.x, v.y)";
  if (spec::is_small(from) || spec::is_small(to)) {
    const auto step = [](DataType a, DataType b, std::string_view of) {
      const bool mode = spec::cast_takes_mode_in_graphs(a, b);
      return fmt::format("cast<{}{}>({})", spec::text(b), mode ? ", nearest" : "", of);
    };
    if (spec::can_cast_in_graphs(from, to)) return step(from, to, "...");
    DataType between = spec::wide_type(spec::is_small(from) ? from : to);
    if (!spec::can_cast_in_graphs(between, to)) between = spec::wide_type(to);
    return step(between, to, step(from, between, "..."));
  }
  if (const auto single = one_step(from, to, "...")) return *single;
  // A wide integer between keeps more bits than u32, which every value can go through.
  for (const DataType between : {DataType::U64, DataType::U128, DataType::U32}) {
    const auto first = one_step(from, between, "...");
    if (!first) continue;
    if (const auto second = one_step(between, to, *first)) return *second;
  }
  return fmt::format("a {}", spec::text(to));
}

}  // namespace vyre::check
