// The theorem of long division, for loops that divide bit by bit.
//
// Let R and Q be W bits each and b a divisor. One step shifts the pair (R, Q) left by one and, if b now goes
// into R, takes it out and sets Q's lowest bit. Begun with R = a >> n, which is below b, and Q holding the
// low n bits of a at its top, after n steps R is a mod b and Q is a / b: after i steps R is the remainder and
// the low i bits of Q are the quotient of a >> (n - i), since a >> (n - i - 1) is twice that and one bit
// more. Induction on the count is a thing that solvers of bit vectors do not do; each of its premises, that
// the loop begins like that and that a turn is such a step, is a claim about W bits that they decide. R is
// kept in W bits: the bit that a shift would push out is shown to be zero. Source: Knuth, The Art of Computer
// Programming, volume 2, 4.3.1, with radix 2.
#pragma once

#include "symbolic/kernel.h"

namespace vyre::symbolic {

/// For the loop that divides a by b. The slots that it sets are the words of Q and then those of R, lowest
/// first; with any other order the premises are false and the proof fails.
class LongDivision : public LoopTheorem {
 public:
  static constexpr std::string_view kName = "long division";
  /// Shape  a, b: one width, a multiple of 32.
  LongDivision(smt::Term a, smt::Term b) : a_(a), b_(b) {}

  smt::Term invariant(smt::Pool& pool, const LoopTurn& turn) override;
  std::optional<std::vector<smt::Term>> conclusion(smt::Pool& pool, const LoopTurn& turn,
                                                   std::vector<Obligation>& premises) override;
  /// Whether a loop was found to be one: the proof rests on the theorem.
  bool was_used() const { return used_; }

 private:
  smt::Term a_, b_;
  bool used_ = false;
};

/// Dividend and divisor of a division of more than 32 bits in what a kernel stores; the first one that is
/// found.
std::optional<LongDivision> division_of(const smt::Pool& pool, const Reading& reading);

}  // namespace vyre::symbolic
