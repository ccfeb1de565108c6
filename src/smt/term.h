// Terms: formulas over bit vectors, as data.
//
// What a solver is asked, a reader of emitted code finds and an operation's definition says is one thing: a
// graph of terms in a Pool. A term is a bit vector of 1 to 128 bits, or a truth value (width 0). Terms are
// made by functions that read like the formula, equal terms are one term, and terms of constants alone are
// folded by the evaluator below; nothing else is simplified, so that what is printed is what was said.
// evaluate() gives a term's value for given variables, script() its text in SMT-LIB, the common language of
// solvers; both follow SMT-LIB's total functions, which are not those of vyre (ref/eval.cpp): here x / 0 is
// all ones, x mod 0 is x, a shift by the width or more leaves zeros (or sign bits). Source: SMT-LIB 2.6,
// theory FixedSizeBitVectors and logic QF_BV.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/digest.h"

namespace vyre::smt {

/// A value's bits, the low `width` of them; a truth value is 0 or 1.
__extension__ using Bits = unsigned __int128;

inline constexpr uint32_t kMaxWidth = 128;

/// What a term is made by. VYRE_TERM(Name, SMT-LIB name, operands)
enum class Kind : uint8_t {
#define VYRE_TERM(Name, text, operands) Name,
#include "smt/terms.def"
#undef VYRE_TERM
};
struct KindInfo {
  Kind kind;
  std::string_view text;
  uint32_t operands;
};
const KindInfo& info(Kind kind);

/// A term of a Pool; cheap to copy.
struct Term {
  uint32_t id = 0;
  bool operator==(const Term&) const = default;
};

struct Node {
  Kind kind{};
  uint32_t width = 0;     // 0: a truth value
  uint32_t low = 0;       // Extract: the lowest bit taken
  Term operands[3] = {};  // as many as info(kind).operands
  Bits bits = 0;          // Constant
  uint32_t name = 0;      // Variable: its place among variables()
};

/// One value of one variable.
struct Assigned {
  Term variable;
  Bits value = 0;
};

class Pool {
 public:
  // Leaves.
  /// Domain: width 1 to 128. Bits above the width are cut off.
  Term constant(uint32_t width, Bits value);
  Term truth(bool value);
  /// The variable of that name: a name has one width (0: a truth value) for ever. Domain: name is letters,
  /// digits, '_' and '.', and does not begin with '.', a digit, or "t." as the script's own names do.
  Term variable(std::string_view name, uint32_t width);

  // Bit vectors of one width.
  Term add(Term a, Term b) { return make(Kind::Add, {a, b}); }
  Term sub(Term a, Term b) { return make(Kind::Sub, {a, b}); }
  Term mul(Term a, Term b) { return make(Kind::Mul, {a, b}); }
  Term udiv(Term a, Term b) { return make(Kind::UDiv, {a, b}); }
  Term urem(Term a, Term b) { return make(Kind::URem, {a, b}); }
  Term sdiv(Term a, Term b) { return make(Kind::SDiv, {a, b}); }
  Term srem(Term a, Term b) { return make(Kind::SRem, {a, b}); }
  Term bit_and(Term a, Term b) { return make(Kind::BitAnd, {a, b}); }
  Term bit_or(Term a, Term b) { return make(Kind::BitOr, {a, b}); }
  Term bit_xor(Term a, Term b) { return make(Kind::BitXor, {a, b}); }
  Term bit_not(Term a) { return make(Kind::BitNot, {a}); }
  Term neg(Term a) { return make(Kind::Neg, {a}); }
  Term shl(Term a, Term b) { return make(Kind::Shl, {a, b}); }
  Term lshr(Term a, Term b) { return make(Kind::LShr, {a, b}); }
  Term ashr(Term a, Term b) { return make(Kind::AShr, {a, b}); }

  // Between widths. concat puts `high` above `low`; the sum of the widths is at most 128.
  Term concat(Term high, Term low);
  /// Bits low .. low + width - 1.
  Term extract(Term a, uint32_t low, uint32_t width);
  /// Domain: width at least that of a.
  Term zero_extend(Term a, uint32_t width);
  Term sign_extend(Term a, uint32_t width);
  /// Extends with zeros or cuts off.
  Term resize(Term a, uint32_t width);

  // Truth values.
  Term eq(Term a, Term b) { return make(Kind::Eq, {a, b}); }  // of bit vectors or of truth values
  Term ne(Term a, Term b) { return not_(eq(a, b)); }
  Term ult(Term a, Term b) { return make(Kind::ULt, {a, b}); }
  Term ule(Term a, Term b) { return make(Kind::ULe, {a, b}); }
  Term slt(Term a, Term b) { return make(Kind::SLt, {a, b}); }
  Term sle(Term a, Term b) { return make(Kind::SLe, {a, b}); }
  Term and_(Term a, Term b) { return make(Kind::And, {a, b}); }
  Term or_(Term a, Term b) { return make(Kind::Or, {a, b}); }
  Term not_(Term a) { return make(Kind::Not, {a}); }
  Term implies(Term a, Term b) { return make(Kind::Implies, {a, b}); }
  Term all(std::span<const Term> of);
  Term any(std::span<const Term> of);
  /// Domain: condition is a truth value; a and b have one width, which may be 0.
  Term ite(Term condition, Term a, Term b) { return make(Kind::Ite, {condition, a, b}); }

  // Words that count as truth values, and back.
  Term is_zero(Term a) { return eq(a, constant(width(a), 0)); }
  Term is_not_zero(Term a) { return not_(is_zero(a)); }
  /// 1 or 0 in `width` bits.
  Term word(Term truth, uint32_t width) { return ite(truth, constant(width, 1), constant(width, 0)); }

  /// Any of the above by its kind; what the functions do. Domain: as theirs; a fault in the operands' widths
  /// is a fault of the caller and ends the process with its name.
  Term make(Kind kind, std::initializer_list<Term> operands) {
    return make(kind, std::span(operands.begin(), operands.size()), 0, 0);
  }

  const Node& operator[](Term t) const { return nodes_[t.id]; }
  uint32_t width(Term t) const { return nodes_[t.id].width; }
  bool is_constant(Term t) const { return nodes_[t.id].kind == Kind::Constant; }
  size_t size() const { return nodes_.size(); }
  /// Every variable, in the order in which they were first named.
  const std::vector<Term>& variables() const { return variables_; }
  const std::string& name(Term variable) const { return names_[nodes_[variable.id].name]; }
  /// The variables that the term depends on, in the order of variables().
  std::vector<Term> variables_of(Term t) const;

 private:
  Term make(Kind kind, std::span<const Term> operands, uint32_t width, uint32_t low);
  Term keep(const Node& node);

  std::vector<Node> nodes_;
  std::unordered_multimap<uint64_t, uint32_t> known_;  // by hash: the nodes
  std::vector<std::string> names_;
  std::vector<Term> variables_;
};

/// By id: whether the term depends on it.
std::vector<bool> needed_by(const Pool& pool, Term t);
/// The value of a term. Domain: every variable that it depends on is assigned; others may be. Cost: linear in
/// the pool up to the term.
Bits evaluate(const Pool& pool, Term t, std::span<const Assigned> variables);
/// The same for many assignments: one call, one walk over the graph each, no memory asked for after the
/// first.
class Evaluation {
 public:
  Evaluation(const Pool& pool, Term t);
  /// values: of variables(), in order.
  Bits operator()(std::span<const Bits> values);
  /// What the term depends on.
  const std::vector<Term>& variables() const { return variables_; }

 private:
  const Pool& pool_;
  Term root_;
  std::vector<Term> variables_;
  std::vector<uint32_t> order_;  // the nodes that matter, operands first
  std::vector<Bits> values_;     // by id
};

/// The text that asks a solver whether `assertion` (a truth value) can be true: logic, declarations, shared
/// terms as definitions, the assertion; without (check-sat). The same term gives the same text whatever else
/// is in the pool, so its digest names the statement.
std::string script(const Pool& pool, Term assertion);
/// SHA-256 of script().
Digest statement_digest(const Pool& pool, Term assertion);

}  // namespace vyre::smt
