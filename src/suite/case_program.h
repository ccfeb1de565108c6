// Operations and laws as programs: what a case of one is, written out with its input.
//
// A caller that wants a case outside of a build that has its generators, in a file, in another language,
// smaller, needs all of it: a program, a grid, the bytes of each buffer. An operation at operands is a store
// of one element, a law the sides that it compares. What a token names has such a form by Case::program()
// (suite/case.h); what a file declares has no token, and is written out here.
#pragma once

#include <span>
#include <string>

#include "algebra/law.h"
#include "base/result.h"
#include "generate/programs.h"
#include "verify/elementwise.h"

namespace vyre::suite {

/// f at operands: one element in, one out, where a word stands beforehand that is not the answer. Where it is
/// not known that there is one, `expected` is empty.
generate::ProgramCase program_at(const verify::Application& what, std::span<const uint32_t> operands,
                                 std::span<const uint32_t> expected);

/// A law with the values of its variables looked at. `lookup`: where the operations are that it names.
/// Errors: C003 for another number of values, or operations that there are not.
Result<algebra::BoundLaw> bind_law(const spec::Law& law, const ops::Operation& operation,
                                   std::span<const uint32_t> values,
                                   const algebra::Lookup& lookup = algebra::find_in_library);
/// The law at values of its variables: each side that it compares is stored, and so is a right or wrong
/// value. Errors: those of bind_law().
Result<generate::ProgramCase> law_program(const spec::Law& law, const ops::Operation& operation,
                                          std::span<const uint32_t> values,
                                          const algebra::Lookup& lookup = algebra::find_in_library);

/// C003 for a token of a case that there is not.
Diag no_such_case(std::string message);

}  // namespace vyre::suite
