// I1: a program gives the same bytes on every run.
//
// A program without races that does not depend on the order of its invocations is a function: of equal inputs
// it leaves equal bytes, whatever else was run in between. Nothing may be left over from an earlier dispatch,
// neither in workgroup memory nor in what a backend keeps of it, and no timing of threads may show.
// Source: execution-model, "Determinism Guarantee".
#include "oracle.h"
#include "property/programs.h"

VYRE_ORACLE(Property, "execution-model, \"Determinism Guarantee\": identical output bytes on every run");

namespace vyre::test {
namespace {

TEST(Property, I01DeterministicProgram) {
  for_each_case(400, [](const PropertyCase& c) {
    const generate::ProgramCase program = random_program(c);
    const generate::ProgramCase other = random_program({c.seed ^ 1, c.number});
    const check::Checked known = checked(program.program);
    const auto pipeline = value_of(backend_under_test().compile(known));
    const auto first = value_of(verify::run_on(*pipeline, program));
    run_of(checked(other.program), other);
    const auto again = value_of(verify::run_on(*pipeline, program));
    EXPECT_EQ(difference(known, first.buffers, again.buffers), "");
  });
}

}  // namespace
}  // namespace vyre::test
