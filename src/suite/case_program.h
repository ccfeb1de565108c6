// A case as a program: what a replay token names, written out with its input.
//
// A token is short since generators know the rest. A caller that wants the case outside of a build that has
// those generators, in a file, in another language, smaller, needs all of it: a program, a grid, the bytes of
// each buffer. Every kind of case has such a form: an operation at operands is a store of one element, a law
// the sides that it compares, a family's case what it is.
#pragma once

#include <optional>
#include <span>

#include "algebra/law.h"
#include "backend/backend.h"
#include "base/result.h"
#include "generate/programs.h"
#include "verify/families.h"
#include "verify/parity.h"
#include "verify/token.h"

namespace vyre::suite {

/// Who a token speaks of: an operation of the library, a family, or one subject of an elementwise family.
struct Addressee {
  const ops::Operation* operation = nullptr;
  std::optional<verify::Family> family = std::nullopt;
  std::optional<verify::Subject> subject = std::nullopt;  // of an operation, or of a family
};
/// Errors: C003 for a subject that this build does not have.
Result<Addressee> find_addressee(const verify::Token& token);
/// C003 for a part of a token that this build does not know: "subject" or "strategy".
Diag unknown_part(const verify::Token& token, std::string_view what);

/// How many cases a strategy of a subject has. Errors: C003 for a strategy that is not known.
Result<uint64_t> count_cases(const verify::Subject& subject, std::string_view strategy,
                             const verify::Token& token);
/// Whether a token of such a subject names a case that there is. Errors: C003.
Result<void> expect_case(const verify::Subject& subject, const verify::Token& token);
/// The operands of a token of such a subject. Errors: C003 for a case that there is not.
Result<std::vector<uint32_t>> operands_of(const verify::Subject& subject, const verify::Token& token,
                                          backend::Backend& backend);

/// f at operands: one element in, one out, where a word stands beforehand that is not the answer.
generate::ProgramCase program_at(const verify::Subject& subject, std::span<const uint32_t> operands);
/// The same where the answer is known, or that there is none: then `expected` is empty.
generate::ProgramCase program_at(const verify::Application& what, std::span<const uint32_t> operands,
                                 std::span<const uint32_t> expected);
/// Law number `number` of an operation (claimed ones first) at values of its variables: each side that it
/// compares is stored, and so is a right or wrong value.
/// Errors: C003 for a law that there is not, or another number of values.
Result<generate::ProgramCase> law_at(const ops::Operation& operation, uint64_t number,
                                     std::span<const uint32_t> values);

/// The same of one law. `lookup`: where the operations are that it names.
Result<generate::ProgramCase> law_program(const spec::Law& law, const ops::Operation& operation,
                                          std::span<const uint32_t> values,
                                          const algebra::Lookup& lookup = algebra::find_in_library);

/// None where the case is no program (planted-false laws, claims of category C), or one whose bytes depend on
/// the schedule.
/// Errors: C003. The backend is asked for its limits alone.
Result<std::optional<generate::ProgramCase>> case_program(const verify::Token& token,
                                                          backend::Backend& backend);

}  // namespace vyre::suite
