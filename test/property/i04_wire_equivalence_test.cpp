// I4: what comes back from the wire format is the program that went in.
//
// Encoding and decoding lose nothing of a program's structure, and what was decoded leaves the bytes that the
// original leaves. Both are asked at once: a program that comes back as another one counts as one that left
// nothing. Source: vyre-conform-spec, "Wire Format Equivalence (I4)".
#include "oracle.h"
#include "property/programs.h"
#include "wire/wire.h"

VYRE_ORACLE(Property, "vyre-conform-spec, \"Wire Format Equivalence (I4)\"");

namespace vyre::test {
namespace {

/// The program after a way over the wire. Throws where it is another one.
ir::Program sent(const ir::Program& program) {
  ir::Program back = value_of(wire::decode(wire::encode(program)));
  if (!ir::equal(back, program)) throw std::runtime_error("another program comes back");
  return back;
}

TEST(Property, I04WireEquivalence) {
  for_each_case(400, [](const PropertyCase& c) {
    const generate::ProgramCase program = random_program(c);
    const check::Checked known = checked(program.program);
    const std::vector<Bytes> wanted = run_of(known, program).buffers;
    EXPECT_EQ(difference(known, wanted, run_of(checked(sent(program.program)), program).buffers), "");
  });
}

}  // namespace
}  // namespace vyre::test
