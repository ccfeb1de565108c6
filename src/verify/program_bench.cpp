#include "verify/program_bench.h"

#include "ops/operation.h"
#include "verify/program_parity.h"

namespace vyre::verify {

Seen ProgramBench::run(const Batch& batch) {
  Seen seen;
  for (size_t k = 0; k < batch.cases.size() && !seen.error; ++k) {
    const generate::ProgramCase c = family_case(family_, seed_, batch.cases[k].number, backend_.limits());
    const auto done = run_one(c, k, seen);
    if (!done) seen.error = done.error();
  }
  return seen;
}

Result<void> ProgramBench::run_one(const generate::ProgramCase& c, size_t position, Seen& seen) {
  const auto checked = check::check(c.program, ops::op_table());
  if (!checked) return std::unexpected(checked.error().front());
  VYRE_TRY(expected, reference_answer(*checked, c, backend_.limits().subgroup_size));
  VYRE_TRY(pipeline, backend_.compile(*checked));
  VYRE_TRY(run, run_on(*pipeline, c));
  VYRE_CHECK(backend_.drain());
  seen.broken += run.canaries_broken;
  if (const auto d = first_difference(*checked, expected, run.buffers)) {
    seen.wrong.push_back({position, true, {d->expected}, {d->actual}, place_of(*d, run)});
  }
  return {};
}

}  // namespace vyre::verify
