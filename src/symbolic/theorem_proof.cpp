// Theorems as questions to solvers: text of the logic QF_UF, and proofs.
//
// A law that holds for all values holds at the terms that occur in the conclusion and in what the premises
// say of those; so many instances are enough for a proof, and a question without quantifiers is one that
// solvers always decide. Source: SMT-LIB 2.6, logic QF_UF; the instances are Herbrand's theorem at work.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "spec/ops.h"
#include "symbolic/theorem_symbols.h"

namespace vyre::symbolic {
namespace {

using algebra::Column;
using spec::DataType;
using spec::Op;

/// Constants of a law are given as this plus their place among its values; a literal of a statement is below.
constexpr uint32_t kValue = 0x40000000;

constexpr size_t kMostElements = 16, kMostOrdered = 10;

[[noreturn]] void fault(std::string_view why) {
  fmt::print(stderr, "theorems: {}\n", why);
  std::abort();
}

/// What a column is: an element of the sort, a truth value, or a number of truth values.
struct Cell {
  enum class Kind : uint8_t { Element, Truth, Count } kind = Kind::Element;
  std::string text;                 // Element, Truth
  std::vector<std::string> truths;  // Count
  std::optional<uint32_t> literal;  // Element: a number of the statement
};

/// All elements that occur, each once, in the order in which they came.
struct Elements {
  std::vector<std::string> texts;
  std::unordered_set<std::string> known;
  const std::string& add(std::string text) {
    if (known.insert(text).second) texts.push_back(text);
    return *known.find(text);
  }
  /// Those nearest to the conclusion. A law of three variables is said of every three of these, so that there
  /// must not be many; to leave some out makes a question weaker and no answer wrong.
  std::vector<std::string> first(size_t most) const {
    return {texts.begin(), texts.begin() + long(std::min(texts.size(), most))};
  }
};

/// Whatever a question is made of.
struct Parts {
  Elements elements;
  Elements ordered;  // what stands in an order
  std::set<uint32_t> literals;
};

/// The demands of one statement at some elements, as truth values.
class Instance final : public algebra::Terms {
 public:
  Instance(const Theorem& theorem, Parts& parts) : Terms(0), form_(expression(theorem.form)), parts_(parts) {}

  /// What the premise demands at these elements. Empty text: nothing.
  std::string demands(const Symbols& symbols, const Premise& premise, std::span<const std::string> at) {
    cells_.clear();
    demands_.clear();
    values_.clear();
    std::vector<uint32_t> values;
    for (const Expression& e : premise.values) {
      values.push_back(kValue + uint32_t(values.size()));
      values_.push_back(text(e, {}));
    }
    spec::Law law;
    const algebra::BoundLaw bound = symbols.bind(premise, values, law);
    variables_ = bound.variables.size();
    for (size_t i = 0; i < variables_; ++i) cells_.push_back({.text = parts_.elements.add(at[i])});
    algebra::state(*this, bound);
    if (demands_.empty()) fault(premise.text + " demands nothing");
    return demands_.size() == 1 ? demands_[0] : fmt::format("(and {})", fmt::join(demands_, " "));
  }

  /// An expression over elements for a and b.
  std::string text(const Expression& e, std::span<const std::string> operands) {
    if (e.symbol == 'a' || e.symbol == 'b') return operands[size_t(e.symbol - 'a')];
    if (e.operands.empty()) return parts_.elements.add(std::string(1, e.symbol));
    std::vector<std::string> inner;
    for (const Expression& operand : e.operands) inner.push_back(text(operand, operands));
    return apply(e.symbol, inner);
  }

  Column constant(uint32_t value) override {
    if (value >= kValue) return keep({.text = values_.at(value - kValue)});
    parts_.literals.insert(value);
    return keep({.text = parts_.elements.add(fmt::format("n{}", value)), .literal = value});
  }
  Column apply(const ops::Operation& operation, std::span<const Column> inputs) override {
    std::vector<std::string> operands;
    for (const Column input : inputs) operands.push_back(element(input));
    return keep({.text = apply(operation.id[0], operands)});
  }
  Column sum(Column a, Column b) override {
    return keep({.text = parts_.elements.add(fmt::format("(sum {} {})", element(a), element(b)))});
  }
  Column operate(Op op, std::span<const Column> inputs) override {
    const Cell a = cells_[inputs[0].index], b = cells_[inputs.back().index];
    const bool equation = op == Op::Eq || op == Op::Ne;
    if (equation && inputs.size() == 2) {
      const std::string same = equal(a, b);
      return keep_truth(op == Op::Eq ? same : fmt::format("(not {})", same));
    }
    if ((op == Op::BitOr || op == Op::Or) && inputs.size() == 2)
      return keep_truth(fmt::format("(or {} {})", truth(a), truth(b)));
    if ((op == Op::BitAnd || op == Op::And) && inputs.size() == 2)
      return keep_truth(fmt::format("(and {} {})", truth(a), truth(b)));
    if (op == Op::LogicalNot) return keep_truth(fmt::format("(not {})", truth(a)));
    if (op == Op::Add) {
      Cell total{.kind = Cell::Kind::Count};
      for (const Cell* part : {&a, &b}) {
        if (part->kind == Cell::Kind::Count) {
          total.truths.insert(total.truths.end(), part->truths.begin(), part->truths.end());
        } else {
          total.truths.push_back(truth(*part));
        }
      }
      return keep(std::move(total));
    }
    fault(fmt::format("{} has no meaning for functions of anything", spec::mnemonic(op)));
  }
  void require(Column t) override { demands_.push_back(truth(cells_[t.index])); }
  void require_equal(Column a, Column b, DataType) override {
    demands_.push_back(fmt::format("(= {} {})", element(a), element(b)));
  }
  void require_ordered(Column a, Column b, DataType) override { demands_.push_back(at_most(a, b)); }
  void require_monotone(Column p, Column q, DataType, Column a, Column b, DataType) override {
    demands_.push_back(fmt::format("(=> {} {})", at_most(p, q), at_most(a, b)));
  }

 private:
  Column keep(Cell cell) {
    cells_.push_back(std::move(cell));
    return Column{uint32_t(cells_.size() - 1)};
  }
  Column keep_truth(std::string text) { return keep({.kind = Cell::Kind::Truth, .text = std::move(text)}); }

  const std::string& element(Column c) const {
    const Cell& cell = cells_[c.index];
    if (cell.kind != Cell::Kind::Element) fault("a truth value stands where an element must");
    return cell.text;
  }
  static const std::string& truth(const Cell& cell) {
    if (cell.kind != Cell::Kind::Truth) fault("an element stands where a truth value must");
    return cell.text;
  }
  std::string equal(const Cell& a, const Cell& b) const {
    if (a.kind == Cell::Kind::Count && b.literal == 1u) return exactly_one(a.truths);
    if (a.kind != Cell::Kind::Element || b.kind != Cell::Kind::Element)
      fault("numbers of truth values are compared with 1 alone");
    return fmt::format("(= {} {})", a.text, b.text);
  }
  static std::string exactly_one(std::span<const std::string> truths) {
    std::string out = "(or";
    for (size_t i = 0; i < truths.size(); ++i) {
      out += " (and";
      for (size_t k = 0; k < truths.size(); ++k)
        out += k == i ? " " + truths[k] : fmt::format(" (not {})", truths[k]);
      out += ")";
    }
    return out + ")";
  }
  std::string at_most(Column a, Column b) {
    parts_.ordered.add(element(a));
    parts_.ordered.add(element(b));
    return fmt::format("(le {} {})", element(a), element(b));
  }
  std::string apply(char symbol, std::span<const std::string> operands) {
    if (symbol == 'h') return text(form_, operands);
    return parts_.elements.add(fmt::format("({} {})", symbol, fmt::join(operands, " ")));
  }

  const Expression& form_;
  Parts& parts_;
  std::vector<Cell> cells_;
  std::vector<std::string> values_, demands_;
};

/// All tuples of `n` of the texts.
std::vector<std::vector<std::string>> tuples(std::span<const std::string> of, size_t n) {
  std::vector<std::vector<std::string>> out = {{}};
  for (size_t i = 0; i < n; ++i) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& tuple : out) {
      for (const std::string& text : of) {
        longer.push_back(tuple);
        longer.back().push_back(text);
      }
    }
    out = std::move(longer);
  }
  return out;
}

/// A total order of these elements.
void order(std::span<const std::string> of, std::vector<std::string>& assertions) {
  for (const std::string& a : of) {
    for (const std::string& b : of) {
      assertions.push_back(fmt::format("(or (le {0} {1}) (le {1} {0}))", a, b));
      assertions.push_back(fmt::format("(=> (and (le {0} {1}) (le {1} {0})) (= {0} {1}))", a, b));
      for (const std::string& c : of)
        assertions.push_back(fmt::format("(=> (and (le {0} {1}) (le {1} {2})) (le {0} {2}))", a, b, c));
    }
  }
}

}  // namespace

std::string question(const Theorem& theorem, uint32_t rounds) {
  const Symbols symbols(theorem);
  Parts parts;
  Instance instance(theorem, parts);
  // Fresh elements, at which the conclusion fails.
  const std::vector<std::string> fresh = {"x0", "x1", "x2"};
  std::vector<std::string> assertions = {
      fmt::format("(not {})", instance.demands(symbols, theorem.conclusion, fresh))};
  for (const Premise& premise : theorem.premises) {
    for (const Expression& value : premise.values) instance.text(value, {});
  }
  for (uint32_t round = 0; round < rounds; ++round) {
    const std::vector<std::string> at = parts.elements.first(kMostElements);
    for (const Premise& premise : theorem.premises) {
      if (premise.subject == 0) {
        assertions.push_back(fmt::format("(= {} {})", instance.text(premise.values[0], {}),
                                         instance.text(premise.values[1], {})));
        continue;
      }
      spec::Law law;
      const std::vector<uint32_t> values(premise.values.size());
      const size_t variables = symbols.bind(premise, values, law).variables.size();
      for (const auto& tuple : tuples(at, variables))
        assertions.push_back(instance.demands(symbols, premise, tuple));
    }
  }
  order(parts.ordered.first(kMostOrdered), assertions);

  std::string out = "(set-logic QF_UF)\n(declare-sort U 0)\n";
  for (const char symbol : {'f', 'g', 'k'}) {
    const uint32_t arity = symbols.arity(symbol);
    if (arity > 0) out += fmt::format("(declare-fun {} ({}) U)\n", symbol, arity == 1 ? "U" : "U U");
  }
  out += "(declare-fun sum (U U) U)\n(declare-fun le (U U) Bool)\n";
  for (const char constant : {'c', 'd'}) out += fmt::format("(declare-fun {} () U)\n", constant);
  for (const std::string& x : fresh) out += fmt::format("(declare-fun {} () U)\n", x);
  for (const uint32_t literal : parts.literals) out += fmt::format("(declare-fun n{} () U)\n", literal);
  for (const std::string& assertion : assertions) out += fmt::format("(assert {})\n", assertion);
  return out;
}

std::vector<TheoremProof> prove_theorems(const solver::Limits& limits) {
  const auto first = solver::open(solver::Which::Z3), second = solver::open(solver::Which::Cvc5);
  std::vector<TheoremProof> out;
  for (const Theorem& theorem : theorems()) {
    TheoremProof& proof = out.emplace_back();
    for (uint32_t rounds = 1; rounds <= 2 && proof.outcome == solver::Outcome::Open; ++rounds) {
      const std::string script = question(theorem, rounds);
      proof.statement = sha256(script);
      proof.reason.clear();
      for (const auto* solver : {&first, &second}) {
        if (!*solver) {
          proof.reason += solver->error() + "; ";
          continue;
        }
        const solver::Reply reply = (**solver)->check(script, limits);
        const std::string name = fmt::format("{} {}", (**solver)->name(), (**solver)->version());
        proof.seconds += reply.seconds;
        if (reply.answer == solver::Answer::Unsatisfiable) {
          (proof.solver.empty() ? proof.solver : proof.confirmed) = name;
          proof.outcome = solver::Outcome::Proved;
        } else if (reply.answer == solver::Answer::Satisfiable && !proof.solver.empty()) {
          proof.outcome = solver::Outcome::Open;
          proof.reason = fmt::format("{} and {} disagree", proof.solver, name);
        } else {
          proof.reason +=
              fmt::format("{}: {}; ", name, reply.reason.empty() ? text(reply.answer) : reply.reason);
        }
      }
    }
  }
  return out;
}

}  // namespace vyre::symbolic
