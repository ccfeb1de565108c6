// Terms: what they are worth, how they are kept, and what is printed of them.
#include "smt/term.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "SMT-LIB 2.6, term.h, and truth tables, worked out by hand");

namespace vyre::smt {
namespace {

/// A bit vector as the standard defines it, by schoolbook arithmetic on lists of bits; the lowest bit first.
class Digits {
 public:
  Digits(Bits value, uint32_t width) {
    for (uint32_t i = 0; i < width; ++i) bit.push_back((value >> i) & 1);
  }
  Bits value() const {
    Bits out = 0;
    for (size_t i = 0; i < bit.size(); ++i) out |= Bits{bit[i]} << i;
    return out;
  }
  uint32_t width() const { return uint32_t(bit.size()); }
  std::vector<bool> bit;
};

Bits add(Bits a, Bits b, uint32_t w) {
  Digits x(a, w), y(b, w), out(0, w);
  bool carry = false;
  for (uint32_t i = 0; i < w; ++i) {
    const int sum = x.bit[i] + y.bit[i] + carry;
    out.bit[i] = sum % 2 != 0;
    carry = sum > 1;
  }
  return out.value();
}
Bits complement(Bits a, uint32_t w) {
  Digits x(a, w);
  x.bit.flip();
  return x.value();
}
Bits negated(Bits a, uint32_t w) { return add(complement(a, w), 1, w); }
Bits mul(Bits a, Bits b, uint32_t w) {
  Bits out = 0;
  Digits x(a, w);
  for (uint32_t i = 0; i < w; ++i) {
    if (!x.bit[i]) continue;
    Digits shifted(0, w);
    for (uint32_t k = i; k < w; ++k) shifted.bit[k] = Digits(b, w).bit[k - i];
    out = add(out, shifted.value(), w);
  }
  return out;
}
/// Long division; by zero all ones are the quotient and a the remainder.
struct Division {
  Bits quotient, remainder;
};
Division divide(Bits a, Bits b, uint32_t w) {
  Digits quotient(0, w), x(a, w);
  // One bit more, since the remainder is doubled before it is reduced.
  std::vector<bool> rest(w + 1), divisor(w + 1);
  for (uint32_t i = 0; i < w; ++i) divisor[i] = Digits(b, w).bit[i];
  const auto at_least = [&] {
    for (uint32_t i = w + 1; i-- > 0;) {
      if (rest[i] != divisor[i]) return bool(rest[i]);
    }
    return true;
  };
  for (uint32_t i = w; i-- > 0;) {
    for (uint32_t k = w; k > 0; --k) rest[k] = rest[k - 1];
    rest[0] = x.bit[i];
    if (!at_least() || b == 0) {
      quotient.bit[i] = b == 0;
      continue;
    }
    quotient.bit[i] = true;
    int borrow = 0;
    for (uint32_t k = 0; k <= w; ++k) {
      const int d = int(rest[k]) - int(divisor[k]) - borrow;
      rest[k] = d % 2 != 0;
      borrow = d < 0;
    }
  }
  Digits remainder(0, w);
  for (uint32_t i = 0; i < w; ++i) remainder.bit[i] = rest[i];
  return {quotient.value(), remainder.value()};
}
bool is_negative(Bits a, uint32_t w) { return Digits(a, w).bit[w - 1]; }
Bits magnitude(Bits a, uint32_t w) { return is_negative(a, w) ? negated(a, w) : a; }
Bits sdiv(Bits a, Bits b, uint32_t w) {
  const Bits q = divide(magnitude(a, w), magnitude(b, w), w).quotient;
  return is_negative(a, w) != is_negative(b, w) ? negated(q, w) : q;
}
Bits srem(Bits a, Bits b, uint32_t w) {
  const Bits r = divide(magnitude(a, w), magnitude(b, w), w).remainder;
  return is_negative(a, w) ? negated(r, w) : r;
}
/// One place at a time; from the side comes `fill`.
Bits shifted(Bits a, Bits by, uint32_t w, bool to_the_left, bool fill) {
  Digits x(a, w);
  for (Bits i = 0; i < by && i < w; ++i) {
    if (to_the_left) {
      x.bit.insert(x.bit.begin(), fill);
      x.bit.pop_back();
    } else {
      x.bit.erase(x.bit.begin());
      x.bit.push_back(fill);
    }
  }
  return x.value();
}
bool below(Bits a, Bits b, uint32_t w) {
  for (uint32_t i = w; i-- > 0;) {
    if (Digits(a, w).bit[i] != Digits(b, w).bit[i]) return Digits(b, w).bit[i];
  }
  return false;
}
bool signed_below(Bits a, Bits b, uint32_t w) {
  return is_negative(a, w) != is_negative(b, w) ? is_negative(a, w) : below(a, b, w);
}

struct Row {
  const char* name;
  std::function<Term(Pool&, Term, Term)> term;
  std::function<Bits(Bits, Bits, uint32_t)> expected;
};
const std::vector<Row>& rows() {
  static const std::vector<Row> out = {
      {"add", [](Pool& p, Term a, Term b) { return p.add(a, b); }, add},
      {"sub", [](Pool& p, Term a, Term b) { return p.sub(a, b); },
       [](Bits a, Bits b, uint32_t w) { return add(a, negated(b, w), w); }},
      {"mul", [](Pool& p, Term a, Term b) { return p.mul(a, b); }, mul},
      {"udiv", [](Pool& p, Term a, Term b) { return p.udiv(a, b); },
       [](Bits a, Bits b, uint32_t w) { return divide(a, b, w).quotient; }},
      {"urem", [](Pool& p, Term a, Term b) { return p.urem(a, b); },
       [](Bits a, Bits b, uint32_t w) { return divide(a, b, w).remainder; }},
      {"sdiv", [](Pool& p, Term a, Term b) { return p.sdiv(a, b); }, sdiv},
      {"srem", [](Pool& p, Term a, Term b) { return p.srem(a, b); }, srem},
      {"shl", [](Pool& p, Term a, Term b) { return p.shl(a, b); },
       [](Bits a, Bits b, uint32_t w) { return shifted(a, b, w, true, false); }},
      {"lshr", [](Pool& p, Term a, Term b) { return p.lshr(a, b); },
       [](Bits a, Bits b, uint32_t w) { return shifted(a, b, w, false, false); }},
      {"ashr", [](Pool& p, Term a, Term b) { return p.ashr(a, b); },
       [](Bits a, Bits b, uint32_t w) { return shifted(a, b, w, false, is_negative(a, w)); }},
      {"ult", [](Pool& p, Term a, Term b) { return p.ult(a, b); }, below},
      {"ule", [](Pool& p, Term a, Term b) { return p.ule(a, b); },
       [](Bits a, Bits b, uint32_t w) { return Bits{!below(b, a, w)}; }},
      {"slt", [](Pool& p, Term a, Term b) { return p.slt(a, b); }, signed_below},
      {"sle", [](Pool& p, Term a, Term b) { return p.sle(a, b); },
       [](Bits a, Bits b, uint32_t w) { return Bits{!signed_below(b, a, w)}; }},
      {"neg", [](Pool& p, Term a, Term) { return p.neg(a); },
       [](Bits a, Bits, uint32_t w) { return negated(a, w); }},
      {"bit_not", [](Pool& p, Term a, Term) { return p.bit_not(a); },
       [](Bits a, Bits, uint32_t w) { return complement(a, w); }},
  };
  return out;
}

void expect_row(const Row& row, uint32_t width, const std::vector<std::pair<Bits, Bits>>& pairs) {
  Pool pool;
  const Term a = pool.variable("a", width), b = pool.variable("b", width);
  const Term t = row.term(pool, a, b);
  for (const auto& [x, y] : pairs) {
    const Assigned values[] = {{a, x}, {b, y}};
    const Bits expected = row.expected(x, y, width);
    ASSERT_TRUE(evaluate(pool, t, values) == expected)
        << fmt::format("{} at {} bits of {:#x}, {:#x}", row.name, width, uint64_t(x), uint64_t(y));
    // Terms of constants are folded by the same rules.
    const Term folded = row.term(pool, pool.constant(width, x), pool.constant(width, y));
    ASSERT_TRUE(pool.is_constant(folded) && pool[folded].bits == expected) << row.name;
  }
}

TEST(Term, EveryPairOfThreeAndFiveBits) {
  VYRE_ORACLE(
      CpuReference,
      "schoolbook arithmetic on lists of bits, and what SMT-LIB says of zero divisors and great shifts");
  for (const Row& row : rows()) {
    for (const uint32_t width : {1u, 3u, 5u}) {
      std::vector<std::pair<Bits, Bits>> pairs;
      for (Bits x = 0; x < (Bits{1} << width); ++x) {
        for (Bits y = 0; y < (Bits{1} << width); ++y) pairs.emplace_back(x, y);
      }
      expect_row(row, width, pairs);
    }
  }
}

TEST(Term, WideWordsAtTheirEdges) {
  VYRE_ORACLE(
      CpuReference,
      "schoolbook arithmetic on lists of bits, and what SMT-LIB says of zero divisors and great shifts");
  RandomStream random(3, 3);
  for (const Row& row : rows()) {
    for (const uint32_t width : {32u, 33u, 64u, 127u, 128u}) {
      const Bits ones = width == 128 ? ~Bits{0} : (Bits{1} << width) - 1;
      std::vector<Bits> values = {0,        1, 2, width - 1, width, ones, ones - 1, Bits{1} << (width - 1),
                                  ones >> 1};
      for (int i = 0; i < 3; ++i) {
        Bits value = 0;
        for (int word = 0; word < 4; ++word) value = (value << 32) | random.next();
        values.push_back(value & ones);
      }
      std::vector<std::pair<Bits, Bits>> pairs;
      for (const Bits x : values) {
        for (const Bits y : values) pairs.emplace_back(x, y);
      }
      expect_row(row, width, pairs);
    }
  }
}

TEST(Term, Widths) {
  Pool p;
  const auto bits = [&](Term t) { return uint64_t(p[t].bits); };
  EXPECT_EQ(bits(p.concat(p.constant(8, 0xab), p.constant(4, 0xc))), 0xabcu);
  EXPECT_EQ(bits(p.extract(p.constant(16, 0xabcd), 4, 8)), 0xbcu);
  EXPECT_EQ(bits(p.sign_extend(p.constant(4, 0x8), 12)), 0xff8u);
  EXPECT_EQ(bits(p.sign_extend(p.constant(4, 0x7), 12)), 0x007u);
  EXPECT_EQ(bits(p.zero_extend(p.constant(4, 0x8), 12)), 0x008u);
  EXPECT_EQ(bits(p.resize(p.constant(8, 0xab), 4)), 0xbu);
  EXPECT_EQ(p.width(p.concat(p.variable("x", 100), p.variable("y", 28))), 128u);
}

TEST(Term, TruthValues) {
  Pool p;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const Term x = p.truth(a), y = p.truth(b);
      EXPECT_EQ(p[p.and_(x, y)].bits != 0, a && b);
      EXPECT_EQ(p[p.or_(x, y)].bits != 0, a || b);
      EXPECT_EQ(p[p.implies(x, y)].bits != 0, !a || b);
      EXPECT_EQ(p[p.eq(x, y)].bits != 0, a == b);
      EXPECT_EQ(p[p.ite(x, y, p.not_(y))].bits != 0, a ? b : !b);
      EXPECT_EQ(p[p.word(x, 32)].bits, Bits{a});
    }
  }
  EXPECT_EQ(p.all({}), p.truth(true));
  EXPECT_EQ(p.any({}), p.truth(false));
}

TEST(Term, EqualTermsAreOne) {
  VYRE_ORACLE(Property, "term.h: equal terms are one term");
  Pool p;
  const Term a = p.variable("a", 32), b = p.variable("b", 32);
  EXPECT_EQ(p.add(a, b), p.add(a, b));
  EXPECT_FALSE(p.add(a, b) == p.add(b, a));
  EXPECT_EQ(p.variable("a", 32), a);
  EXPECT_EQ(p.variables_of(p.mul(b, a)), (std::vector<Term>{a, b}));
}

TEST(Term, Script) {
  Pool p;
  const Term a = p.variable("a", 8), c = p.variable("c", 0);
  const Term twice = p.add(a, a);
  const Term t = p.and_(c, p.eq(p.extract(p.mul(twice, twice), 2, 5), p.constant(5, 3)));
  EXPECT_EQ(script(p, t),
            "(set-logic QF_BV)\n"
            "(declare-const c Bool)\n"
            "(declare-const a (_ BitVec 8))\n"
            "(define-fun t.0 () (_ BitVec 8) (bvadd a a))\n"
            "(define-fun t.1 () (_ BitVec 8) (bvmul t.0 t.0))\n"
            "(define-fun t.2 () (_ BitVec 5) ((_ extract 6 2) t.1))\n"
            "(define-fun t.3 () Bool (= t.2 #b00011))\n"
            "(define-fun t.4 () Bool (and c t.3))\n"
            "(assert t.4)\n");
}

TEST(Term, TheTextIsThatOfTheFormulaAlone) {
  Pool first, second;
  const auto formula = [](Pool& p) {
    const Term a = p.variable("a", 32), b = p.variable("b", 32);
    return p.eq(p.add(a, b), p.sub(b, p.neg(a)));
  };
  second.variable("b", 32);  // named before, with what is no part of the formula
  second.mul(second.variable("b", 32), second.constant(32, 7));
  second.neg(second.variable("a", 32));
  EXPECT_EQ(script(first, formula(first)), script(second, formula(second)));
  EXPECT_EQ(statement_digest(first, formula(first)), statement_digest(second, formula(second)));
  EXPECT_NE(statement_digest(first, formula(first)), statement_digest(first, first.not_(formula(first))));
}

TEST(TermDeathTest, FaultsOfTheCallerEndTheProcess) {
  Pool p;
  const Term a = p.variable("a", 8), b = p.variable("b", 16);
  EXPECT_DEATH(p.add(a, b), "bvadd of operands of 8 16 bits");
  EXPECT_DEATH(p.variable("a", 9), "variable a has two widths");
  EXPECT_DEATH(p.variable("t.1", 9), "is no variable");
  EXPECT_DEATH(p.concat(p.variable("w", 100), p.variable("v", 29)), "concat");
}

}  // namespace
}  // namespace vyre::smt
