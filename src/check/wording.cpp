#include "check/wording.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "spec/casts.h"
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

}  // namespace

std::string written(spec::Op op) {
  if (const text::InfixOperator* infix = text::find_infix(op)) return fmt::format("`{}`", infix->text);
  if (const text::PrefixOperator* prefix = text::find_prefix(op))
    return fmt::format("prefix `{}`", prefix->text);
  return fmt::format("`{}`", spec::mnemonic(op));
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
