// What is said of products and quotients in the place of which variables stand: each fact is checked on all
// values of small words, with the stand-ins at what native arithmetic says.
#include "symbolic/arithmetic.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "arithmetic.h, and arithmetic on small numbers by hand; the planted claim");

namespace vyre::symbolic {
namespace {

using smt::Assigned;
using smt::Bits;
using smt::Kind;
using smt::Pool;
using smt::Term;

/// The number that a two's complement word is. Domain: width below 32.
int64_t signed_of(uint64_t x, uint32_t width) {
  return (x >> (width - 1) & 1) != 0 ? int64_t(x) - (int64_t{1} << width) : int64_t(x);
}

/// An operator on numbers; SMT-LIB 2.6 for divisors of zero: signed ones follow from the signs.
uint64_t native(Kind kind, uint64_t a, uint64_t b, uint32_t width) {
  const uint64_t ones = (uint64_t{1} << width) - 1;
  const int64_t x = signed_of(a, width), y = signed_of(b, width);
  if (kind == Kind::Mul) return a * b;  // of two limbs, in twice the bits
  if (kind == Kind::UDiv) return b == 0 ? ones : a / b;
  if (kind == Kind::URem) return b == 0 ? a : a % b;
  if (kind == Kind::SDiv) return (y == 0 ? (x < 0 ? 1 : ones) : uint64_t(x / y)) & ones;
  if (kind == Kind::SRem) return (y == 0 ? a : uint64_t(x % y)) & ones;
  ADD_FAILURE() << "nothing stands for " << smt::info(kind).text;
  return 0;
}

/// What is wrong with an abstraction, or "": a fact that fails, or another claim.
std::string fault_in(const Pool& p, Term claim, const Abstraction& made) {
  const std::vector<Term> variables = p.variables_of(claim);
  uint32_t bits = 0;
  for (const Term v : variables) bits += p.width(v);
  for (uint64_t values = 0; values < uint64_t{1} << bits; ++values) {
    std::vector<Assigned> assigned;
    uint64_t rest = values;
    for (const Term v : variables) {
      assigned.push_back({v, rest & ((uint64_t{1} << p.width(v)) - 1)});
      rest >>= p.width(v);
    }
    const auto worth = [&](Term t) { return uint64_t(smt::evaluate(p, t, assigned)); };
    const uint64_t right = worth(claim);
    for (const StandIn& s : made.stand_ins)
      assigned.push_back({s.value, native(s.kind, worth(s.a), worth(s.b), p.width(s.a))});
    for (size_t i = 0; i < made.facts.size(); ++i) {
      if (worth(made.facts[i]) == 0)
        return "fact " + std::to_string(i) + " fails at " + std::to_string(values);
    }
    if (worth(made.claim) != right) return "the claim is another at " + std::to_string(values);
  }
  return {};
}

struct Case {
  std::string_view name;
  uint32_t width, limb;
  size_t stand_ins;  // at least
  std::function<Term(Pool&, Term a, Term b)> claim;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"product of one limb", 4, 4, 1, [](Pool& p, Term a, Term b) { return p.eq(p.mul(a, b), a); }},
      {"products that are equal", 4, 4, 2,
       [](Pool& p, Term a, Term b) { return p.eq(p.mul(a, p.add(b, a)), p.mul(b, a)); }},
      {"product of two limbs", 4, 2, 3, [](Pool& p, Term a, Term b) { return p.ult(p.mul(a, b), b); }},
      {"product of four limbs", 4, 1, 10, [](Pool& p, Term a, Term b) { return p.ult(p.mul(a, b), b); }},
      {"high word", 4, 4, 1,
       [](Pool& p, Term a, Term b) {
         return p.eq(p.extract(p.mul(p.zero_extend(a, 8), p.zero_extend(b, 8)), 4, 4), a);
       }},
      {"signed high word", 4, 4, 3,
       [](Pool& p, Term a, Term b) {
         return p.eq(p.extract(p.mul(p.sign_extend(a, 8), p.sign_extend(b, 8)), 4, 4), a);
       }},
      {"product of pairs", 4, 4, 3,
       [](Pool& p, Term a, Term b) {
         return p.ult(p.mul(p.concat(a, b), p.concat(b, a)), p.zero_extend(a, 8));
       }},
      {"product of masked and shifted halves", 4, 2, 1,
       [](Pool& p, Term a, Term b) {
         return p.eq(p.mul(p.bit_and(a, p.constant(4, 3)), p.lshr(b, p.constant(4, 2))), a);
       }},
      {"product with an extracted half", 4, 2, 1,
       [](Pool& p, Term a, Term b) {
         return p.eq(p.mul(p.zero_extend(p.extract(a, 2, 2), 4), p.lshr(b, p.constant(4, 3))), a);
       }},
      {"product of products", 4, 4, 2,
       [](Pool& p, Term a, Term b) { return p.eq(p.mul(p.mul(a, b), b), p.mul(a, p.mul(b, b))); }},
      {"unsigned quotient", 4, 4, 1, [](Pool& p, Term a, Term b) { return p.ule(p.udiv(a, b), a); }},
      {"unsigned remainder", 4, 4, 1, [](Pool& p, Term a, Term b) { return p.ult(p.urem(a, b), b); }},
      {"signed quotient", 4, 4, 1, [](Pool& p, Term a, Term b) { return p.sle(p.sdiv(a, b), a); }},
      {"signed remainder", 4, 4, 1, [](Pool& p, Term a, Term b) { return p.slt(p.srem(a, b), b); }},
      {"quotient of a selected divisor", 4, 4, 2,
       [](Pool& p, Term a, Term b) {
         const Term safe = p.ite(p.is_zero(b), p.constant(4, 1), b);
         return p.or_(p.is_zero(b), p.eq(p.udiv(a, safe), p.udiv(a, b)));
       }},
      {"signed quotients", 4, 4, 2,
       [](Pool& p, Term a, Term b) { return p.eq(p.sdiv(a, b), p.sdiv(p.neg(a), p.neg(b))); }},
      {"signed remainders", 4, 4, 2,
       [](Pool& p, Term a, Term b) { return p.eq(p.srem(a, b), p.srem(a, p.neg(b))); }},
      {"unsigned remainders", 4, 4, 2,
       [](Pool& p, Term a, Term b) { return p.eq(p.urem(a, b), p.urem(p.add(a, b), b)); }},
      {"quotients of two widths", 4, 4, 2,
       [](Pool& p, Term a, Term b) {
         const Term wide = p.udiv(p.zero_extend(a, 8), p.zero_extend(b, 8));
         return p.eq(wide, p.zero_extend(p.udiv(a, b), 8));
       }},
      {"remainders of two widths", 4, 4, 2,
       [](Pool& p, Term a, Term b) {
         const Term wide = p.urem(p.zero_extend(a, 8), p.zero_extend(b, 8));
         return p.eq(wide, p.zero_extend(p.urem(a, b), 8));
       }},
      {"signed quotients of two widths", 4, 4, 2,
       [](Pool& p, Term a, Term b) {
         const Term wide = p.sdiv(p.zero_extend(a, 8), p.zero_extend(b, 8));
         return p.eq(wide, p.zero_extend(p.sdiv(a, b), 8));
       }},
      {"a remainder by its quotient", 4, 4, 3,
       [](Pool& p, Term a, Term b) { return p.eq(p.urem(a, b), p.sub(a, p.mul(p.udiv(a, b), b))); }},
      {"a remainder by its quotient in limbs", 4, 2, 5,
       [](Pool& p, Term a, Term b) { return p.eq(p.urem(a, b), p.sub(a, p.mul(p.udiv(a, b), b))); }},
      {"a signed remainder by its quotient", 4, 4, 3,
       [](Pool& p, Term a, Term b) { return p.eq(p.srem(a, b), p.sub(a, p.mul(p.sdiv(a, b), b))); }},
      {"a quotient of a product", 4, 4, 3,
       [](Pool& p, Term a, Term b) { return p.eq(p.udiv(p.mul(a, b), b), p.srem(a, p.mul(b, b))); }},
      {"a quotient and the remainder by another divisor", 4, 4, 3,
       [](Pool& p, Term a, Term b) { return p.eq(p.mul(p.udiv(a, b), b), p.urem(a, p.bit_xor(a, b))); }},
      {"a quotient without sign and a remainder with one", 4, 4, 3,
       [](Pool& p, Term a, Term b) { return p.eq(p.srem(a, b), p.sub(a, p.mul(p.udiv(a, b), b))); }},
      {"product of concatenated limbs", 4, 2, 4,
       [](Pool& p, Term a, Term b) {
         return p.ult(p.mul(p.concat(a, b), p.zero_extend(b, 8)), p.zero_extend(a, 8));
       }},
      {"product of part of a limb", 4, 4, 1,
       [](Pool& p, Term a, Term b) { return p.eq(p.mul(p.bit_and(a, p.constant(4, 5)), b), a); }},
      {"product of limbs extracted from the middle", 4, 2, 3,
       [](Pool& p, Term a, Term b) { return p.eq(p.mul(p.extract(p.concat(a, b), 2, 4), b), a); }},
      {"odd widths", 5, 5, 3,
       [](Pool& p, Term a, Term b) { return p.eq(p.srem(a, b), p.sub(a, p.mul(p.sdiv(a, b), b))); }},
  };
  return all;
}

struct Made {
  Pool pool;
  Term claim;
  Abstraction abstraction;
};
/// The claim of a case and what becomes of it.
void make(const Case& c, Made& out) {
  const Term a = out.pool.variable("a", c.width), b = out.pool.variable("b", c.width);
  out.claim = c.claim(out.pool, a, b);
  auto made = abstraction(out.pool, out.claim, c.limb);
  ASSERT_TRUE(made.has_value()) << c.name;
  out.abstraction = std::move(*made);
}

TEST(WithoutArithmetic, SaysOfItsVariablesWhatIsTrue) {
  VYRE_ORACLE(CpuReference, "C++ arithmetic on all values of words of 4 and 5 bits");
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Made made;
    make(c, made);
    EXPECT_GE(made.abstraction.stand_ins.size(), c.stand_ins);
    EXPECT_FALSE(made.abstraction.facts.empty());
    EXPECT_EQ(fault_in(made.pool, made.claim, made.abstraction), "");
  }
}

// No fact is passed over.
TEST(WithoutArithmetic, WrongFactsAreNoticed) {
  VYRE_ORACLE(Property, "each fact denied in its turn");
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Made made;
    make(c, made);
    const std::vector<Term> facts = made.abstraction.facts;
    for (size_t i = 0; i < facts.size(); ++i) {
      made.abstraction.facts = facts;
      made.abstraction.facts[i] = made.pool.not_(facts[i]);
      EXPECT_TRUE(fault_in(made.pool, made.claim, made.abstraction).starts_with("fact " + std::to_string(i)));
    }
  }
}

TEST(WithoutArithmetic, WrongTheoremsAreNoticed) {
  struct Wrong {
    Kind kind;
    std::string_view name;
    std::function<Term(Pool&, const StandIn&)> fact;
  };
  const auto number = [](Pool& p, Term like, Bits value) { return p.constant(p.width(like), value); };
  const std::vector<Wrong> wrong = {
      {Kind::UDiv, "x / 0 is 0",
       [](Pool& p, const StandIn& s) { return p.implies(p.is_zero(s.b), p.is_zero(s.value)); }},
      {Kind::UDiv, "a quotient is below its dividend",
       [](Pool& p, const StandIn& s) { return p.implies(p.is_not_zero(s.b), p.ult(s.value, s.a)); }},
      {Kind::UDiv, "a quotient is at most its dividend, by zero too",
       [](Pool& p, const StandIn& s) { return p.ule(s.value, s.a); }},
      {Kind::UDiv, "of a dividend that is the divisor at most, zero",
       [](Pool& p, const StandIn& s) {
         return p.implies(p.and_(p.is_not_zero(s.b), p.ule(s.a, s.b)), p.is_zero(s.value));
       }},
      {Kind::URem, "x mod 0 is 0",
       [](Pool& p, const StandIn& s) { return p.implies(p.is_zero(s.b), p.is_zero(s.value)); }},
      {Kind::URem, "a remainder is below any divisor",
       [](Pool& p, const StandIn& s) { return p.ult(s.value, s.b); }},
      {Kind::SDiv, "x / -1 is x",
       [](Pool& p, const StandIn& s) {
         return p.implies(p.eq(s.b, p.bit_not(p.constant(p.width(s.b), 0))), p.eq(s.value, s.a));
       }},
      {Kind::SDiv, "x / 0 is -1",
       [](Pool& p, const StandIn& s) {
         return p.implies(p.is_zero(s.b), p.eq(s.value, p.bit_not(p.constant(p.width(s.b), 0))));
       }},
      {Kind::SRem, "a signed remainder is not negative",
       [&](Pool& p, const StandIn& s) { return p.sle(number(p, s.a, 0), s.value); }},
      {Kind::Mul, "a product is below its most",
       [&](Pool& p, const StandIn& s) { return p.ult(s.value, number(p, s.value, 15 * 15)); }},
      {Kind::Mul, "a product is its first factor where the second is two",
       [&](Pool& p, const StandIn& s) {
         return p.implies(p.eq(s.b, number(p, s.b, 2)), p.eq(s.value, p.zero_extend(s.a, p.width(s.value))));
       }},
  };
  for (const Wrong& w : wrong) {
    SCOPED_TRACE(w.name);
    Made made;
    Pool& p = made.pool;
    const Term a = p.variable("a", 4), b = p.variable("b", 4);
    made.claim = p.eq(p.make(w.kind, {a, b}), a);
    made.abstraction = *abstraction(p, made.claim, 4);
    ASSERT_EQ(made.abstraction.stand_ins.size(), 1u);
    ASSERT_TRUE(made.abstraction.stand_ins[0].kind == w.kind);
    made.abstraction.facts = {w.fact(p, made.abstraction.stand_ins[0])};
    EXPECT_TRUE(fault_in(p, made.claim, made.abstraction).starts_with("fact 0"));
  }
}

TEST(WithoutArithmetic, AnotherClaimIsNoticed) {
  // Planted: the claim with a stand-in for another operator's.
  Pool p;
  const Term a = p.variable("a", 4), b = p.variable("b", 4);
  const Term claim = p.ult(p.udiv(a, b), b);
  Abstraction made = *abstraction(p, claim, 4);
  EXPECT_EQ(fault_in(p, claim, made), "");
  made.claim = p.ule(made.stand_ins[0].value, b);
  EXPECT_TRUE(fault_in(p, claim, made).starts_with("the claim is another"));
}

TEST(WithoutArithmetic, ImpliesTheClaimFromItsFacts) {
  Pool p;
  const Term a = p.variable("a", 4), b = p.variable("b", 4);
  const Term claim = p.ult(p.udiv(a, b), b);
  const Abstraction made = *abstraction(p, claim, 4);
  EXPECT_EQ(without_arithmetic(p, claim, 4), p.implies(p.all(made.facts), made.claim));
  EXPECT_FALSE(without_arithmetic(p, p.ult(p.mul(a, p.constant(4, 3)), p.add(a, b)), 4).has_value());
  EXPECT_FALSE(abstraction(p, p.ult(p.udiv(a, p.constant(4, 3)), b), 4).has_value());
}

TEST(Factors, AreTheWordsWithinWhatIsMultiplied) {
  Pool p;
  const Term a = p.variable("a", 32), b = p.variable("b", 32), c = p.variable("c", 32),
             d = p.variable("d", 32);
  const Term low = p.bit_and(a, p.constant(32, 0xffff)), high = p.lshr(p.add(b, c), p.constant(32, 16));
  const Term wide = p.mul(p.concat(c, b), p.zero_extend(d, 64));
  const Term claim = p.and_(p.eq(p.mul(low, high), d), p.ult(wide, p.constant(64, 7)));
  EXPECT_EQ(factors_of(p, claim), (std::vector{a, b, c, d, p.add(b, c)}));
  EXPECT_TRUE(factors_of(p, p.eq(p.add(a, b), c)).empty());
}

TEST(Factors, AreReplacedEverywhereAndNothingElseIs) {
  VYRE_ORACLE(Property, "the same claim with other operands, evaluated");
  Pool p;
  const Term a = p.variable("a", 8), b = p.variable("b", 8);
  const Term sum = p.add(a, b), claim = p.eq(p.mul(sum, b), p.bit_xor(sum, a));
  const Term changed = replaced(p, claim, {{sum, a}});
  EXPECT_EQ(changed, p.eq(p.mul(a, b), p.bit_xor(a, a)));
  EXPECT_EQ(replaced(p, claim, {}), claim);
  EXPECT_EQ(replaced(p, p.not_(changed), {{sum, b}}), p.not_(changed));
}

}  // namespace
}  // namespace vyre::symbolic
