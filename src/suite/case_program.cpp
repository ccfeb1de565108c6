#include "suite/case_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "algebra/law.h"
#include "base/names.h"
#include "ir/builder.h"
#include "verify/examine.h"
#include "verify/shape_factors.h"

namespace vyre::suite {
namespace {

using algebra::Column;
using generate::ProgramCase;
using ir::Ex;
using spec::DataType;
using verify::Token;

constexpr std::string_view kCopy = "copy the whole token from the report";

Diag malformed(std::string message) {
  return make_diag(DiagCode::C003, Span::none(), std::move(message), std::string(kCopy));
}

/// One element from its words, which may be more than its bytes.
Bytes element(DataType type, std::span<const uint32_t> words) {
  Bytes out(spec::info(type).bytes);
  std::memcpy(out.data(), words.data(), std::min(out.size(), words.size_bytes()));
  return out;
}

/// The statement of a law as expressions. What is demanded is not decided here: the sides are stored, and
/// the caller, who knows them, compares.
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

std::optional<verify::Family> find_family(std::string_view name) {
  for (const verify::FamilyInfo& f : verify::kFamilies) {
    if (f.text == name) return f.family;
  }
  return std::nullopt;
}

}  // namespace

Diag unknown_part(const Token& token, std::string_view what) {
  std::vector<std::string> subjects;
  for (const ops::Operation& op : ops::all_operations())
    subjects.push_back(verify::subject_of(op.id, op.version));
  NearestName nearest(what == "subject" ? token.subject : std::string_view{});
  for (const std::string& subject : subjects) nearest.consider(subject);
  return make_diag(DiagCode::C003, Span::none(),
                   fmt::format("the token's {} \"{}\" is not known here", what,
                               what == "subject" ? token.subject : token.strategy),
                   nearest.help_or("tokens are valid in builds that have the same operations and families"));
}

Result<Addressee> find_addressee(const Token& token) {
  for (const ops::Operation& op : ops::all_operations()) {
    if (verify::subject_of(op.id, op.version) == token.subject)
      return Addressee{.operation = &op, .subject = verify::subject_of(op)};
  }
  if (const auto family = find_family(token.subject)) return Addressee{.family = family};
  const auto family = find_family(std::string_view(token.subject).substr(0, token.subject.find('/')));
  if (family) {
    for (verify::Subject& subject : verify::elementwise_subjects(*family)) {
      if (subject.name == token.subject) return Addressee{.family = family, .subject = std::move(subject)};
    }
  }
  return std::unexpected(unknown_part(token, "subject"));
}

Result<uint64_t> count_cases(const verify::Subject& subject, std::string_view strategy, const Token& token) {
  if (strategy == "rows") return subject.rows.size();
  if (strategy == "whole") return verify::whole_domain(subject);
  const auto known = generate::find_strategy(strategy);
  if (!known) return std::unexpected(unknown_part(token, "strategy"));
  return subject.cases(*known, token.seed).size();
}

Result<void> expect_case(const verify::Subject& subject, const Token& token) {
  if (token.strategy == "operands") {
    const size_t words = verify::input_words(subject.application);
    if (token.values.size() == words) return {};
    return std::unexpected(malformed(
        fmt::format("{} has {} words of operands, the token {}", subject.name, words, token.values.size())));
  }
  VYRE_TRY(count, count_cases(subject, token.strategy, token));
  if (token.index < count) return {};
  return std::unexpected(
      malformed(fmt::format("{} has {} cases of the strategy \"{}\", so none with number {}", subject.name,
                            count, token.strategy, token.index)));
}

Result<std::vector<uint32_t>> operands_of(const verify::Subject& subject, const Token& token,
                                          backend::Backend& backend) {
  VYRE_CHECK(expect_case(subject, token));
  if (token.strategy == "operands") return token.values;
  const verify::SubjectBench bench(backend, subject, {}, token.seed);
  return bench.operands({*verify::SubjectBench::source_of(token.strategy), token.index});
}

ProgramCase program_at(const verify::Subject& subject, std::span<const uint32_t> operands) {
  std::vector<const uint32_t*> columns;
  for (const uint32_t& word : operands) columns.push_back(&word);
  std::vector<uint32_t> expected(verify::output_words(subject.application));
  subject.expected(columns, expected);
  return program_at(subject.application, operands, expected);
}

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

Result<ProgramCase> law_at(const ops::Operation& operation, uint64_t number,
                           std::span<const uint32_t> values) {
  const std::string name = verify::subject_of(operation.id, operation.version);
  if (number >= operation.laws.size() + operation.denied.size())
    return std::unexpected(malformed(fmt::format("{} has no law with number {}", name, number)));
  const bool claimed = number < operation.laws.size();
  const spec::Law& law =
      claimed ? operation.laws[number] : operation.denied[number - operation.laws.size()].law;
  return law_program(law, operation, values);
}

Result<ProgramCase> law_program(const spec::Law& law, const ops::Operation& operation,
                                std::span<const uint32_t> values, const algebra::Lookup& lookup) {
  const auto bound = algebra::bind(law, operation, lookup);
  if (!bound) return std::unexpected(malformed(bound.error()));
  if (bound->variables.size() != values.size()) {
    return std::unexpected(
        malformed(fmt::format("{} ranges over {} values, the token has {}", spec::to_string(law),
                              bound->variables.size(), values.size())));
  }
  ProgramCase out;
  ir::ProgramBuilder p("law");
  std::vector<Ex> variables;
  for (uint32_t k = 0; k < values.size(); ++k) {
    const DataType type = bound->variables[k];
    const ir::BufferRef buffer = p.read(std::string(1, char('a' + k)), type, k);
    variables.push_back(p.let(fmt::format("x{}", k), Sides::word_of(p, p.load(buffer, p.u32(0)), type)));
    out.buffers.push_back(element(type, values.subspan(k, 1)));
  }
  const ir::BufferRef stored = p.read_write("sides", DataType::U32, uint32_t(values.size()));
  Sides sides(p, std::move(variables));
  algebra::state(sides, *bound);
  for (uint32_t k = 0; k < sides.sides().size(); ++k) p.store(stored, p.u32(k), sides.sides()[k]);
  out.buffers.push_back(to_bytes(std::vector<uint32_t>(sides.sides().size(), 0xdeadbeef)));
  out.program = p.finish();
  return out;
}

Result<std::optional<ProgramCase>> case_program(const Token& token, backend::Backend& backend) {
  VYRE_TRY(who, find_addressee(token));
  if (who.operation != nullptr && token.strategy == "law") {
    VYRE_TRY(law, law_at(*who.operation, token.index, token.values));
    return std::optional(std::move(law));
  }
  if (who.subject) {
    VYRE_TRY(operands, operands_of(*who.subject, token, backend));
    return std::optional(program_at(*who.subject, operands));
  }
  const verify::Family family = *who.family;
  if (family == verify::Family::PlantedLaws || verify::depends_on_schedule(family) ||
      token.strategy == "claim")
    return std::optional<ProgramCase>();
  if (token.strategy != "program" || !verify::has_programs(family))
    return std::unexpected(unknown_part(token, "strategy"));
  if (family == verify::Family::Shapes && !verify::row_of(token.index))
    return std::unexpected(
        malformed(fmt::format("{} has no case with number {}", token.subject, token.index)));
  return std::optional(verify::family_case(family, token.seed, token.index, backend.limits()));
}

}  // namespace vyre::suite
