#include "symbolic/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace vyre::symbolic {
namespace {

using smt::Bits;
using smt::Kind;
using smt::Node;
using smt::Pool;
using smt::Term;

bool is_division(Kind kind) {
  return kind == Kind::UDiv || kind == Kind::URem || kind == Kind::SDiv || kind == Kind::SRem;
}

/// The same operator on other operands.
Term rebuilt(Pool& p, const Node& node, const Term* x) {
  if (node.kind == Kind::Extract) return p.extract(x[0], node.low, node.width);
  if (node.kind == Kind::ZeroExtend) return p.zero_extend(x[0], node.width);
  if (node.kind == Kind::SignExtend) return p.sign_extend(x[0], node.width);
  const uint32_t operands = smt::info(node.kind).operands;
  if (operands == 1) return p.make(node.kind, {x[0]});
  if (operands == 2) return p.make(node.kind, {x[0], x[1]});
  return p.make(node.kind, {x[0], x[1], x[2]});
}

class Replacement {
 public:
  Replacement(Pool& pool, uint32_t limb) : p_(pool), limb_(limb) {}

  std::optional<Abstraction> run(Term claim) {
    const uint32_t last = claim.id;
    const std::vector<bool> needed = smt::needed_by(p_, claim);
    now_.resize(last + 1);
    for (uint32_t id = 0; id <= last; ++id) {
      if (needed[id]) now_[id] = replaced(Term{id});
    }
    if (products_.empty() && quotients_.empty()) return {};
    state_facts();
    Abstraction out{now_[last], std::move(facts_), {}};
    for (const Product& x : products_) out.stand_ins.push_back({Kind::Mul, x.a, x.b, x.value});
    for (const Quotient& x : quotients_) out.stand_ins.push_back({x.kind, x.a, x.b, x.value});
    // What is made of others is made after them.
    std::ranges::sort(out.stand_ins, {}, [](const StandIn& x) { return x.value.id; });
    return out;
  }

 private:
  struct Product {  // of two limbs: a number of twice their bits
    Term a, b, value;
  };
  struct Quotient {  // or remainder
    Kind kind;
    Term a, b, value;
  };

  Term number(Term like, Bits value) { return p_.constant(p_.width(like), value); }
  Term fresh(const char* what, size_t n, uint32_t width) {
    return p_.variable(fmt::format("{}{}.{}", what, limb_, n), width);
  }

  Term replaced(Term t) {
    const Node node = p_[t];  // a copy: the pool grows
    if (smt::info(node.kind).operands == 0) return t;
    Term x[3] = {};
    for (uint32_t k = 0; k < smt::info(node.kind).operands; ++k) x[k] = now_[node.operands[k].id];
    if (is_division(node.kind) && !p_.is_constant(x[1])) return quotient(node.kind, x[0], x[1]);
    const bool by_number = p_.is_constant(x[0]) || p_.is_constant(x[1]);
    if (node.kind == Kind::Mul && !by_number && node.width % limb_ == 0) return product(x[0], x[1]);
    return rebuilt(p_, node, x);
  }

  // ---- Products ------------------------------------------------------------------------------------------

  /// Limb n of a number, none where it is known to be zero.
  std::optional<Term> limb(Term t, uint32_t n) {
    const Node node = p_[t];
    if (node.kind == Kind::ZeroExtend) {
      const uint32_t inner = p_.width(node.operands[0]);
      if (n * limb_ >= inner) return {};
      if ((n + 1) * limb_ <= inner) return limb(node.operands[0], n);
    }
    if (node.kind == Kind::Concat) {
      const uint32_t low = p_.width(node.operands[1]);
      if ((n + 1) * limb_ <= low) return limb(node.operands[1], n);
      if (low % limb_ == 0 && n * limb_ >= low) return limb(node.operands[0], n - low / limb_);
    }
    // Masks and shifts by numbers take limbs out as well.
    if (node.kind == Kind::BitAnd && p_.is_constant(node.operands[1])) {
      const Bits mask = p_[node.operands[1]].bits >> (n * limb_) & limb_ones();
      if (mask == 0) return {};
      if (mask == limb_ones()) return limb(node.operands[0], n);
    }
    if (node.kind == Kind::LShr && p_.is_constant(node.operands[1])) {
      const Bits by = p_[node.operands[1]].bits;
      if (by % limb_ == 0) {
        const Bits from = n + by / limb_;
        if (from >= node.width / limb_) return {};
        return limb(node.operands[0], uint32_t(from));
      }
    }
    if (p_.width(t) == limb_) return t;
    if (node.kind == Kind::Extract && node.low % limb_ == 0)
      return limb(node.operands[0], n + node.low / limb_);
    return p_.extract(t, n * limb_, limb_);
  }
  Bits limb_ones() const { return (Bits{1} << limb_) - 1; }
  Term product_of_limbs(Term a, Term b) {
    if (b.id < a.id) std::swap(a, b);
    for (const Product& known : products_) {
      if (known.a == a && known.b == b) return known.value;
    }
    products_.push_back({a, b, fresh("product", products_.size(), 2 * limb_)});
    return products_.back().value;
  }
  /// The sum of xi yj 2^(limb (i + j - from)) over from <= i + j < to, as a number of `width` bits.
  Term columns(Term x, Term y, uint32_t from, uint32_t to, uint32_t width) {
    std::optional<Term> sum;
    for (uint32_t at = from; at < to; ++at) {
      for (uint32_t i = 0; i <= at; ++i) {
        const auto a = limb(x, i), b = limb(y, at - i);
        if (!a || !b) continue;
        const uint32_t zeros = (at - from) * limb_;
        Term part = p_.resize(product_of_limbs(*a, *b), width - zeros);
        if (zeros > 0) part = p_.concat(part, p_.constant(zeros, 0));
        sum = sum ? p_.add(*sum, part) : part;
      }
    }
    return sum.value_or(p_.constant(width, 0));
  }
  /// x y = sum of xi yj 2^(limb (i + j)), as a number of as many bits as x. What counts in the upper half
  /// alone is added there: solvers do not see that it leaves the lower half and its carry as they are.
  Term product(Term x, Term y) {
    const uint32_t width = p_.width(x), limbs = width / limb_;
    if (limbs % 2 != 0) return columns(x, y, 0, limbs, width);
    const Term lower = columns(x, y, 0, limbs / 2, width);
    const Term upper = columns(x, y, limbs / 2, limbs, width / 2);
    return p_.concat(p_.add(p_.extract(lower, width / 2, width / 2), upper), p_.extract(lower, 0, width / 2));
  }

  // ---- Quotients -----------------------------------------------------------------------------------------

  Term quotient(Kind kind, Term a, Term b) {
    for (const Quotient& known : quotients_) {
      if (known.kind == kind && known.a == a && known.b == b) return known.value;
    }
    quotients_.push_back({kind, a, b, fresh("quotient", quotients_.size(), p_.width(a))});
    return quotients_.back().value;
  }

  // ---- Facts ---------------------------------------------------------------------------------------------

  void say(Term fact) { facts_.push_back(fact); }

  void say_of(const Product& x) {
    const Bits most = (Bits{1} << limb_) - 1;
    say(p_.ule(x.value, number(x.value, most * most)));
    const Term wide_a = p_.zero_extend(x.a, 2 * limb_), wide_b = p_.zero_extend(x.b, 2 * limb_);
    say(p_.implies(p_.is_zero(x.a), p_.is_zero(x.value)));
    say(p_.implies(p_.is_zero(x.b), p_.is_zero(x.value)));
    say(p_.implies(p_.eq(x.a, number(x.a, 1)), p_.eq(x.value, wide_b)));
    say(p_.implies(p_.eq(x.b, number(x.b, 1)), p_.eq(x.value, wide_a)));
  }
  void say_of(const Quotient& x) {
    const bool remainder = x.kind == Kind::URem || x.kind == Kind::SRem;
    const Term zero = number(x.a, 0), one = number(x.a, 1);
    say(p_.implies(p_.eq(x.b, one), p_.eq(x.value, remainder ? zero : x.a)));
    if (x.kind == Kind::UDiv) {
      say(p_.implies(p_.is_zero(x.b), p_.eq(x.value, p_.bit_not(zero))));
      say(p_.implies(p_.is_not_zero(x.b), p_.ule(x.value, x.a)));
      say(p_.implies(p_.and_(p_.is_not_zero(x.b), p_.ult(x.a, x.b)), p_.is_zero(x.value)));
    }
    if (x.kind == Kind::URem) {
      say(p_.implies(p_.is_zero(x.b), p_.eq(x.value, x.a)));
      say(p_.implies(p_.is_not_zero(x.b), p_.ult(x.value, x.b)));
      say(p_.implies(p_.and_(p_.is_not_zero(x.b), p_.ult(x.a, x.b)), p_.eq(x.value, x.a)));
    }
    if (x.kind == Kind::SDiv) say(p_.implies(p_.eq(x.b, p_.bit_not(zero)), p_.eq(x.value, p_.neg(x.a))));
    if (x.kind == Kind::SRem) {
      say(p_.implies(p_.is_zero(x.b), p_.eq(x.value, x.a)));
      say(p_.implies(p_.eq(x.b, p_.bit_not(zero)), p_.is_zero(x.value)));
    }
  }
  /// Equal operands, equal results.
  void say_congruence() {
    for (size_t i = 0; i < products_.size(); ++i) {
      for (size_t j = i + 1; j < products_.size(); ++j) {
        const Product &x = products_[i], &y = products_[j];
        const Term straight = p_.and_(p_.eq(x.a, y.a), p_.eq(x.b, y.b));
        const Term crossed = p_.and_(p_.eq(x.a, y.b), p_.eq(x.b, y.a));
        say(p_.implies(p_.or_(straight, crossed), p_.eq(x.value, y.value)));
      }
    }
    for (size_t i = 0; i < quotients_.size(); ++i) {
      for (size_t j = i + 1; j < quotients_.size(); ++j) {
        const Quotient &x = quotients_[i], &y = quotients_[j];
        const bool same_sign = x.kind == Kind::UDiv || x.kind == Kind::URem;
        if (x.kind != y.kind || (p_.width(x.a) != p_.width(y.a) && !same_sign)) continue;
        // Without sign also where one is the other with zeros above it: but not x / 0, which is all ones.
        const uint32_t width = std::max(p_.width(x.a), p_.width(y.a));
        const auto wide = [&](Term t) { return p_.zero_extend(t, width); };
        const Term same = p_.and_(p_.eq(wide(x.a), wide(y.a)), p_.eq(wide(x.b), wide(y.b)));
        const bool by_zero_agrees = p_.width(x.a) == p_.width(y.a) || x.kind == Kind::URem;
        say(p_.implies(by_zero_agrees ? same : p_.and_(same, p_.is_not_zero(x.b)),
                       p_.eq(wide(x.value), wide(y.value))));
      }
    }
  }
  /// a = (a / b) * b + a mod b, where b is not zero, also where the signed quotient wraps.
  void say_euclid() {
    const std::vector<Quotient> known = quotients_;  // products that this makes come in as well
    for (const Quotient& q : known) {
      for (const Quotient& r : known) {
        const bool pair =
            (q.kind == Kind::UDiv && r.kind == Kind::URem) || (q.kind == Kind::SDiv && r.kind == Kind::SRem);
        if (!pair || p_.width(q.a) != p_.width(r.a) || p_.width(q.a) % limb_ != 0) continue;
        const Term same = p_.and_(p_.and_(p_.eq(q.a, r.a), p_.eq(q.b, r.b)), p_.is_not_zero(q.b));
        say(p_.implies(same, p_.eq(q.a, p_.add(product(q.value, q.b), r.value))));
      }
    }
  }
  void state_facts() {
    if (!products_.empty()) say_euclid();
    say_congruence();
    for (const Product& x : products_) say_of(x);
    for (const Quotient& x : quotients_) say_of(x);
  }

  Pool& p_;
  const uint32_t limb_;
  std::vector<Term> now_;  // by the claim's term
  std::vector<Product> products_;
  std::vector<Quotient> quotients_;
  std::vector<Term> facts_;
};

}  // namespace

std::vector<Term> factors_of(const Pool& pool, Term claim) {
  const std::vector<bool> needed = smt::needed_by(pool, claim);
  std::vector<Term> left, out;
  for (uint32_t id = 0; id < needed.size(); ++id) {
    const Node& node = pool[Term{id}];
    if (needed[id] && (node.kind == Kind::Mul || is_division(node.kind)))
      left.insert(left.end(), {node.operands[0], node.operands[1]});
  }
  std::vector<bool> seen(needed.size());
  while (!left.empty()) {
    const Term t = left.back();
    left.pop_back();
    if (seen[t.id]) continue;
    seen[t.id] = true;
    const Node& node = pool[t];
    const bool by_number =
        (node.kind == Kind::BitAnd || node.kind == Kind::LShr) && pool.is_constant(node.operands[1]);
    if (by_number || node.kind == Kind::ZeroExtend || node.kind == Kind::SignExtend ||
        node.kind == Kind::Extract) {
      left.push_back(node.operands[0]);
    } else if (node.kind == Kind::Concat) {
      left.insert(left.end(), {node.operands[0], node.operands[1]});
    } else if (!pool.is_constant(t)) {
      out.push_back(t);
    }
  }
  std::ranges::sort(out, {}, &Term::id);
  return out;
}

Term replaced(Pool& pool, Term claim, const std::vector<std::pair<Term, Term>>& replacements) {
  const std::vector<bool> needed = smt::needed_by(pool, claim);
  std::vector<Term> now(needed.size());
  for (uint32_t id = 0; id < needed.size(); ++id) {
    if (!needed[id]) continue;
    const Node node = pool[Term{id}];  // a copy: the pool grows
    Term x[3] = {};
    const uint32_t operands = smt::info(node.kind).operands;
    for (uint32_t k = 0; k < operands; ++k) x[k] = now[node.operands[k].id];
    now[id] = operands == 0 ? Term{id} : rebuilt(pool, node, x);
    const auto other = std::ranges::find(replacements, Term{id}, &std::pair<Term, Term>::first);
    if (other == replacements.end()) continue;
    now[id] = needed[other->second.id] ? now[other->second.id] : other->second;
  }
  return now[claim.id];
}

std::optional<Abstraction> abstraction(Pool& pool, Term claim, uint32_t limb) {
  return Replacement(pool, limb).run(claim);
}

std::optional<Term> without_arithmetic(Pool& pool, Term claim, uint32_t limb) {
  const auto found = abstraction(pool, claim, limb);
  if (!found) return {};
  return pool.implies(pool.all(found->facts), found->claim);
}

}  // namespace vyre::symbolic
