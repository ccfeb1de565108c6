#include "operation.h"

#include <fmt/format.h>

#include "ir/builder.h"
#include "num/functions.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "spec/table.h"

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

void tests(const Operation& o, Columns x, Results out) {
  const auto f = format(o.from);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = o.op == Op::FIsNaN ? f.is_nan(x[0][i]) : f.is_infinite(x[0][i]);
  }
}

void mul_add(const Operation& o, Columns x, Results out) {
  if (!o.separate) return num::mul_add(format(o.from), x[0], x[1], x[2], out);
  std::vector<uint32_t> products(out.size());
  num::mul(format(o.from), x[0], x[1], products);
  num::add(format(o.from), products, x[2], out);
}

template <spec::RoundingMode mode>
void integral(const Operation& o, Columns x, Results out) {
  num::round_to_integral(format(o.from), mode, x[0], out);
}

using Expect = void (*)(const Operation&, Columns, Results);
constexpr spec::Row<Op, Expect> kColumnRows[] = {
    {Op::FAdd, [](const Operation& o, Columns x, Results out) { num::add(format(o.from), x[0], x[1], out); }},
    {Op::FSub, [](const Operation& o, Columns x, Results out) { num::sub(format(o.from), x[0], x[1], out); }},
    {Op::FMul, [](const Operation& o, Columns x, Results out) { num::mul(format(o.from), x[0], x[1], out); }},
    {Op::FDiv, [](const Operation& o, Columns x, Results out) { num::div(format(o.from), x[0], x[1], out); }},
    {Op::FMulAdd, mul_add},
    {Op::FSqrt, [](const Operation& o, Columns x, Results out) { num::sqrt(format(o.from), x[0], out); }},
    {Op::FMin, [](const Operation& o, Columns x, Results out) { num::min(format(o.from), x[0], x[1], out); }},
    {Op::FMax, [](const Operation& o, Columns x, Results out) { num::max(format(o.from), x[0], x[1], out); }},
    {Op::FNeg, [](const Operation& o, Columns x, Results out) { num::negate(format(o.from), x[0], out); }},
    {Op::FAbs, [](const Operation& o, Columns x, Results out) { num::abs(format(o.from), x[0], out); }},
    {Op::FEq,
     [](const Operation& o, Columns x, Results out) { num::equal(format(o.from), x[0], x[1], out); }},
    {Op::FLt, [](const Operation& o, Columns x, Results out) { num::less(format(o.from), x[0], x[1], out); }},
    {Op::FGt, [](const Operation& o, Columns x, Results out) { num::less(format(o.from), x[1], x[0], out); }},
    {Op::FLe,
     [](const Operation& o, Columns x, Results out) { num::less_equal(format(o.from), x[0], x[1], out); }},
    {Op::FGe,
     [](const Operation& o, Columns x, Results out) { num::less_equal(format(o.from), x[1], x[0], out); }},
    {Op::FIsNaN, tests},
    {Op::FIsInf, tests},
    {Op::FFloor, integral<spec::RoundingMode::Floor>},
    {Op::FCeil, integral<spec::RoundingMode::Ceil>},
    {Op::FRound, integral<spec::RoundingMode::Nearest>},
    {Op::FTrunc, integral<spec::RoundingMode::Trunc>},
    {Op::FSin, [](const Operation& o, Columns x, Results out) { num::sin(format(o.from), x[0], out); }},
    {Op::FCos, [](const Operation& o, Columns x, Results out) { num::cos(format(o.from), x[0], out); }},
    {Op::FTan, [](const Operation& o, Columns x, Results out) { num::tan(format(o.from), x[0], out); }},
    {Op::FASin, [](const Operation& o, Columns x, Results out) { num::asin(format(o.from), x[0], out); }},
    {Op::FACos, [](const Operation& o, Columns x, Results out) { num::acos(format(o.from), x[0], out); }},
    {Op::FATan, [](const Operation& o, Columns x, Results out) { num::atan(format(o.from), x[0], out); }},
    {Op::FATan2,
     [](const Operation& o, Columns x, Results out) { num::atan2(format(o.from), x[0], x[1], out); }},
    {Op::FExp, [](const Operation& o, Columns x, Results out) { num::exp(format(o.from), x[0], out); }},
    {Op::FLog, [](const Operation& o, Columns x, Results out) { num::log(format(o.from), x[0], out); }},
    {Op::FExp2, [](const Operation& o, Columns x, Results out) { num::exp2(format(o.from), x[0], out); }},
    {Op::FLog2, [](const Operation& o, Columns x, Results out) { num::log2(format(o.from), x[0], out); }},
    {Op::FExp10, [](const Operation& o, Columns x, Results out) { num::exp10(format(o.from), x[0], out); }},
    {Op::FLog10, [](const Operation& o, Columns x, Results out) { num::log10(format(o.from), x[0], out); }},
    {Op::FPow, [](const Operation& o, Columns x, Results out) { num::pow(format(o.from), x[0], x[1], out); }},
    {Op::Cast, cast},
};
constexpr bool is_swept(Op op) {
  const bool strict = !spec::is_reduction(op) && !spec::is_approximate(op);
  return op == Op::Cast || (spec::info(op).types == spec::kFloats && strict);
}
constexpr spec::TotalTable<kColumnRows, is_swept> kExpect;

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
  if (parts.size() != 2 || !op || !type || !is_swept(*op) || !spec::kFloats.contains(*type))
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
  kExpect[operation.op](operation, columns, out);
}

}  // namespace vyre::sweep
