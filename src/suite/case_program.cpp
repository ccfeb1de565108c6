#include "suite/case_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "algebra/law.h"
#include "ir/builder.h"

namespace vyre::suite {
namespace {

using algebra::Column;
using generate::ProgramCase;
using ir::Ex;
using spec::DataType;

/// One element from its words, which may be more than its bytes.
Bytes element(DataType type, std::span<const uint32_t> words) {
  Bytes out(spec::info(type).bytes);
  std::memcpy(out.data(), words.data(), std::min(out.size(), words.size_bytes()));
  return out;
}

/// The statement of a law as expressions. What is demanded is not decided here: the sides are stored, and
/// the caller, which knows them, compares.
class Sides final : public algebra::Terms {
 public:
  Sides(ir::ProgramBuilder& p, std::vector<Ex> variables)
      : Terms(variables.size()), p_(p), columns_(std::move(variables)) {}

  Column constant(uint32_t value) override { return keep(p_.u32(value)); }
  Column apply(const ops::Operation& operation, std::span<const Column> inputs) override {
    std::vector<Ex> arguments;
    for (size_t k = 0; k < inputs.size(); ++k)
      arguments.push_back(typed(at(inputs[k]), operation.signature.inputs[k]));
    return named(word(p_.call(operation.id, arguments, operation.version), operation.signature.output));
  }
  Column sum(Column a, Column b) override { return named(at(a) + at(b)); }
  Column operate(spec::Op op, std::span<const Column> inputs) override {
    std::vector<Ex> operands;
    for (const Column c : inputs) operands.push_back(at(c));
    return named(p_.apply(op, operands));
  }
  void require(Column truth) override { demand({truth}); }
  void require_equal(Column a, Column b, DataType) override { demand({a, b}); }
  void require_ordered(Column a, Column b, DataType) override { demand({a, b}); }
  void require_monotone(Column p, Column q, DataType, Column a, Column b, DataType) override {
    demand({p, q, a, b});
  }

  const std::vector<Ex>& sides() const { return sides_; }
  static Ex word_of(ir::ProgramBuilder& p, Ex value, DataType type) {
    if (type == DataType::Bool) return p.select(value, p.u32(1), p.u32(0));
    return type == DataType::U32 ? value : p.bitcast(DataType::U32, value);
  }

 private:
  Ex at(Column c) const { return columns_[c.index]; }
  Column keep(Ex value) {
    columns_.push_back(value);
    return Column{uint32_t(columns_.size() - 1)};
  }
  Column named(Ex value) { return keep(p_.let(fmt::format("r{}", columns_.size()), value)); }
  Ex typed(Ex value, DataType type) {
    if (type == DataType::Bool) return p_.cast(type, value & 1);
    return type == DataType::U32 ? value : p_.bitcast(type, value);
  }
  Ex word(Ex value, DataType type) { return word_of(p_, value, type); }
  void demand(std::initializer_list<Column> sides) {
    for (const Column c : sides) sides_.push_back(at(c));
  }

  ir::ProgramBuilder& p_;
  std::vector<Ex> columns_;
  std::vector<Ex> sides_;
};

}  // namespace

ProgramCase program_at(const verify::Application& what, std::span<const uint32_t> operands,
                       std::span<const uint32_t> expected) {
  ProgramCase out;
  out.program = verify::elementwise_program(what, 1);
  for (size_t k = 0, at = 0; k < what.inputs.size(); ++k) {
    const size_t words = spec::value_words(what.inputs[k]);
    out.buffers.push_back(element(what.inputs[k], operands.subspan(at, words)));
    at += words;
  }
  const std::vector<uint32_t> poison(verify::output_words(what),
                                     verify::poison_for(what.output, expected, 0, 0));
  out.buffers.push_back(element(what.output, poison));
  return out;
}

Diag no_such_case(std::string message) {
  return make_diag(DiagCode::C003, Span::none(), std::move(message), "copy the whole token from the report");
}

Result<algebra::BoundLaw> bind_law(const spec::Law& law, const ops::Operation& operation,
                                   std::span<const uint32_t> values, const algebra::Lookup& lookup) {
  auto bound = algebra::bind(law, operation, lookup);
  if (!bound) return std::unexpected(no_such_case(bound.error()));
  if (bound->variables.size() == values.size()) return std::move(*bound);
  return std::unexpected(
      no_such_case(fmt::format("{} ranges over {} values, the token has {}", spec::to_string(law),
                               bound->variables.size(), values.size())));
}

Result<ProgramCase> law_program(const spec::Law& law, const ops::Operation& operation,
                                std::span<const uint32_t> values, const algebra::Lookup& lookup) {
  VYRE_TRY(bound, bind_law(law, operation, values, lookup));
  ProgramCase out;
  ir::ProgramBuilder p("law");
  std::vector<Ex> variables;
  for (uint32_t k = 0; k < values.size(); ++k) {
    const DataType type = bound.variables[k];
    const ir::BufferRef buffer = p.read(std::string(1, char('a' + k)), type, k);
    variables.push_back(p.let(fmt::format("x{}", k), Sides::word_of(p, p.load(buffer, p.u32(0)), type)));
    out.buffers.push_back(element(type, values.subspan(k, 1)));
  }
  const ir::BufferRef stored = p.read_write("sides", DataType::U32, uint32_t(values.size()));
  Sides sides(p, std::move(variables));
  algebra::state(sides, bound);
  for (uint32_t k = 0; k < sides.sides().size(); ++k) p.store(stored, p.u32(k), sides.sides()[k]);
  out.buffers.push_back(to_bytes(std::vector<uint32_t>(sides.sides().size(), 0xdeadbeef)));
  out.program = p.finish();
  return out;
}

}  // namespace vyre::suite
