// Random programs as properties need them: made, checked, and run on the backend under test.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check/checked.h"
#include "generate/programs.h"
#include "ops/operation.h"
#include "property/property.h"
#include "verify/program_parity.h"

namespace vyre::test {

/// Small programs find what large ones do, and sooner; one in sixteen is large nevertheless.
inline generate::ProgramOptions program_options(const PropertyCase& c) {
  generate::ProgramOptions options = generate::ProgramOptions::small(&ops::op_table());
  if (c.number % 16 == 15) options = {.ops = &ops::op_table()};
  options.additions = true;
  return options;
}
inline generate::ProgramCase random_program(const PropertyCase& c) {
  return generate::random_program(c.seed, c.number, program_options(c));
}

inline check::Checked checked(const ir::Program& program) {
  auto result = check::check(program, ops::op_table());
  if (!result) throw std::runtime_error(render(result.error().front(), nullptr));
  return std::move(*result);
}

/// What is wrong with what a run left: "sums[3] is 5, not 7"; empty where nothing is.
inline std::string difference(const check::Checked& program, const std::vector<Bytes>& wanted,
                              const std::vector<Bytes>& got) {
  const auto found = verify::first_difference(program, wanted, got);
  if (!found) return {};
  return fmt::format("{}[{}] is {:#x}, not {:#x}", found->buffer, found->index, found->actual,
                     found->expected);
}

/// One run of a case on the backend under test.
inline verify::ProgramRun run_of(const check::Checked& program, const generate::ProgramCase& c) {
  const auto pipeline = value_of(backend_under_test().compile(program));
  return value_of(verify::run_on(*pipeline, c));
}

}  // namespace vyre::test
