// Whole programs made smaller: of each planted fault the first failing random program comes down to a few
// statements.
//
// The judge of every candidate is the reference interpreter.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "generate/programs.h"
#include "lower/evaluate.h"
#include "oracle.h"
#include "planted.h"
#include "verify/families.h"
#include "verify/program_parity.h"

VYRE_ORACLE(SpecificationTable,
            "by hand: one use of what is planted, and one store: at most 5 statements, still failing");

namespace vyre::suite {
namespace {

constexpr uint64_t kSeed = 11, kPrograms = 2'000;

/// Two evaluators run the invocations of a workgroup in two orders, one each up to the next barrier and all
/// in step: what races gives two results, or was lucky.
void expect_no_race(const generate::ProgramCase& c) {
  const auto checked = check::check(c.program, ops::op_table());
  ASSERT_TRUE(checked.has_value());
  const auto expected = verify::reference_answer(*checked, c);
  ASSERT_TRUE(expected.has_value());
  std::vector<Bytes> buffers = c.buffers;
  const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const auto bound = layout::bind(*checked, host, c.groups);
  ASSERT_TRUE(bound.has_value());
  ASSERT_TRUE(lower::evaluate(lower::build(*checked), *bound, c.groups).has_value());
  EXPECT_EQ(buffers, *expected) << text::print(c.program);
}

class Shrunk : public testing::TestWithParam<test::Planted> {};

TEST_P(Shrunk, FirstFailureHasFewStatements) {
  test::PlantedBackend backend(GetParam());
  const auto fails = [&](const generate::ProgramCase& c) {
    const auto result = verify::compare_once(backend, c);
    return result && result->has_value();
  };
  uint64_t index = 0;
  generate::ProgramCase found;
  for (;; ++index) {
    ASSERT_LT(index, kPrograms) << "no program meets the fault";
    found = verify::family_case(verify::Family::Programs, kSeed, index);
    if (fails(found)) break;
  }
  size_t calls = 0;
  const auto counted = [&](const generate::ProgramCase& c) {
    ++calls;
    return fails(c);
  };
  const generate::ProgramCase small = generate::shrink_program(found, ops::op_table(), counted);
  EXPECT_TRUE(fails(small));
  EXPECT_LE(small.program.code.nodes.size(), 5u) << text::print(small.program);
  EXPECT_LE(calls, 400u);  // each compiles a program
  expect_no_race(small);
}

INSTANTIATE_TEST_SUITE_P(Planted, Shrunk, testing::ValuesIn(test::planted_faults()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace vyre::suite
