#include "generate/programs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "check/checked.h"
#include "ir/builder.h"
#include "ops/operation.h"
#include "ref/ref.h"
#include "wire/wire.h"

namespace vyre::generate {
namespace {

ProgramOptions options() {
  ProgramOptions out;
  out.ops = &ops::op_table();
  return out;
}

std::string complaints(const Diagnostics& all) {
  std::string out;
  for (const Diag& diag : all) out += render(diag, nullptr);
  return out;
}

// Oracle: the checker, written by others from the specification.
TEST(RandomPrograms, AreAllValid) {
  for (uint64_t index = 0; index < 2000; ++index) {
    const ProgramCase c = random_program(11, index, options());
    const auto checked = check::check(c.program, ops::op_table());
    ASSERT_TRUE(checked.has_value()) << "index " << index << "\n" << complaints(checked.error());
    ASSERT_EQ(checked->bound_buffers().size(), c.buffers.size());
  }
}

// Oracle: the ledgers: nothing that a program can say may be missing from what is tested.
TEST(RandomPrograms, UseEveryKindAndOperator) {
  ProgramCoverage coverage;
  for (uint64_t index = 0; index < 3000; ++index) coverage.add(random_program(3, index, options()).program);
  for (size_t i = 0; i < ir::kNodeKindCount; ++i) EXPECT_GT(coverage.count(ir::NodeKind(i)), 20u) << i;
  for (size_t i = 0; i < ir::kExprKindCount; ++i) EXPECT_GT(coverage.count(ir::ExprKind(i)), 20u) << i;
  for (const spec::OpInfo& info : spec::kOps) EXPECT_GT(coverage.count(info.op), 20u) << info.name;
  EXPECT_NE(coverage.print().find("never        -"), std::string::npos) << coverage.print();
}

// Oracle: equality of encodings; the contract says that a program is a function of seed and index.
TEST(RandomPrograms, AreAFunctionOfSeedAndIndex) {
  for (uint64_t index : {uint64_t{0}, uint64_t{17}, uint64_t{1} << 50}) {
    const ProgramCase a = random_program(5, index, options()), b = random_program(5, index, options());
    EXPECT_EQ(wire::encode(a.program), wire::encode(b.program));
    EXPECT_EQ(a.buffers, b.buffers);
    EXPECT_EQ(a.groups, b.groups);
    EXPECT_NE(wire::encode(a.program), wire::encode(random_program(6, index, options()).program));
  }
}

// Oracle: the options' own bound; a program that never ends would stop every test behind it.
TEST(RandomPrograms, EndSoon) {
  uint32_t too_long = 0;
  for (uint64_t index = 0; index < 500; ++index) {
    ProgramCase c = random_program(21, index, options());
    const auto checked = check::check(c.program, ops::op_table());
    ASSERT_TRUE(checked.has_value());
    std::vector<std::span<std::byte>> host;
    for (Bytes& buffer : c.buffers) host.emplace_back(buffer);
    const auto ran = ref::run(*checked, host, c.groups, {.max_steps = 2'000'000});
    if (!ran) {
      ASSERT_EQ(ran.error().code, DiagCode::B003) << render(ran.error(), nullptr);
      ++too_long;
    }
  }
  EXPECT_LE(too_long, 2u);
}

// Oracle: the contract of Choices: an exhausted source gives zeros, which always mean the simplest choice.
TEST(RandomPrograms, EndWhenTheBytesDo) {
  const std::vector<uint8_t> bytes = {255, 255, 255, 255, 255, 255};
  for (size_t n = 0; n <= bytes.size(); ++n) {
    ByteChoices choices(std::span(bytes).first(n));
    const ProgramCase c = random_program(choices, options());
    const auto checked = check::check(c.program, ops::op_table());
    EXPECT_TRUE(checked.has_value()) << complaints(checked.error());
  }
}

// Oracle: by hand: "some statement divides by a literal zero" needs one statement that stores, with one
// division.
TEST(ShrinkProgram, LeavesWhatTheFailureNeeds) {
  const auto divides = [](const ProgramCase& c) {
    return std::ranges::any_of(c.program.code.exprs, [](const ir::Expr& e) {
      return e.kind == ir::ExprKind::Apply && e.op == spec::Op::Mod;
    });
  };
  uint32_t shrunk = 0;
  for (uint64_t index = 0; index < 40 && shrunk < 5; ++index) {
    const ProgramCase c = random_program(8, index, options());
    if (!divides(c)) continue;
    const ProgramCase small = shrink_program(c, ops::op_table(), divides);
    EXPECT_TRUE(divides(small));
    EXPECT_TRUE(check::check(small.program, ops::op_table()).has_value());
    EXPECT_LE(small.program.code.node_count(), 40u) << "index " << index;
    EXPECT_EQ(small.groups, layout::Groups{});
    ++shrunk;
  }
  EXPECT_EQ(shrunk, 5u);
}

}  // namespace
}  // namespace vyre::generate
