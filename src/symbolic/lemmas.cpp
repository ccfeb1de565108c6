#include "symbolic/lemmas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/registry.h"
#include "symbolic/encodings.h"
#include "symbolic/functions.h"
#include "symbolic/laws.h"

namespace vyre::symbolic {
namespace {

using smt::Pool;
using smt::Term;
using spec::LawKind;

constexpr std::string_view kGcd = "primitive.math.gcd", kLcm = "primitive.math.lcm";
constexpr uint32_t kWidth = 32;

/// How many steps Euclid's algorithm takes at most on words (Lame): n divisions on x > y want an x of at
/// least the Fibonacci number F(n + 2), and where x is below y the first step only exchanges them.
constexpr uint32_t euclid_steps() {
  uint64_t lower = 1, upper = 2;  // F(2), F(3): the least x of one division that leaves nothing is F(3)
  uint32_t divisions = 0;
  while (upper >> kWidth == 0) {
    const uint64_t next = lower + upper;
    lower = upper;
    upper = next;
    ++divisions;
  }
  return divisions + 1;
}
static_assert(euclid_steps() == 46);

/// That the composition of gcd is Euclid's algorithm, as many steps as can be needed: (x, y) becomes (y, x
/// mod y) while y is not zero.
std::expected<Claim, std::string> is_euclid(Pool& pool, const ops::Operation& gcd) {
  Claim out;
  out.variables = operands_of(pool, gcd);
  const auto composition = compose(pool, gcd, out.variables);
  if (!composition) return std::unexpected(composition.error());
  Term x = out.variables[0], y = out.variables[1];
  const Term zero = pool.constant(kWidth, 0);
  for (uint32_t step = 0; step < euclid_steps(); ++step) {
    // Nothing is left of a division by zero, as of any operator's; the condition keeps it out.
    const Term left = pool.is_not_zero(y);
    const Term rest = pool.ite(pool.is_zero(y), zero, pool.urem(x, y));
    x = pool.ite(left, y, x);
    y = pool.ite(left, rest, y);
  }
  // One formula twice needs no solver.
  out.holds = *composition == x ? pool.truth(true) : pool.eq(*composition, x);
  return out;
}

/// gcd as any function with the laws of gcd: each application is a new value, and what the laws say of it is
/// an assumption.
class AnyGcd {
 public:
  Term operator()(Pool& pool, Term a, Term b) {
    for (const Known& k : known_) {
      if ((k.a == a && k.b == b) || (k.a == b && k.b == a)) return k.value;  // Commutative
    }
    const Term value = pool.variable(fmt::format("gcd.{}", known_.size()), kWidth);
    const Term one = pool.constant(kWidth, 1);
    assumed_.push_back(pool.implies(pool.eq(a, b), pool.eq(value, a)));    // Idempotent
    assumed_.push_back(pool.implies(pool.is_zero(a), pool.eq(value, b)));  // Identity(0)
    assumed_.push_back(pool.implies(pool.is_zero(b), pool.eq(value, a)));
    assumed_.push_back(pool.implies(pool.eq(a, one), pool.eq(value, one)));  // Absorbing(1)
    assumed_.push_back(pool.implies(pool.eq(b, one), pool.eq(value, one)));
    known_.push_back({a, b, value});
    return value;
  }
  /// The assumptions imply it.
  Term follows(Pool& pool, Term claim) const { return pool.implies(pool.all(assumed_), claim); }
  Calls calls() {
    return [this](Pool& pool, const spec::OpDef& callee, std::span<const Term> x) -> std::optional<Term> {
      if (callee.id != kGcd) return std::nullopt;
      return (*this)(pool, x[0], x[1]);
    };
  }

 private:
  struct Known {
    Term a, b, value;
  };
  std::vector<Known> known_;
  std::vector<Term> assumed_;
};

/// The law of lcm's composition, for any gcd that has its laws.
std::expected<Claim, std::string> from_gcd(Pool& pool, const algebra::BoundLaw& law) {
  AnyGcd gcd;
  const Calls calls = gcd.calls();
  const Meaning meaning = [&](Pool& p, const ops::Operation& operation, std::span<const Term> x) {
    return execute(p, ops::body_of(operation), ops::op_table(), x, calls);
  };
  auto out = claim(pool, law, meaning, kWidth);
  if (out) out->holds = gcd.follows(pool, out->holds);
  if (out) out->variables = pool.variables();
  return out;
}

/// A formula over a, b and their gcd, stated in g and the quotients a / g and b / g, which are exact.
class Quotients {
 public:
  explicit Quotients(Pool& pool)
      : pool_(pool),
        g_(pool.variable("g", kWidth)),
        quotients_{pool.variable("a_by_g", kWidth), pool.variable("b_by_g", kWidth)} {}

  Term operator()(Term t) {
    if (const auto known = known_.find(t.id); known != known_.end()) return known->second;
    const smt::Node n = pool_[t];
    std::array<Term, 3> x{};
    const uint32_t operands = smt::info(n.kind).operands;
    for (uint32_t k = 0; k < operands; ++k) x[k] = (*this)(n.operands[k]);
    const Term out = rewritten(t, n.kind, x, operands);
    known_.emplace(t.id, out);
    return out;
  }

 private:
  Term rewritten(Term t, smt::Kind kind, const std::array<Term, 3>& x, uint32_t operands) {
    if (kind == smt::Kind::Variable) {
      if (pool_.name(t) == "a") return pool_.mul(quotients_[0], g_);
      if (pool_.name(t) == "b") return pool_.mul(quotients_[1], g_);
      return g_;
    }
    for (const Term q : quotients_) {
      if (kind == smt::Kind::UDiv && x[0] == pool_.mul(q, g_) && x[1] == g_) return q;
    }
    // Where g is zero so are a and b, and their quotients are taken to be zero: a = (a / g) * g even there.
    const Term zero = pool_.constant(kWidth, 0);
    const bool by_zero = kind == smt::Kind::Ite && x[0] == pool_.eq(g_, zero) && x[1] == zero;
    if (by_zero && (x[2] == quotients_[0] || x[2] == quotients_[1])) return x[2];
    if (operands == 0) return t;
    if (operands == 1) return pool_.make(kind, {x[0]});
    if (operands == 2) return pool_.make(kind, {x[0], x[1]});
    return pool_.make(kind, {x[0], x[1], x[2]});
  }

  Pool& pool_;
  Term g_;
  std::array<Term, 2> quotients_;
  std::unordered_map<uint32_t, Term> known_;
};

/// That lcm is commutative, by exact quotients.
std::expected<Claim, std::string> by_quotients(Pool& pool, const algebra::BoundLaw& law) {
  AnyGcd gcd;
  const Calls calls = gcd.calls();
  auto out = claim(
      pool, law,
      [&](Pool& p, const ops::Operation& operation, std::span<const Term> x) {
        return execute(p, ops::body_of(operation), ops::op_table(), x, calls);
      },
      kWidth);
  if (out) out->holds = Quotients(pool)(out->holds);
  if (out) out->variables = pool.variables();
  return out;
}

/// That lcm's composition times the gcd is the product, by exact quotients.
std::expected<Claim, std::string> is_product(Pool& pool, const ops::Operation& lcm) {
  AnyGcd gcd;
  const auto x = operands_of(pool, lcm);
  const auto composition = execute(pool, ops::body_of(lcm), ops::op_table(), x, gcd.calls());
  if (!composition) return std::unexpected(composition.error());
  const Term product = pool.eq(pool.mul(*composition, gcd(pool, x[0], x[1])), pool.mul(x[0], x[1]));
  const Term holds = Quotients(pool)(product);
  return Claim{holds, pool.variables()};
}

enum class Premise : uint8_t { Euclid, FromGcd, Quotients };
struct Lemma {
  std::string_view operation;
  LawKind kind;
  std::string_view other;  // the first operation that the law names, or ""
  Premise premise;
  std::string_view theorem, from;
};

constexpr std::string_view kMeet = "gcd is the meet of divisibility",
                           kSteps = "its composition is Euclid's algorithm with every step it can take",
                           kValuation = "the power of two in a gcd is the least, in an lcm the greatest",
                           kExact = "quotients by the gcd are exact",
                           kBounds = "gcd is any function with its laws",
                           kLaws = "its composition divides by gcd and multiplies";
constexpr Lemma kLemmas[] = {
    {kGcd, LawKind::Commutative, "", Premise::Euclid, kMeet, kSteps},
    {kGcd, LawKind::Associative, "", Premise::Euclid, kMeet, kSteps},
    {kGcd, LawKind::Idempotent, "", Premise::Euclid, kMeet, kSteps},
    {kGcd, LawKind::Identity, "", Premise::Euclid, kMeet, kSteps},
    {kGcd, LawKind::Absorbing, "", Premise::Euclid, kMeet, kSteps},
    {kLcm, LawKind::Commutative, "", Premise::Quotients, kExact, kLaws},
    {kLcm, LawKind::Idempotent, "", Premise::FromGcd, kBounds, kLaws},
    {kLcm, LawKind::Identity, "", Premise::FromGcd, kBounds, kLaws},
    {kLcm, LawKind::Absorbing, "", Premise::FromGcd, kBounds, kLaws},
    {"primitive.bitwise.ctz", LawKind::DeMorgan, kGcd, Premise::Euclid, kValuation, kSteps},
    {"primitive.bitwise.ctz", LawKind::DeMorgan, kLcm, Premise::Euclid, kValuation, kSteps},
};

/// A theorem of the books speaks of the library's own operations, and of the law with its own constants.
bool states(const Lemma& lemma, const algebra::BoundLaw& law) {
  if (law.f->id != lemma.operation || law.law->kind != lemma.kind) return false;
  if (!lemma.other.empty() && (law.others.empty() || law.others[0]->id != lemma.other)) return false;
  const auto own = [](const ops::Operation* operation) {
    return operation == ops::find_operation(operation->id, operation->version);
  };
  if (!own(law.f) || !std::ranges::all_of(law.others, own)) return false;
  if (law.f->id == kGcd && lemma.kind == LawKind::Identity) return law.law->value == 0;
  if (law.f->id == kGcd && lemma.kind == LawKind::Absorbing) return law.law->value == 1;
  if (lemma.other == kGcd) return law.others[1]->id == "primitive.math.min";
  if (lemma.other == kLcm) return law.others[1]->id == "primitive.math.max";
  return true;
}

std::expected<Claim, std::string> premise_of(Pool& pool, Premise premise, const algebra::BoundLaw& law) {
  switch (premise) {
    case Premise::Euclid: return is_euclid(pool, *ops::find_operation(kGcd));
    case Premise::FromGcd: return from_gcd(pool, law);
    case Premise::Quotients: return by_quotients(pool, law);
  }
  std::unreachable();
}

solver::Proof ask(solver::Prover& prover, Pool& pool, const std::expected<Claim, std::string>& premise) {
  solver::Proof out;
  if (!premise) {
    out.reason = premise.error();
  } else if (const auto& checked = encodings_checked(); !checked) {
    out.reason = checked.error();
  } else {
    out = prover.prove(pool, premise->holds, premise->variables);
  }
  return out;
}

}  // namespace

std::optional<Derivation> derive(solver::Prover& prover, const algebra::BoundLaw& law) {
  for (const Lemma& lemma : kLemmas) {
    if (!states(lemma, law)) continue;
    Derivation out{std::string(lemma.theorem), std::string(lemma.from), {}};
    Pool pool;
    out.proof = ask(prover, pool, premise_of(pool, lemma.premise, law));
    return out;
  }
  return std::nullopt;
}

std::optional<Derivation> derive_equality(solver::Prover& prover, const ops::Operation& operation) {
  // The library's own: another operation of that name is what it is.
  if (&operation == ops::find_operation(kGcd)) {
    Pool pool;
    return Derivation{"Euclid, and Lame on the number of steps", std::string(kSteps),
                      ask(prover, pool, is_euclid(pool, operation))};
  }
  if (&operation == ops::find_operation(kLcm)) {
    Pool pool;
    return Derivation{"a product is gcd times lcm", "its composition divides by gcd and multiplies",
                      ask(prover, pool, is_product(pool, operation))};
  }
  return std::nullopt;
}

}  // namespace vyre::symbolic
