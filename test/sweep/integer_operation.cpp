#include "integer_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "integer_operators.h"
#include "ir/builder.h"
#include "ref/eval.h"
#include "spec/ops.h"

namespace vyre::sweep {
namespace {

using spec::DataType;
using spec::Op;

/// The type of the operand number k.
DataType type_of(const IntegerOperation& o, size_t k) {
  return k == 1 && o.shifts() ? DataType::U32 : o.type;
}

bool is_of_words(const ops::Operation& o) {
  return o.signature.output == DataType::U32 && o.signature.inputs.size() <= 2 &&
         std::ranges::all_of(o.signature.inputs, [](DataType t) { return t == DataType::U32; });
}

}  // namespace

uint32_t IntegerOperation::arity() const {
  return primitive != nullptr ? uint32_t(primitive->signature.inputs.size()) : *spec::operand_count(op);
}
bool IntegerOperation::shifts() const {
  if (primitive == nullptr) return spec::info(op).signature == spec::Signature::TU_T;
  constexpr std::string_view kAmounts[] = {"primitive.bitwise.shl", "primitive.bitwise.shr",
                                           "primitive.bitwise.rotl", "primitive.bitwise.rotr"};
  return std::ranges::find(kAmounts, primitive->id) != std::end(kAmounts);
}
std::string IntegerOperation::name() const {
  return primitive != nullptr ? std::string(primitive->id)
                              : fmt::format("{}.{}", spec::mnemonic(op), spec::text(type));
}

std::optional<IntegerOperation> find_integer_operation(std::string_view name) {
  if (const ops::Operation* found = ops::find_operation(name))
    return is_of_words(*found) ? std::optional(IntegerOperation{{}, DataType::U32, found}) : std::nullopt;
  const size_t dot = std::min(name.find('.'), name.size());
  const auto op = spec::find_op(name.substr(0, dot));
  const auto type = spec::find_type(name.substr(std::min(dot + 1, name.size())));
  if (!op || !test::is_swept(*op) || (type != DataType::U32 && type != DataType::I32)) return std::nullopt;
  return IntegerOperation{*op, *type, nullptr};
}

std::vector<std::string> integer_operations(uint32_t arity, bool with_primitives) {
  std::vector<std::string> out;
  for (const spec::OpInfo& info : spec::kOps) {
    if (!test::is_swept(info.op) || spec::operand_count(info.op) != arity) continue;
    out.push_back(IntegerOperation{info.op, DataType::U32, nullptr}.name());
    if (test::has_sign(info.op)) out.push_back(IntegerOperation{info.op, DataType::I32, nullptr}.name());
  }
  for (const ops::Operation& o : with_primitives ? ops::all_operations() : std::vector<ops::Operation>{}) {
    if (is_of_words(o) && o.signature.inputs.size() == arity) out.emplace_back(o.id);
  }
  return out;
}

std::vector<uint32_t> structured_operands(const IntegerOperation& operation) {
  std::vector<uint32_t> out;
  if (operation.arity() == 1) return {0};
  for (uint32_t b = 0; b < (operation.shifts() ? 34 : 257); ++b) out.push_back(b);
  for (uint32_t k = 9; k < 32 && !operation.shifts(); ++k) out.push_back(1u << k);
  out.push_back(0xffffffff);
  return out;
}

ir::Program program_of(const IntegerOperation& o) {
  ir::ProgramBuilder p("integer_sweep");
  p.workgroup_size(256, 1, 1);
  const ir::BufferRef parameters = p.read("parameters", DataType::U32, 0);
  const ir::BufferRef out = p.read_write("out", DataType::U32, 1);
  const auto typed = [&](ir::Ex word, size_t k) {
    return type_of(o, k) == DataType::U32 ? word : p.bitcast(type_of(o, k), word);
  };
  const ir::Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.len(out), [&] {
    const ir::Ex length = p.let("length", p.load(parameters, p.u32(1)));
    const ir::Ex first = p.let("first", p.load(parameters, p.u32(0)) + i * length);
    const ir::Ex second = p.let("second", p.load(parameters, p.u32(2)));
    // Zero, which no compiler knows: what it could prove of consecutive words is not what is asked.
    const ir::Ex zero = p.let("zero", p.load(parameters, p.u32(3)));
    const ir::Ex sum = p.let("sum", p.u32(0));
    p.loop("k", p.u32(0), length, [&](ir::Ex k) {
      const ir::Ex a = p.let("a", (first + k) ^ zero);
      std::vector<ir::Ex> x = {typed(a, 0)};
      if (o.arity() == 2) x.push_back(typed(second, 1));
      const ir::Ex result = o.primitive != nullptr ? p.call(o.primitive->id, x) : p.apply(o.op, x);
      const bool is_word = o.primitive != nullptr || spec::result_type(o.op, o.type) == DataType::U32;
      p.assign(sum, sum + (is_word ? result : p.bitcast(DataType::U32, result)) * ((a * test::kWeight) | 1));
    });
    p.store(out, i, sum);
  });
  return p.finish();
}

uint32_t expected_sum(const IntegerOperation& o, uint32_t first, uint32_t n, uint32_t second) {
  const test::Chunk chunk{first, n, second};
  if (o.primitive == nullptr) return test::kSums[o.op](chunk, o.type == DataType::I32);
  return test::sum_of(chunk, [&](uint32_t a) {
    const uint32_t operands[] = {a, second};
    return o.primitive->reference(operands);
  });
}

uint32_t defined(const IntegerOperation& o, uint32_t input, uint32_t second) {
  if (o.primitive != nullptr) {
    const uint32_t operands[] = {input, second};
    return o.primitive->reference(operands);
  }
  const std::array<ref::Bits, 2> operands = {input, second};
  return uint32_t(ref::eval(o.op, o.type, std::span(operands).first(o.arity())));
}

}  // namespace vyre::sweep
