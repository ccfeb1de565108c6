// Laws as formulas: the symbolic engine.
//
// The predicate of a law (spec/laws.def) is said in algebra::Terms. The other engines give those columns
// of values; here they are formulas over variables, so one statement says the same to all engines and a
// solver's verdict is about what the others ran. A claim is that all demands of the statement hold for all
// values of its variables. Source: semantics, "Laws and evidence".
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algebra/law.h"
#include "smt/term.h"
#include "solver/prover.h"

namespace vyre::symbolic {

/// What a law's operations mean: their definitions, or their compositions.
enum class Subject : uint8_t { Spec, Composition };
std::string_view text(Subject subject);  // "spec", "composition"

/// An operation on terms, or why it has no formula.
using Meaning = std::function<std::expected<smt::Term, std::string>(smt::Pool&, const ops::Operation&,
                                                                    std::span<const smt::Term>)>;
Meaning meaning(Subject subject);

/// A law's statement as a formula.
class LawTerms : public algebra::Terms {
 public:
  /// Shape  variables: one term a variable of the law, of `width` bits each: the width of a word.
  LawTerms(smt::Pool& pool, std::span<const smt::Term> variables, uint32_t width, Meaning meaning);

  algebra::Column constant(uint32_t value) override;
  algebra::Column apply(const ops::Operation& operation, std::span<const algebra::Column> inputs) override;
  algebra::Column operate(spec::Op op, std::span<const algebra::Column> inputs) override;
  algebra::Column sum(algebra::Column a, algebra::Column b) override;
  void require(algebra::Column truth) override;
  void require_equal(algebra::Column a, algebra::Column b, spec::DataType type) override;
  void require_ordered(algebra::Column a, algebra::Column b, spec::DataType type) override;
  void require_monotone(algebra::Column p, algebra::Column q, spec::DataType domain, algebra::Column a,
                        algebra::Column b, spec::DataType range) override;

  /// That every demand holds. Errors: why some part has no formula, or that nothing was demanded.
  std::expected<smt::Term, std::string> holds();

 protected:
  smt::Term term(algebra::Column c) const { return terms_[c.index]; }
  algebra::Column keep(smt::Term t);
  void fail(std::string reason);

 private:
  smt::Term at_most(smt::Term a, smt::Term b, spec::DataType type);

  smt::Pool& pool_;
  uint32_t width_;
  Meaning meaning_;
  std::vector<smt::Term> terms_;
  std::optional<smt::Term> demands_;
  std::string error_;
};

struct Claim {
  smt::Term holds;                   // a truth value
  std::vector<smt::Term> variables;  // of the law, in order; the order of counterexamples
};

/// What the law says of the subject, when a word has `width` bits (constants of the law are cut to it).
/// Errors: an operation that the subject gives no formula; a float.
std::expected<Claim, std::string> claim(smt::Pool& pool, const algebra::BoundLaw& law, Subject subject,
                                        uint32_t width = 32);
std::expected<Claim, std::string> claim(smt::Pool& pool, const algebra::BoundLaw& law, const Meaning& meaning,
                                        uint32_t width = 32);

/// Asks whether it holds for all values. Where there is no formula, or the encodings have not stood their
/// check (symbolic/encodings.h), the proof is Open with the reason. A counterexample has been evaluated by
/// the definition and, at 32 bits, by the operations' reference functions: one that they do not confirm is
/// none.
solver::Proof prove_law(solver::Prover& prover, const algebra::BoundLaw& law, Subject subject,
                        uint32_t width = 32);

}  // namespace vyre::symbolic
