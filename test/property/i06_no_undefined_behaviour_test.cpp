// I6: no program has undefined behaviour: it ends, and changes its own buffers alone.
//
// A data race makes values indeterminate and nothing else; an index outside of a buffer is no access. So even
// programs that race, of which each has out-of-bounds indices besides, run to their end and leave what lies
// beside their buffers as it was. Guard words stand there, which each process draws anew.
// Source: execution-model, "Data Races".
#include "oracle.h"
#include "property/programs.h"

VYRE_ORACLE(Property,
            "execution-model, \"Data Races\": does not crash, does not corrupt other memory; guard words");

namespace vyre::test {
namespace {

TEST(Property, I06NoUndefinedBehaviour) {
  for_each_case(500, [](const PropertyCase& c) {
    generate::ProgramOptions options = program_options(c);
    options.racy = true;
    const generate::ProgramCase program = generate::random_program(c.seed, c.number, options);
    EXPECT_EQ(run_of(checked(program.program), program).canaries_broken, 0u);
  });
}

}  // namespace
}  // namespace vyre::test
