#include "symbolic/scalar_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "check/checked.h"
#include "ir/builder.h"
#include "spec/casts.h"
#include "spec/ops.h"
#include "symbolic/functions.h"

namespace vyre::symbolic {

using lower::Inst;
using lower::InstKind;
using lower::Kernel;
using lower::Value;
using smt::Pool;
using smt::Term;
using spec::DataType;
using spec::Op;

namespace {

constexpr const char* kOperandNames[] = {"a", "b", "c", "d"};
constexpr spec::TypeSet kRead = spec::kIntegers | spec::kVectors | spec::kTruth;

/// Writes kernels of the form: the operands' buffers, then `at`, then `out`.
class Writer {
 public:
  Writer(std::string name, std::span<const DataType> operands, DataType result) {
    k_.name = std::move(name);
    k_.entry = k_.add_block();
    for (size_t n = 0; n < operands.size(); ++n)
      declare(kOperandNames[n], operands[n], spec::BufferAccess::Read);
    declare("at", DataType::U32, spec::BufferAccess::Read);
    declare("out", result, spec::BufferAccess::ReadWrite);
  }
  Value put(Inst inst, std::span<const Value> operands) {
    const Value v = k_.add(inst, operands);
    k_.blocks[index(k_.entry)].push_back(v);
    return v;
  }
  /// The index and the operands, by loads of that kind.
  std::vector<Value> load(InstKind kind) {
    const Value zero = put({.kind = InstKind::Const, .type = DataType::U32}, {});
    const uint32_t at = uint32_t(k_.buffers.size()) - 2;
    at_ = put({.kind = kind, .type = DataType::U32, .target = at}, {&zero, 1});
    std::vector<Value> out;
    for (uint32_t n = 0; n < at; ++n)
      out.push_back(put({.kind = kind, .type = k_.buffers[n].element, .target = n}, {&at_, 1}));
    return out;
  }
  Kernel store(InstKind kind, Value value) {
    const Value operands[] = {at_, value};
    put({.kind = kind, .target = uint32_t(k_.buffers.size()) - 1}, operands);
    k_.legal = kind == InstKind::RawStore;
    return std::move(k_);
  }

 private:
  void declare(const char* name, DataType type, spec::BufferAccess access) {
    const uint32_t n = uint32_t(k_.buffers.size());
    k_.buffers.push_back({.name = name, .access = access, .element = type, .binding = n, .argument = n});
  }
  Kernel k_;
  Value at_{};
};

ScalarProgram program_of(std::string name, Inst apply, std::span<const DataType> operands) {
  Writer writer(name, operands, apply.type);
  const std::vector<Value> loaded = writer.load(InstKind::Load);
  const Value result = writer.put(apply, loaded);
  return {std::move(name), writer.store(InstKind::Store, result)};
}

}  // namespace

ScalarProgram operator_program(Op op, DataType type) {
  Inst apply{.kind = InstKind::Apply, .op = op, .type = spec::result_type(op, type), .operand_type = type};
  // A logical negation is a truth, which memory holds as a word.
  if (spec::info(op).signature == spec::Signature::T_B) apply.type = DataType::Bool;
  std::vector<DataType> operands;
  const uint32_t count = spec::operand_count(op).value_or(0);
  for (uint32_t n = 0; n < count; ++n) operands.push_back(spec::operand_type(op, type, n));
  return program_of(fmt::format("{} {}", spec::mnemonic(op), text(type)), apply, operands);
}

std::vector<ScalarProgram> operator_programs() {
  std::vector<ScalarProgram> out;
  for (const spec::OpInfo& op : spec::kOps) {
    const bool plain = (spec::is_scalar(op.op) || op.op == Op::Select || spec::is_vector_op(op.op)) &&
                       op.effect == spec::Effect::Pure && !spec::is_approximate(op.op);
    if (!plain) continue;
    for (const spec::TypeInfo& type : spec::kTypes) {
      if (!kRead.contains(type.type) || !op.types.contains(type.type)) continue;
      out.push_back(operator_program(op.op, type.type));
    }
  }
  for (const spec::TypeInfo& from : spec::kTypes) {
    for (const spec::TypeInfo& to : spec::kTypes) {
      if (!kRead.contains(from.type) || !kRead.contains(to.type)) continue;
      for (const Op op : {Op::Cast, Op::Bitcast}) {
        const bool there =
            op == Op::Cast ? spec::can_cast(from.type, to.type) : spec::can_bitcast(from.type, to.type);
        if (!there) continue;
        const Inst apply{.kind = InstKind::Apply, .op = op, .type = to.type, .operand_type = from.type};
        out.push_back(program_of(fmt::format("{} {} {}", spec::mnemonic(op), text(from.type), text(to.type)),
                                 apply, {&from.type, 1}));
      }
    }
  }
  return out;
}

ScalarProgram operation_program(const ops::Operation& operation) {
  ir::ProgramBuilder p("one_operation");
  p.workgroup_size(1, 1, 1);
  std::vector<ir::BufferRef> inputs;
  uint32_t binding = 0;
  for (const DataType type : operation.signature.inputs) {
    inputs.push_back(p.read(kOperandNames[binding], type, binding));
    ++binding;
  }
  const ir::BufferRef at = p.read("at", DataType::U32, binding);
  const ir::BufferRef result = p.read_write("out", operation.signature.output, binding + 1);
  const ir::Ex i = p.let("i", p.load(at, p.u32(0)));
  std::vector<ir::Ex> operands;
  for (const ir::BufferRef input : inputs) operands.push_back(p.load(input, i));
  p.store(result, i, p.call(operation.id, operands, operation.version));
  auto checked = check::check(p.finish(), ops::op_table());
  if (!checked) {  // the library was checked when it was made
    fmt::print(stderr, "symbolic: a program that calls {} is refused\n", operation.id);
    std::abort();
  }
  return {std::string(operation.id), lower::build(*checked), &operation};
}

std::vector<ScalarProgram> operation_programs() {
  std::vector<ScalarProgram> out;
  for (const ops::Operation& operation : ops::all_operations()) {
    if (operation.category != spec::Category::A || !kRead.contains(operation.signature.output)) continue;
    const auto read = [](DataType type) { return kRead.contains(type); };
    if (!std::ranges::all_of(operation.signature.inputs, read)) continue;
    out.push_back(operation_program(operation));
  }
  return out;
}

std::expected<Reading, std::string> meaning_of(Pool& pool, Memory& memory, const ScalarProgram& program) {
  if (program.operation == nullptr || program.operation->define == nullptr)
    return read(pool, memory, program.kernel);
  const uint32_t at = uint32_t(program.operation->signature.inputs.size()), out = at + 1;
  const Term zero = pool.constant(32, 0);
  const auto load = [&](uint32_t buffer, Term i) {
    return pool.ite(pool.ult(i, memory.length(buffer)), memory.load(buffer, memory.place(buffer, i, 0)),
                    zero);
  };
  std::vector<Term> operands(at);
  const Term i = load(at, zero);
  for (uint32_t n = 0; n < at; ++n) operands[n] = load(n, i);
  const auto value = define(pool, *program.operation, operands);
  if (!value) return std::unexpected(value.error());
  Reading reading;
  reading.stores.push_back({out, memory.place(out, i, 0), pool.ult(i, memory.length(out)), *value});
  return reading;
}

Kernel raw_program(lower::RawOp op) {
  const std::vector<DataType> operands(lower::info(op).operands, DataType::U32);
  Writer writer(std::string(lower::info(op).mnemonic), operands, DataType::U32);
  const std::vector<Value> loaded = writer.load(InstKind::RawLoad);
  const Value result = writer.put({.kind = InstKind::Raw, .raw = op, .type = DataType::U32}, loaded);
  return writer.store(InstKind::RawStore, result);
}

RawReading meaning_of(Pool& pool, Memory& memory, lower::RawOp op) {
  const uint32_t at = lower::info(op).operands, out = at + 1;
  const Term zero = pool.constant(32, 0);
  std::vector<Term> assumed, operands;
  const Term i = memory.load(at, memory.place(at, zero, 0));
  for (uint32_t n = 0; n < at; ++n) {
    operands.push_back(memory.load(n, memory.place(n, i, 0)));
    assumed.push_back(memory.inside(n, memory.place(n, i, 0)));
  }
  assumed.push_back(memory.inside(out, memory.place(out, i, 0)));
  const RawMeaning meaning = encode(pool, op, operands);
  assumed.push_back(meaning.domain);
  RawReading reading;
  reading.reading.stores.push_back({out, memory.place(out, i, 0), pool.truth(true), meaning.value});
  reading.assumed = pool.all(assumed);
  return reading;
}

}  // namespace vyre::symbolic
