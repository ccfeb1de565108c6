// Counterexamples by evaluation: tuples of values tried one after another.
//
// They are tried in the order of counterexamples (semantics, "Laws and evidence": the largest value first,
// then from left to right), so the first at which the claim is false is the smallest there is, and no solver
// has to be asked whether there is a smaller one. Most claims that are false fail on small values, which
// takes less than a question to a solver; and what few bits say can be tried in full where no solver answers,
// as of products.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "smt/term.h"

namespace vyre::solver {

/// Keeps its place: what one call has tried the next one does not try again.
class Enumeration {
 public:
  /// claim: a truth value. variables: in the order of counterexamples, at least all that it depends on. The
  /// pool may grow meanwhile.
  Enumeration(const smt::Pool& pool, smt::Term claim, std::span<const smt::Term> variables);

  enum class Found : uint8_t {
    Counterexample,  // tuple() is the smallest there is
    None,            // the claim holds where no value is above `most`
    OutOfTime,
  };
  /// Tries the tuples of which no value is above `most`, for so many seconds at most.
  /// Cost: one evaluation a tuple, (most + 1) to the number of variables of them.
  Found up_to(smt::Bits most, double seconds);
  /// One value a variable.
  const std::vector<smt::Bits>& tuple() const { return tuple_; }

  /// Whether every tuple there is has been tried, and the claim holds at all.
  bool exhausted() const { return shell_ > greatest_; }

  /// The greatest `most` at which some thousand tuples are tried; where there are no more than 2^16, all.
  smt::Bits small() const;
  /// The greatest value of any variable: at this `most` everything has been tried.
  smt::Bits greatest() const { return greatest_; }
  /// Whether up_to(greatest()) is a matter of seconds: there are at most 2^24 tuples.
  bool is_small() const { return bits_ <= 24; }

 private:
  bool fails();
  void first_of_shell();
  void advance();

  smt::Evaluation evaluation_;
  std::vector<size_t> place_;  // of what the claim depends on among the variables
  std::vector<smt::Bits> values_;
  std::vector<smt::Bits> highest_;  // a variable's greatest value
  std::vector<smt::Bits> tuple_;    // to be tried next
  smt::Bits shell_ = 0;             // its largest value
  smt::Bits greatest_ = 0;
  uint64_t bits_ = 0;
};

}  // namespace vyre::solver
