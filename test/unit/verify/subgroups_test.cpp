// Subgroups as a family: its programs hold at every size of subgroups, what a backend claims falsely is
// named, and a backend that takes one operation for another is found out.
#include "verify/subgroups.h"

#include <gtest/gtest.h>

#include "backend/backend.h"
#include "lower/evaluate.h"
#include "oracle.h"
#include "text/text.h"
#include "verify/families.h"
#include "verify/program_parity.h"
#include "verify/shapes.h"

VYRE_ORACLE(SpecificationTable,
            "the specification, backend.h and the ledger of category C; limits and counts by hand, and what "
            "fails by construction");

namespace vyre::verify {
namespace {

using backend::Limits;

uint32_t invocations(const ir::Program& program) {
  return program.workgroup_size[0] * program.workgroup_size[1] * program.workgroup_size[2];
}

TEST(Subgroups, EveryProgramHoldsAtEverySize) {
  VYRE_ORACLE(ReferenceInterpreter,
              "the kernel evaluator, which shares no code with the reference and runs lanes in lock-step");
  for (const uint32_t lanes : {1u, 2u, 4u, 8u, 32u, 64u, 128u}) {
    const Limits limits{.subgroup_size = lanes};
    for (uint64_t k = 0; k < shapes(Family::Subgroups); ++k) {
      const generate::ProgramCase c = family_case(Family::Subgroups, 5, k, limits);
      const std::string name = shape_name(Family::Subgroups, k, limits);
      const auto checked = check::check(c.program, ops::op_table());
      ASSERT_TRUE(checked) << name << ": " << checked.error().front().message << "\n"
                           << text::print(c.program);
      EXPECT_FALSE(checked->intrinsics().empty()) << name;
      EXPECT_EQ(invocations(c.program) % lanes, 0u) << name;
      if (lanes == 128 && k % kSubgroupSizes != 0 && k % 3 != 0) continue;  // the larger ones take long
      const auto expected = reference_answer(*checked, c, lanes);
      ASSERT_TRUE(expected) << name << ": " << expected.error().message;
      std::vector<Bytes> buffers = c.buffers;
      const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
      const auto bindings = layout::bind(*checked, host, c.groups);
      ASSERT_TRUE(bindings) << name;
      const auto ran =
          lower::evaluate(lower::build(*checked), *bindings, c.groups, {.seed = 1, .subgroup_size = lanes});
      ASSERT_TRUE(ran) << name << ": " << ran.error().message;
      EXPECT_EQ(buffers, *expected) << name << "\n" << text::print(c.program);
    }
  }
}

TEST(Subgroups, SizesKeepTheLimits) {
  for (const auto& size : subgroup_sizes(32, 64)) EXPECT_LE(size[0] * size[1] * size[2], 64u);
  EXPECT_EQ(subgroup_sizes(32, 1024)[1], (std::array<uint32_t, 3>{96, 1, 1}));
  EXPECT_EQ(subgroup_sizes(128, 1024)[2], (std::array<uint32_t, 3>{1024, 1, 1}));
  IntrinsicSet none;
  for (uint64_t k = 0; k < shapes(Family::Subgroups); ++k)
    EXPECT_FALSE(uses_only(Family::Subgroups, k, none)) << shape_name(Family::Subgroups, k);
  // With scan_add_exclusive alone: its own program, and no other.
  IntrinsicSet one;
  one.set(size_t(spec::Intrinsic::SubgroupScanAddExclusive));
  size_t usable = 0;
  for (uint64_t k = 0; k < shapes(Family::Subgroups); ++k) usable += uses_only(Family::Subgroups, k, one);
  EXPECT_EQ(usable, kSubgroupSizes);
}

Verdict judge(backend::Backend& backend) {
  return check_family(backend, Family::Subgroups, {0, 1, 0}, 1, {});
}

// covers: CT-05
TEST(Subgroups, ABackendWithoutThemIsHeldToItsRefusals) {
  // The ledger of category C: that many claims, each refused, and nothing else to run.
  const auto backend = backend::make_reference();
  const Verdict verdict = judge(*backend);
  EXPECT_EQ(verdict.error, "");
  EXPECT_EQ(verdict.failure_count, 0u);
  ASSERT_EQ(verdict.parity.size(), 1u);
  const uint64_t programs = shapes(Family::Subgroups);  // that it cannot run, one case a shape
  EXPECT_EQ(verdict.parity[0].tally,
            (Tally{spec::kIntrinsicCount + programs, spec::kIntrinsicCount, 0, 0, programs}));
  EXPECT_TRUE(verdict.determinism.whole());
  EXPECT_GT(verdict.canaries, 0u);
  EXPECT_NE(verdict.pipeline, "");
}

TEST(Subgroups, ABackendWithThemRunsThePrograms) {
  const auto backend = backend::make_reference({.subgroup_size = 4});
  const Verdict verdict = judge(*backend);
  EXPECT_EQ(verdict.error, "");
  EXPECT_EQ(verdict.failure_count, 0u);
  const uint64_t cases = spec::kIntrinsicCount + shapes(Family::Subgroups);
  EXPECT_EQ(verdict.parity[0].tally, (Tally{cases, cases, 0}));
}

/// The reference with subgroups of 4, except for what a test makes of it.
class Twisted : public backend::Backend {
 public:
  backend::Identity identity() const override { return {"twisted", "none", "none", "0"}; }
  Limits limits() const override { return inner_->limits(); }
  bool has(spec::Intrinsic) const override { return true; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    return inner_->compile(program);
  }

 protected:
  std::unique_ptr<backend::Backend> inner_ = backend::make_reference({.subgroup_size = 4});
};

std::vector<std::string> tokens_of(const Verdict& verdict, Fault fault) {
  std::vector<std::string> out;
  for (const Failure& f : verdict.failures) {
    EXPECT_EQ(f.fault, fault) << text(f.fault) << ": " << f.note;
    out.push_back(f.token);
  }
  return out;
}

class ClaimsAll final : public Twisted {
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_CHECK(backend::check_intrinsics(*plain_, program));
    return Twisted::compile(program);
  }
  std::unique_ptr<backend::Backend> plain_ = backend::make_reference();
};
TEST(Claims, WhatIsClaimedAndRefusedIsFalse) {
  // Each of the 14 claims is false.
  ClaimsAll liar;
  const Verdict verdict = judge(liar);
  EXPECT_EQ(verdict.failure_count, spec::kIntrinsicCount);
  const auto tokens = tokens_of(verdict, Fault::FalseClaim);
  ASSERT_EQ(tokens.size(), spec::kIntrinsicCount);
  EXPECT_EQ(tokens[3], "ir.subgroups:claim:1:3");
  EXPECT_EQ(verdict.error, "") << "no program is run on false claims";
}

class OddSize final : public Twisted {
 public:
  explicit OddSize(uint32_t lanes) : lanes_(lanes) {}
  Limits limits() const override { return {.subgroup_size = lanes_}; }

 private:
  uint32_t lanes_;
};
TEST(Claims, ASizeThatIsNoneIsFalse) {
  for (const uint32_t lanes : {0u, 3u, 96u, 256u}) {
    OddSize backend(lanes);
    const Verdict verdict = judge(backend);
    EXPECT_EQ(tokens_of(verdict, Fault::FalseClaim).size(), spec::kIntrinsicCount) << lanes;
    EXPECT_FALSE(verdict.parity[0].tally.whole());
  }
}

class DeniesOne final : public Twisted {
  bool has(spec::Intrinsic i) const override { return i != spec::Intrinsic::SubgroupAny; }
};
class RefusesWrongly final : public Twisted {
  bool has(spec::Intrinsic) const override { return false; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    if (program.intrinsics().empty()) return Twisted::compile(program);
    return std::unexpected(make_diag(DiagCode::B003, Span::none(), "subgroup.any on twisted: too much"));
  }
};
class RefusesNamelessly final : public Twisted {
  bool has(spec::Intrinsic) const override { return false; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    if (program.intrinsics().empty()) return Twisted::compile(program);
    return std::unexpected(make_diag(DiagCode::B002, Span::none(), "no operations of subgroups on twisted"));
  }
};
class RefusesEverything final : public Twisted {
  bool has(spec::Intrinsic) const override { return false; }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked&) override {
    return std::unexpected(make_diag(DiagCode::B002, Span::none(), "nothing"));
  }
};
// covers: CT-04
TEST(Claims, WhatIsDeniedMustBeRefusedInTheRightWords) {
  DeniesOne denies;
  EXPECT_EQ(tokens_of(judge(denies), Fault::BrokeContract),
            std::vector<std::string>{"ir.subgroups:claim:1:4"});
  RefusesWrongly wrongly;
  EXPECT_EQ(tokens_of(judge(wrongly), Fault::BrokeContract).size(), spec::kIntrinsicCount);
  RefusesNamelessly nameless;
  EXPECT_EQ(tokens_of(judge(nameless), Fault::BrokeContract).size(), spec::kIntrinsicCount);
  RefusesEverything everything;
  EXPECT_EQ(judge(everything).error, "B002: nothing");
}

/// Takes one operation for another of the same signature.
class Mistakes final : public Twisted {
 public:
  Mistakes(spec::Intrinsic is, spec::Intrinsic taken_for) : is_(is), taken_for_(taken_for) {}
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    std::string text = text::print(program.program());
    const std::string from = std::string(spec::info(is_).id) + "(",
                      to = std::string(spec::info(taken_for_).id) + "(";
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return Twisted::compile(*check::check(*text::parse(text), ops::op_table()));
  }

 private:
  spec::Intrinsic is_, taken_for_;
};
TEST(Subgroups, EachOperationTakenForAnotherIsFound) {
  for (const spec::IntrinsicInfo& is : spec::kIntrinsics) {
    for (const spec::IntrinsicInfo& other : spec::kIntrinsics) {
      if (is.intrinsic == other.intrinsic || is.output != other.output ||
          is.input_count != other.input_count) {
        continue;
      }
      Mistakes backend(is.intrinsic, other.intrinsic);
      bool found = false;
      // The operation's own program, at its workgroup sizes.
      for (size_t k = 0; k < kSubgroupSizes; ++k) {
        const auto difference = compare_once(
            backend,
            family_case(Family::Subgroups, 1, size_t(is.intrinsic) * kSubgroupSizes + k, backend.limits()));
        ASSERT_TRUE(difference) << difference.error().message;
        found = found || difference->has_value();
      }
      EXPECT_TRUE(found) << is.id << " as " << other.id;
    }
  }
}

}  // namespace
}  // namespace vyre::verify
