#include "operation.h"

#include <fmt/format.h>

#include "float_operators.h"
#include "ir/builder.h"
#include "spec/casts.h"
#include "spec/ops.h"

namespace vyre::sweep {
namespace {

using spec::DataType;
using spec::Op;
using Columns = std::span<const std::span<const uint32_t>>;
using Results = std::span<uint32_t>;

spec::FloatFormat format(DataType type) { return spec::float_format(type); }

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t dot; (dot = text.find('.')) != text.npos; text.remove_prefix(dot + 1))
    out.push_back(text.substr(0, dot));
  out.push_back(text);
  return out;
}

std::optional<spec::RoundingMode> find_mode(std::string_view name) {
  for (size_t i = 1; i < spec::kRoundingModeCount; ++i) {
    if (spec::text(static_cast<spec::RoundingMode>(i)) == name) return static_cast<spec::RoundingMode>(i);
  }
  return std::nullopt;
}

std::optional<Operation> find_cast(std::span<const std::string_view> parts) {
  const auto from = spec::find_type(parts[1]), to = spec::find_type(parts[2]);
  if (!from || !to || *from == *to || !spec::can_cast(*from, *to)) return std::nullopt;
  if (!spec::kFloats.contains(*from) && !spec::kFloats.contains(*to)) return std::nullopt;
  Operation out{.op = Op::Cast, .from = *from, .to = *to};
  if (spec::cast_takes_mode(*from, *to) != (parts.size() == 4)) return std::nullopt;
  if (parts.size() == 4) {
    const auto mode = find_mode(parts[3]);
    if (!mode) return std::nullopt;
    out.mode = *mode;
  }
  return out;
}

/// A value of the type from words; its pattern as a word.
ir::Ex value_of(ir::ProgramBuilder& p, DataType type, ir::BufferRef buffer) {
  const ir::Ex i = p.var("i");
  if (type == DataType::U64) {
    return p.bitcast(type, p.vec2u32(p.load(buffer, i * 2), p.load(buffer, p.var("i") * 2 + 1)));
  }
  const ir::Ex word = p.load(buffer, i);
  return type == DataType::U32 ? word : p.bitcast(type, word);
}

// Scalar forms that the oracle has no column form of.

void integers(const Operation& o, Columns x, Results out) {
  const bool wide = o.from == DataType::U64;
  for (size_t i = 0; i < out.size(); ++i) {
    uint64_t magnitude = wide ? x[0][2 * i] | uint64_t(x[0][2 * i + 1]) << 32 : x[0][i];
    const bool negative = o.from == DataType::I32 && int32_t(x[0][i]) < 0;
    if (negative) magnitude = uint64_t(-int64_t(int32_t(x[0][i])));
    out[i] = num::from_integer(format(o.to), negative, magnitude);
  }
}

void cast(const Operation& o, Columns x, Results out) {
  if (!spec::kFloats.contains(o.from)) return integers(o, x, out);
  if (o.to == DataType::U32) return num::to_u32(format(o.from), o.mode, x[0], out);
  if (o.to == DataType::I32) return num::to_i32(format(o.from), o.mode, x[0], out);
  num::convert(format(o.from), format(o.to), x[0], out);
}

void mul_then_add(const Operation& o, Columns x, Results out) {
  std::vector<uint32_t> products(out.size());
  num::mul(format(o.from), x[0], x[1], products);
  num::add(format(o.from), products, x[2], out);
}

constexpr std::string_view kSeparate = "fmul_fadd";

}  // namespace

std::string Operation::name() const {
  if (separate) return fmt::format("{}.{}", kSeparate, spec::text(from));
  std::string out = fmt::format("{}.{}", spec::mnemonic(op), spec::text(from));
  if (op == Op::Cast) out += fmt::format(".{}", spec::text(to));
  if (mode != spec::RoundingMode::None) out += fmt::format(".{}", spec::text(mode));
  return out;
}

std::optional<Operation> find_operation(std::string_view name) {
  const std::vector<std::string_view> parts = split(name);
  if (parts.size() < 2 || parts.size() > 4) return std::nullopt;
  if (parts[0] == "cast") return parts.size() < 3 ? std::nullopt : find_cast(parts);
  const bool separate = parts[0] == kSeparate;
  const auto op = separate ? Op::FMulAdd : spec::find_op(parts[0]);
  const auto type = spec::find_type(parts[1]);
  if (parts.size() != 2 || !op || !type || !test::is_on_floats(*op) || !spec::kFloats.contains(*type))
    return std::nullopt;
  return Operation{.op = *op, .from = *type, .to = *type, .separate = separate};
}

uint32_t operand_words(const Operation& operation) { return spec::value_words(operation.from); }

ir::Program program_of(const Operation& o) {
  ir::ProgramBuilder p("sweep");
  p.workgroup_size(256, 1, 1);
  std::vector<ir::BufferRef> in;
  for (uint32_t k = 0; k < o.arity(); ++k) in.push_back(p.read(fmt::format("x{}", k), DataType::U32, k));
  const ir::BufferRef out = p.read_write("out", DataType::U32, o.arity());
  p.let("i", p.invocation_id(0));
  p.if_(p.var("i") < p.len(out), [&] {
    std::vector<ir::Ex> x;
    for (uint32_t k = 0; k < o.arity(); ++k) x.push_back(value_of(p, o.from, in[k]));
    const ir::Ex result = o.op == Op::Cast ? p.cast(o.to, x[0], o.mode)
                          : o.separate     ? p.apply(Op::FAdd, {p.apply(Op::FMul, {x[0], x[1]}), x[2]})
                                           : p.apply(o.op, x);
    const DataType type = o.op == Op::Cast ? o.to : spec::result_type(o.op, o.from);
    p.store(out, p.var("i"), type == DataType::U32 ? result : p.bitcast(DataType::U32, result));
  });
  return p.finish();
}

void expect(const Operation& operation, Columns columns, Results out) {
  if (operation.op == Op::Cast) return cast(operation, columns, out);
  if (operation.separate) return mul_then_add(operation, columns, out);
  test::kFloatOperators[operation.op].columns(format(operation.from), columns, out);
}

}  // namespace vyre::sweep
