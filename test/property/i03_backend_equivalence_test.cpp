// I3: every backend gives the bytes of the reference interpreter.
//
// The reference is so simple that one can read off it what a program means. A backend may do everything in
// another way (threads, vectors, a compiler), but what it leaves in the buffers is that, byte by byte.
// Source: oracles, "Oracle 3": "the oracle for invariant I3 (backend equivalence)".
#include "oracle.h"
#include "property/programs.h"

VYRE_ORACLE(ReferenceInterpreter, "oracles, \"Oracle 3\": src/ref on the same program and bytes");

namespace vyre::test {
namespace {

TEST(Property, I03BackendEquivalence) {
  for_each_case(800, [](const PropertyCase& c) {
    const generate::ProgramCase program = random_program(c);
    const check::Checked known = checked(program.program);
    const std::vector<Bytes> wanted = value_of(verify::reference_answer(known, program));
    EXPECT_EQ(difference(known, wanted, run_of(known, program).buffers), "");
  });
}

}  // namespace
}  // namespace vyre::test
