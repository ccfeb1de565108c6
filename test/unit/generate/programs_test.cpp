#include "generate/programs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "check/checked.h"
#include "coverage.h"
#include "layout/dispatch.h"
#include "ops/operation.h"
#include "oracle.h"
#include "ref/ref.h"
#include "spec/ops.h"
#include "text/text.h"
#include "wire/wire.h"

VYRE_ORACLE(Property,
            "the checker, written by others from the specification, the rules of dispatch, the options' own "
            "bounds, and the ledgers: everything that a program can contain is generated");

namespace vyre::generate {
namespace {

ProgramOptions options() {
  ProgramOptions out;
  out.ops = &ops::op_table();
  return out;
}
/// What tests go through: small, large, with subgroups, with races.
std::vector<ProgramOptions> all_options() {
  ProgramOptions small = ProgramOptions::small(&ops::op_table()), subgroups = small, racy = small;
  subgroups.subgroup_size = 4;
  racy.racy = true;
  ProgramOptions plain = small;
  plain.barriers = plain.atomics = false;
  ProgramOptions additions = small, large = options();
  additions.additions = large.additions = true;
  return {options(), small, subgroups, racy, plain, additions, large};
}

std::string complaints(const Diagnostics& all) {
  std::string out;
  for (const Diag& diag : all) out += render(diag, nullptr);
  return out;
}

TEST(RandomPrograms, AreAllValid) {
  for (const ProgramOptions& o : all_options()) {
    ProgramGenerator generator(o);
    ProgramCase c;
    for (uint64_t index = 0; index < 2000; ++index) {
      generator.make(11, index, c);
      const auto checked = check::check(c.program, ops::op_table());
      ASSERT_TRUE(checked.has_value()) << "index " << index << "\n" << complaints(checked.error());
      const std::vector<std::span<std::byte>> host(c.buffers.begin(), c.buffers.end());
      const auto bound = layout::bind(*checked, host, c.groups);
      ASSERT_TRUE(bound.has_value()) << "index " << index << "\n" << render(bound.error(), nullptr);
    }
  }
}

TEST(RandomPrograms, AreAsSmallAsWanted) {
  for (ProgramOptions o : all_options()) {
    for (const uint32_t nodes : {16u, 32u, 33u, 127u, 128u, 400u}) {
      if (o.racy && nodes < 32) continue;
      o.max_nodes = nodes;
      ProgramGenerator generator(o);
      ProgramCase c;
      for (uint64_t index = 0; index < 500; ++index) {
        generator.make(12, index, c);
        ASSERT_LE(c.program.code.node_count(), nodes) << index;
        const auto& size = c.program.workgroup_size;
        ASSERT_LE(size[0] * size[1] * size[2] * c.groups.total(), o.max_invocations) << index;
      }
    }
  }
}

/// Everything that has to come up among some tens of thousands of small programs, and most pairs.
void expect_coverage(const ProgramOptions& o, uint64_t programs) {
  using Family = ProgramCoverage::Family;
  ProgramCoverage coverage(o);
  ProgramGenerator generator(o);
  ProgramCase c;
  for (uint64_t index = 0; index < programs; ++index) {
    generator.make(3, index, c);
    const auto checked = check::check(c.program, ops::op_table());
    ASSERT_TRUE(checked.has_value()) << complaints(checked.error());
    coverage.add(*checked);
  }
  for (size_t f = 0; f < ProgramCoverage::kFamilies; ++f) {
    const ProgramCoverage::Tally tally = coverage.tally(Family(f));
    EXPECT_GT(tally.possible, 0u) << f;
    if (Family(f) == Family::Pair) {
      EXPECT_GT(tally.reached * 100, tally.possible * 95) << coverage.print();
    } else {
      EXPECT_EQ(tally.reached, tally.possible) << coverage.print();
    }
  }
  fmt::print("{}", coverage.print());
}

TEST(RandomPrograms, SmallOnesUseTheWholeLanguage) {
  expect_coverage(ProgramOptions::small(&ops::op_table()), 60'000);
}
TEST(RandomPrograms, LargeOnesUseTheWholeLanguage) { expect_coverage(options(), 3'000); }
TEST(RandomPrograms, WithSubgroupsUseTheWholeLanguage) {
  ProgramOptions o = ProgramOptions::small(&ops::op_table());
  o.subgroup_size = 4;
  expect_coverage(o, 60'000);
}

TEST(RandomPrograms, WithAdditionsUseTheWholeLanguage) {
  ProgramOptions o = ProgramOptions::small(&ops::op_table());
  o.additions = true;
  expect_coverage(o, 60'000);
}

TEST(RandomPrograms, CallEveryIntrinsic) {
  ProgramOptions o = ProgramOptions::small(&ops::op_table());
  o.subgroup_size = 4;
  ProgramGenerator generator(o);
  ProgramCase c;
  std::set<spec::Intrinsic> called;
  for (uint64_t index = 0; index < 5000; ++index) {
    generator.make(4, index, c);
    const auto checked = check::check(c.program, ops::op_table());
    ASSERT_TRUE(checked.has_value()) << complaints(checked.error());
    for (const auto& use : checked->intrinsics()) called.insert(use.intrinsic);
    const auto& size = c.program.workgroup_size;
    EXPECT_EQ(size[0] * size[1] * size[2] % 4, 0u);
  }
  EXPECT_EQ(called.size(), spec::kIntrinsicCount);
}

TEST(RandomPrograms, AreAFunctionOfSeedAndIndex) {
  for (uint64_t index : {uint64_t{0}, uint64_t{17}, uint64_t{1} << 50}) {
    const ProgramCase a = random_program(5, index, options()), b = random_program(5, index, options());
    EXPECT_EQ(wire::encode(a.program), wire::encode(b.program));
    EXPECT_EQ(a.buffers, b.buffers);
    EXPECT_EQ(a.groups, b.groups);
    EXPECT_NE(wire::encode(a.program), wire::encode(random_program(6, index, options()).program));
  }
}

TEST(RandomPrograms, EndSoon) {
  VYRE_ORACLE(ReferenceInterpreter,
              "the options' own bound; a program that never ends would stop every test behind it");
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

TEST(RandomPrograms, RacyOnesNameTheirRace) {
  // Counting what touches the buffer of the race: one store, and at most one load or atomic; so nothing else
  // can order the pair, which must be two invocations of the dispatch.
  ProgramOptions o = ProgramOptions::small(&ops::op_table());
  o.racy = true;
  ProgramGenerator generator(o);
  ProgramCase c;
  uint32_t workgroup = 0, atomics = 0, reads = 0;
  for (uint64_t index = 0; index < 2000; ++index) {
    generator.make(9, index, c);
    ASSERT_TRUE(c.race.has_value());
    const Race race = *c.race;
    const auto& size = c.program.workgroup_size;
    const uint64_t total = size[0] * size[1] * size[2] * c.groups.total();
    EXPECT_LT(race.first, total);
    EXPECT_LT(race.second, total);
    EXPECT_NE(race.first, race.second);
    const ir::BufferDecl& buffer = c.program.buffers.at(race.buffer);
    EXPECT_EQ(c.program.code.name(buffer.name), "x0");
    uint32_t writes = 0, loads = 0, atomic = 0;
    for (const ir::Node& node : c.program.code.nodes)
      writes += node.kind == ir::NodeKind::Store && node.symbol == buffer.name;
    for (const ir::Expr& e : c.program.code.exprs) {
      loads += e.kind == ir::ExprKind::Load && e.symbol == buffer.name;
      atomic += e.kind == ir::ExprKind::Apply && spec::is_atomic(e.op) && e.symbol == buffer.name;
    }
    EXPECT_EQ(writes, 1u) << index;
    EXPECT_LE(loads + atomic, 1u) << index;
    workgroup += buffer.access == ir::BufferAccess::Workgroup;
    atomics += atomic;
    reads += loads;
  }
  EXPECT_GT(workgroup, 50u);
  EXPECT_GT(atomics, 50u);
  EXPECT_GT(reads, 50u);
  EXPECT_FALSE(random_program(9, 0, options()).race.has_value());
}

TEST(RandomPrograms, EndWhenTheBytesDo) {
  // The contract of Choices: an exhausted source gives zeros, which always mean the simplest choice.
  const std::vector<uint8_t> bytes = {255, 255, 255, 255, 255, 255};
  for (size_t n = 0; n <= bytes.size(); ++n) {
    ByteChoices choices(std::span(bytes).first(n));
    const ProgramCase c = random_program(choices, options());
    const auto checked = check::check(c.program, ops::op_table());
    EXPECT_TRUE(checked.has_value()) << complaints(checked.error());
  }
}

TEST(ShrinkProgram, LeavesWhatTheFailureNeeds) {
  VYRE_ORACLE(SpecificationTable,
              "by hand: \"some statement divides by a literal zero\" needs one statement that stores, with "
              "one division");
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

TEST(ShrinkProgram, TakesExpressionsThatNoStatementHas) {
  VYRE_ORACLE(SpecificationTable, "by hand: a builder may leave expressions behind, and they mean nothing");
  auto program =
      text::parse("program p(read_write o: u32 @0) workgroup(1, 1, 1) {\n  let x = 5;\n  o[0] = x + 7;\n}");
  ASSERT_TRUE(program);
  const auto var = std::ranges::find(program->code.exprs, ir::ExprKind::Var, &ir::Expr::kind);
  ASSERT_NE(var, program->code.exprs.end());
  const ir::Expr left_behind = *var;
  for (int i = 0; i < 3; ++i) program->code.add(left_behind, {}, Span::none());
  ProgramCase c;
  c.program = *std::move(program);
  c.groups = {1, 1, 1};
  c.buffers = {Bytes(4)};
  const auto stores = [](const ProgramCase& p) {
    const auto block = p.program.code.block(p.program.entry);
    return std::ranges::any_of(block,
                               [&](ir::NodeId id) { return p.program.code[id].kind == ir::NodeKind::Store; });
  };
  ASSERT_TRUE(check::check(c.program, ops::op_table()).has_value());
  const ProgramCase small = shrink_program(c, ops::op_table(), stores);
  EXPECT_TRUE(stores(small));
  EXPECT_LT(small.program.code.exprs.size(), 4u);
}

TEST(ShrinkProgram, KeepsWideTypesAndTensorsWhole) {
  VYRE_ORACLE(SpecificationTable,
              "by hand: a bitcast between wide types needs one statement with it; tensors and wide literals "
              "are copied, so what is left still checks, binds and round-trips");
  const auto has_both = [](const ProgramCase& c) {
    const bool wide = std::ranges::any_of(c.program.code.exprs, [](const ir::Expr& e) {
      return e.kind == ir::ExprKind::Apply && e.op == spec::Op::Bitcast && e.type == ir::DataType::Vec4U32;
    });
    return wide && !c.program.tensors.empty();
  };
  uint32_t shrunk = 0;
  for (uint64_t index = 0; index < 200 && shrunk < 4; ++index) {
    const ProgramCase c = random_program(10, index, options());
    if (!has_both(c)) continue;
    const ProgramCase small = shrink_program(c, ops::op_table(), has_both);
    EXPECT_TRUE(has_both(small));
    EXPECT_EQ(small.program.tensors.size(), 1u) << "index " << index;
    EXPECT_LE(small.program.code.node_count(), 40u) << "index " << index;
    const auto checked = check::check(small.program, ops::op_table());
    ASSERT_TRUE(checked.has_value()) << complaints(checked.error());
    const auto decoded = wire::decode(wire::encode(small.program));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_TRUE(ir::equal(*decoded, small.program));
    ++shrunk;
  }
  EXPECT_EQ(shrunk, 4u);
}

TEST(ShrinkProgram, KeepsRangesOverWhatIsWritten) {
  VYRE_ORACLE(SpecificationTable,
              "programs.h: of a buffer of its own an invocation reads its own element alone, so a range over "
              "one keeps its bounds, an identity and one more, unless it is the only invocation");
  const auto folds_own = [](const ProgramCase& c) {
    return std::ranges::any_of(c.program.code.exprs, [&](const ir::Expr& e) {
      return e.kind == ir::ExprKind::Apply && spec::is_reduction(e.op) && e.args.count == 2 &&
             c.program.code.name(e.symbol).starts_with('o');
    });
  };
  uint32_t shrunk = 0;
  for (uint64_t index = 0; index < 400 && shrunk < 4; ++index) {
    const ProgramCase c = random_program(13, index, options());
    const auto& size = c.program.workgroup_size;
    if (!folds_own(c) || size[0] * size[1] * size[2] * c.groups.total() < 2) continue;
    const ProgramCase small = shrink_program(c, ops::op_table(), folds_own);
    EXPECT_LE(small.program.code.node_count(), 40u) << "index " << index;
    EXPECT_TRUE(check::check(small.program, ops::op_table()).has_value());
    const auto& left = small.program.workgroup_size;
    const bool alone = uint64_t{left[0]} * left[1] * left[2] * small.groups.total() == 1;
    for (const ir::Expr& e : small.program.code.exprs) {
      if (alone || e.kind != ir::ExprKind::Apply || !spec::is_reduction(e.op)) continue;
      if (!small.program.code.name(e.symbol).starts_with('o')) continue;
      ASSERT_EQ(e.args.count, 2u);
      const ir::Expr& from = small.program.code[small.program.code.arg(e, 0)];
      const ir::Expr& to = small.program.code[small.program.code.arg(e, 1)];
      EXPECT_TRUE(from.kind == ir::ExprKind::Var || from.kind == ir::ExprKind::InvocationId);
      EXPECT_TRUE(to.kind == ir::ExprKind::Apply && to.op == spec::Op::Add);
    }
    ++shrunk;
  }
  EXPECT_EQ(shrunk, 4u);
}

}  // namespace
}  // namespace vyre::generate
