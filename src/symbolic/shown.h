// How findings are written: words, rows and solvers.
#pragma once

#include <cstdint>
#include <string>

#include "ops/operation.h"
#include "solver/prover.h"

namespace vyre::symbolic {

/// As a law's constants are written: "17", and from 2^16 on "0x00010000".
std::string shown_word(uint32_t word);
/// "f(0xffffffff, x) = x"
std::string shown_row(const ops::ForAllRow& row);
/// "z3 4.8.12", "z3 4.8.12 and cvc5 1.0.3"; "no solver needed" where the claim is a constant.
std::string shown_solvers(const solver::Proof& proof);

}  // namespace vyre::symbolic
