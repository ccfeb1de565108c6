// Claims without multiplication and division, which solvers find hard.
//
// That a / select(b = 0, 1, b) is what a / b is for all b but 0 has nothing to do with how division works,
// yet a solver that builds dividers from gates may take for ever to see it. So products, quotients and
// remainders become variables of which only some facts are said, all of them theorems: equal operands give
// equal results, x / 1 is x, a = (a / b) * b + a mod b, a product of several words is the sum of the products
// of its words. What follows from those facts alone holds of arithmetic. What does not may still hold.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "smt/term.h"

namespace vyre::symbolic {

/// A variable in the place of an operator's result.
struct StandIn {
  smt::Kind kind{};  // Mul, of two limbs as a number of twice their bits; a division
  smt::Term a, b;    // may depend on stand-ins before this one
  smt::Term value;   // the variable
};
struct Abstraction {
  smt::Term claim;  // with stand-ins
  std::vector<smt::Term> facts;
  std::vector<StandIn> stand_ins;
};

/// The claim with variables for products and quotients but by constants, and what is said of those. Where
/// stand-ins have the values that they stand for all facts hold and the claim is the given one. None when
/// there is nothing to replace. limb: products are taken apart into those of so many bits.
std::optional<Abstraction> abstraction(smt::Pool& pool, smt::Term claim, uint32_t limb);

/// A claim that implies the given one, without multiplication or division but by constants: that the facts
/// imply it. None when there is nothing to replace. Products are taken apart into those of `limb` bits: 16 or
/// 32.
std::optional<smt::Term> without_arithmetic(smt::Pool& pool, smt::Term claim, uint32_t limb);

/// The words that multiplications and divisions of a claim compute with, each once, in the order in which
/// they were made: of a concatenation, an extension or a mask what is within.
std::vector<smt::Term> factors_of(const smt::Pool& pool, smt::Term claim);

/// A claim with terms put in the place of others. Domain: of each pair the first is replaced, its replacement
/// has the same width and was made before it.
smt::Term replaced(smt::Pool& pool, smt::Term claim,
                   const std::vector<std::pair<smt::Term, smt::Term>>& replacements);

}  // namespace vyre::symbolic
