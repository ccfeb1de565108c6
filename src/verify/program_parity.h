// Program parity: one program, one input, the reference's bytes and a backend's, over every bound buffer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "generate/programs.h"
#include "verify/verdict.h"

namespace vyre::verify {

/// The first word that differs.
struct Difference {
  std::string buffer;
  uint64_t index = 0;  // of the word
  uint32_t expected = 0;
  uint32_t actual = 0;
};

/// What one run of a case on a backend gave. Guard words stand around every buffer on the host.
struct ProgramRun {
  std::vector<Bytes> buffers;
  uint64_t canaries = 0;
  uint64_t canaries_broken = 0;
  std::string forbidden;  // why what was left is not allowed
  Deviations deviations;  // of an approximate case: how far its results were off
};
/// Where the memory model allows several outcomes of the case, its buffers come back as zeros, so that equal
/// verdicts are equal bytes; the first word is 1 when what was left is no allowed outcome. Of an approximate
/// case they come back with each right result replaced by what it stands for (verify/sums.h).
Result<ProgramRun> run_on(backend::Pipeline& pipeline, const generate::ProgramCase& c);

/// The reference's answer, with subgroups of this many lanes (0: none). Of an approximate case what its
/// oracle wants, in which the reference has no part. Errors: of ref::run.
Result<std::vector<Bytes>> reference_answer(const check::Checked& checked, const generate::ProgramCase& c,
                                            uint32_t subgroup_size = 0);

std::optional<Difference> first_difference(const check::Checked& checked, const std::vector<Bytes>& expected,
                                           const std::vector<Bytes>& actual);

/// Where a run differs, for people: "sums[3]", or why its outcome is not allowed.
std::string place_of(const Difference& difference, const ProgramRun& run);

/// Compiles and compares, with subgroups of the backend's size; nullopt when the bytes are equal.
Result<std::optional<Difference>> compare_once(backend::Backend& backend, const generate::ProgramCase& c);

}  // namespace vyre::verify
