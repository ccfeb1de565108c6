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

class Replacement {
 public:
  Replacement(Pool& pool, uint32_t limb) : p_(pool), limb_(limb) {}

  std::optional<Abstraction> run(Term claim) {
    const uint32_t last = claim.id;
    std::vector<bool> needed(last + 1);
    needed[last] = true;
    for (uint32_t id = last + 1; id-- > 0;) {  // operands have smaller ids
      if (!needed[id]) continue;
      const Node node = p_[Term{id}];
      for (uint32_t k = 0; k < smt::info(node.kind).operands; ++k) needed[node.operands[k].id] = true;
    }
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

  static bool is_division(Kind kind) {
    return kind == Kind::UDiv || kind == Kind::URem || kind == Kind::SDiv || kind == Kind::SRem;
  }
  Term number(Term like, Bits value) { return p_.constant(p_.width(like), value); }
  Term fresh(const char* what, size_t n, uint32_t width) {
    return p_.variable(fmt::format("{}{}.{}", what, limb_, n), width);
  }

  Term replaced(Term t) {
    const Node node = p_[t];  // a copy: the pool grows
    if (smt::info(node.kind).operands == 0) return t;
    Term x[3] = {};
    for (uint32_t k = 0; k < smt::info(node.kind).operands; ++k) x[k] = now_[node.operands[k].id];
    if (node.kind == Kind::Extract) return p_.extract(x[0], node.low, node.width);
    if (node.kind == Kind::ZeroExtend) return p_.zero_extend(x[0], node.width);
    if (node.kind == Kind::SignExtend) return p_.sign_extend(x[0], node.width);
    if (is_division(node.kind) && !p_.is_constant(x[1])) return quotient(node.kind, x[0], x[1]);
    const bool by_number = p_.is_constant(x[0]) || p_.is_constant(x[1]);
    if (node.kind == Kind::Mul && !by_number && node.width % limb_ == 0) return product(x[0], x[1]);
    const uint32_t operands = smt::info(node.kind).operands;
    if (operands == 1) return p_.make(node.kind, {x[0]});
    if (operands == 2) return p_.make(node.kind, {x[0], x[1]});
    return p_.make(node.kind, {x[0], x[1], x[2]});
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
    if (p_.width(t) == limb_) return t;
    return p_.extract(t, n * limb_, limb_);
  }
  Term product_of_limbs(Term a, Term b) {
    if (b.id < a.id) std::swap(a, b);
    for (const Product& known : products_) {
      if (known.a == a && known.b == b) return known.value;
    }
    products_.push_back({a, b, fresh("product", products_.size(), 2 * limb_)});
    return products_.back().value;
  }
  // x y = sum of xi yj 2^(limb (i + j)), as a number of as many bits as x.
  Term product(Term x, Term y) {
    const uint32_t width = p_.width(x), limbs = width / limb_;
    Term sum = p_.constant(width, 0);
    bool first = true;
    for (uint32_t at = 0; at < limbs; ++at) {
      for (uint32_t i = 0; i <= at; ++i) {
        const auto a = limb(x, i), b = limb(y, at - i);
        if (!a || !b) continue;
        Term part = p_.resize(product_of_limbs(*a, *b), width);
        if (at > 0) part = p_.concat(p_.extract(part, 0, width - at * limb_), p_.constant(at * limb_, 0));
        sum = first ? part : p_.add(sum, part);
        first = false;
      }
    }
    return sum;
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
        if (x.kind != y.kind || p_.width(x.a) != p_.width(y.a)) continue;
        say(p_.implies(p_.and_(p_.eq(x.a, y.a), p_.eq(x.b, y.b)), p_.eq(x.value, y.value)));
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

std::optional<Abstraction> abstraction(Pool& pool, Term claim, uint32_t limb) {
  return Replacement(pool, limb).run(claim);
}

std::optional<Term> without_arithmetic(Pool& pool, Term claim, uint32_t limb) {
  const auto found = abstraction(pool, claim, limb);
  if (!found) return {};
  return pool.implies(pool.all(found->facts), found->claim);
}

}  // namespace vyre::symbolic
