// I5: every valid program is lowered to valid code that means the same.
//
// Lowering turns total operators into raw ones, which are partial: a shift by less than the width, a division
// by what is not zero, a load inside the buffer. Code is valid where no raw operator is ever asked outside
// its domain; the evaluator of kernels watches that, gives adversarial values for what a raw operator leaves
// open, and must end with the bytes of the reference for every form of target. Source: oracles, "Oracle 7":
// "`lower(program)` produces valid WGSL for every random program".
#include <array>

#include "layout/dispatch.h"
#include "lower/evaluate.h"
#include "lower/kernel.h"
#include "oracle.h"
#include "property/programs.h"

VYRE_ORACLE(ReferenceInterpreter, "src/ref on the program; the domains of raw operators (src/lower)");

namespace vyre::test {
namespace {

constexpr std::array kTargets = {lower::kLlvmTarget, lower::kPtxTarget, lower::kWordTarget};

std::vector<Bytes> run_lowered(const check::Checked& program, const generate::ProgramCase& c,
                               const lower::Target& target, uint64_t seed) {
  std::vector<Bytes> buffers = c.buffers;
  const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const auto bound = value_of(layout::bind(program, host, c.groups));
  value_of(lower::evaluate(lower::legalize(lower::build(program), target), bound, c.groups, {.seed = seed}));
  return buffers;
}

TEST(Property, I05Lowering) {
  for_each_case(3'000, [](const PropertyCase& c) {
    const generate::ProgramCase program = random_program(c);
    const check::Checked known = checked(program.program);
    const std::vector<Bytes> wanted = value_of(verify::reference_answer(known, program));
    const lower::Target& target = kTargets[c.number % kTargets.size()];
    EXPECT_EQ(difference(known, wanted, run_lowered(known, program, target, c.number)), "") << target.name;
  });
}

}  // namespace
}  // namespace vyre::test
