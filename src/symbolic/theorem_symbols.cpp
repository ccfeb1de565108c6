#include "symbolic/theorem_symbols.h"

#include "algebra/predicate.h"

namespace vyre::symbolic {
Symbols::Symbols(const Theorem& theorem) {
  constexpr std::string_view kSymbols[] = {"f", "g", "k", "h"};
  for (size_t i = 0; i < operations_.size(); ++i) operations_[i].id = kSymbols[i];
  set('h', info(theorem.form).operands);
  note(expression(theorem.form));
  for (const Premise& premise : theorem.premises) note(premise);
  note(theorem.conclusion);
}

void Symbols::set(char symbol, uint32_t operands) {
  if (operands > 0) operations_[slot(symbol)].signature = ops::words(operands);
}

void Symbols::note(const Expression& e) {
  set(e.symbol, uint32_t(e.operands.size()));
  for (const Expression& operand : e.operands) note(operand);
}

void Symbols::note(const Premise& premise) {
  for (const Expression& value : premise.values) note(value);
  if (premise.subject == 0) return;
  const uint32_t known = arity(premise.subject);
  if (known == 0) set(premise.subject, spec::info(premise.kind).operands);
  for (size_t i = 0; i < premise.others.size(); ++i)
    set(premise.others[i], algebra::operands_of_other(premise.kind, i, arity(premise.subject)));
}

algebra::BoundLaw Symbols::bind(const Premise& premise, std::span<const uint32_t> values,
                                spec::Law& law) const {
  law = {premise.kind};
  if (!values.empty()) law.value = values[0];
  if (values.size() > 1) law.high = values[1];
  const ops::Operation& subject = (*this)[premise.subject];
  algebra::BoundLaw out;
  out.law = &law;
  out.f = &subject;
  for (const char other : premise.others) {
    law.others.emplace_back(1, other);
    out.others.push_back(&(*this)[other]);
  }
  const uint32_t variables = spec::info(premise.kind).variables;
  out.variables.assign(variables == 0 ? subject.signature.inputs.size() : variables, spec::DataType::U32);
  return out;
}

}  // namespace vyre::symbolic
