// Small functions that refute what looks like a theorem: checked by evaluation, found by trying all.
#include <algorithm>
#include <array>

#include "symbolic/theorem_symbols.h"

namespace vyre::symbolic {
namespace {

/// The functions of a structure, applied.
class Tables final : public algebra::Evaluator {
 public:
  Tables(const Structure& structure, const Theorem& theorem, const Symbols& symbols)
      : structure_(structure), form_(expression(theorem.form)), symbols_(symbols) {}

  std::string subject() const override { return "structure"; }
  size_t slice() const override { return 27; }  // 3 elements, 3 variables
  Result<void> apply(const ops::Operation& operation, std::span<const uint32_t* const> inputs, uint32_t* out,
                     size_t n) override {
    for (size_t i = 0; i < n; ++i) {
      std::array<uint32_t, 3> operands{};
      for (size_t k = 0; k < inputs.size(); ++k) operands[k] = inputs[k][i];
      out[i] = apply(operation.id[0], std::span(operands).first(inputs.size()));
    }
    return {};
  }

  uint32_t value(const Expression& e, std::span<const uint32_t> operands = {}) const {
    if (e.symbol == 'a') return operands[0];
    if (e.symbol == 'b') return operands[1];
    if (e.symbol == 'c') return structure_.c;
    if (e.symbol == 'd') return structure_.d;
    std::array<uint32_t, 3> inner{};
    for (size_t i = 0; i < e.operands.size(); ++i) inner[i] = value(e.operands[i], operands);
    return apply(e.symbol, std::span(inner).first(e.operands.size()));
  }

  /// Whether a premise or conclusion holds for all values of its variables.
  bool holds(const Premise& premise) {
    std::vector<uint32_t> values;
    for (const Expression& e : premise.values) values.push_back(value(e));
    if (premise.subject == 0) return values[0] == values[1];
    spec::Law law;
    const algebra::BoundLaw bound = symbols_.bind(premise, values, law);
    std::vector<std::vector<uint32_t>> columns(bound.variables.size());
    size_t n = 1;
    for (size_t v = 0; v < columns.size(); ++v) n *= structure_.size;
    for (size_t i = 0; i < n; ++i) {
      size_t rest = i;
      for (auto& column : columns)
        column.push_back(uint32_t(rest % structure_.size)), rest /= structure_.size;
    }
    std::vector<const uint32_t*> pointers;
    for (const auto& column : columns) pointers.push_back(column.data());
    algebra::Flow flow(*this, slice());
    flow.begin(pointers, n);
    algebra::state(flow, bound);
    const auto truths = flow.end();
    return truths && std::ranges::all_of(*truths, [](uint8_t t) { return t != 0; });
  }

 private:
  uint32_t apply(char symbol, std::span<const uint32_t> operands) const {
    if (symbol == 'h') return value(form_, operands);
    const std::vector<uint32_t>& table = symbol == 'f'   ? structure_.f
                                         : symbol == 'g' ? structure_.g
                                                         : structure_.k;
    size_t at = 0;
    for (const uint32_t operand : operands) at = at * structure_.size + operand;
    return table[at];
  }

  const Structure& structure_;
  const Expression& form_;
  const Symbols& symbols_;
};

bool refutes(const Structure& structure, const Theorem& statement, const Symbols& symbols) {
  Tables tables(structure, statement, symbols);
  for (const Premise& premise : statement.premises) {
    if (!tables.holds(premise)) return false;
  }
  return !tables.holds(statement.conclusion);
}

/// The most structures that are searched.
constexpr uint64_t kMostStructures = 2'000'000;

/// The next of all tables of numbers below `size`, the last entry running fastest; false after the last.
bool next_tables(std::span<uint32_t* const> entries, uint32_t size) {
  for (size_t i = entries.size(); i-- > 0;) {
    if (++*entries[i] < size) return true;
    *entries[i] = 0;
  }
  return false;
}

bool mentions(const Expression& e, char symbol) {
  return e.symbol == symbol ||
         std::ranges::any_of(e.operands, [&](const auto& o) { return mentions(o, symbol); });
}
bool mentions(const Theorem& statement, char symbol) {
  const auto in = [&](const Expression& e) { return mentions(e, symbol); };
  const auto in_values = [&](const Premise& p) { return std::ranges::any_of(p.values, in); };
  return in(expression(statement.form)) || in_values(statement.conclusion) ||
         std::ranges::any_of(statement.premises, in_values);
}

bool fits(const std::vector<uint32_t>& table, uint32_t size, uint32_t arity) {
  size_t entries = arity == 0 ? 0 : 1;
  for (uint32_t i = 0; i < arity; ++i) entries *= size;
  return table.size() == entries && std::ranges::all_of(table, [&](uint32_t v) { return v < size; });
}

}  // namespace

bool refutes(const Structure& structure, const Theorem& statement) {
  const Symbols symbols(statement);
  const uint32_t size = structure.size;
  if (size < 2 || size > 3 || structure.c >= size || structure.d >= size) return false;
  if (!fits(structure.f, size, symbols.arity('f')) || !fits(structure.g, size, symbols.arity('g')) ||
      !fits(structure.k, size, symbols.arity('k'))) {
    return false;
  }
  return refutes(structure, statement, symbols);
}

std::optional<Structure> find_structure(const Theorem& statement) {
  const Symbols symbols(statement);
  for (const uint32_t size : {2u, 3u}) {
    Structure s;
    s.size = size;
    std::vector<uint32_t*> entries;
    uint64_t count = 1;
    for (auto [symbol, table] : {std::pair{'f', &s.f}, {'g', &s.g}, {'k', &s.k}}) {
      const uint32_t arity = symbols.arity(symbol);
      table->assign(arity == 0 ? 0 : arity == 1 ? size : size * size, 0);
      for (uint32_t& entry : *table) entries.push_back(&entry);
    }
    if (mentions(statement, 'c')) entries.push_back(&s.c);
    if (mentions(statement, 'd')) entries.push_back(&s.d);
    for (size_t i = 0; i < entries.size() && count <= kMostStructures; ++i) count *= size;
    if (count > kMostStructures) continue;
    do {
      if (refutes(s, statement, symbols)) return s;
    } while (next_tables(entries, size));
  }
  return std::nullopt;
}

}  // namespace vyre::symbolic
