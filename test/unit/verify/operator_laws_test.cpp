// Laws of operators: what is declared is so by the formulas of the symbolic engine, a right backend keeps all
// of them, and a wrong one is refused with the application that is the culprit.
#include "verify/operator_laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "backend/native/native.h"
#include "oracle.h"
#include "spec/ops.h"
#include "symbolic/candidates.h"
#include "verify/families.h"
#include "verify/token.h"

VYRE_ORACLE(Law, "each claimed law, and each witness of a denial, on both subjects");

namespace vyre::verify {
namespace {

using spec::DataType;
using testing::HasSubstr;

TEST(OperatorLaws, NameOperatorsThatThereAre) {
  VYRE_ORACLE(SpecificationTable,
              "ops.def: an operator at a type, and each that a law names, is a row of it");
  std::set<std::string> names;
  std::map<DataType, size_t> claimed, denied;
  for (const OperatorLaw& law : operator_laws()) {
    EXPECT_TRUE(names.insert(name_of(law)).second) << name_of(law) << " twice";
    EXPECT_TRUE(spec::info(law.op).types.contains(law.type)) << name_of(law);
    for (const std::string& other : law.law.others) {
      const auto found = std::ranges::find(spec::kOps, other, &spec::OpInfo::mnemonic);
      ASSERT_NE(found, spec::kOps.end()) << name_of(law);
      EXPECT_TRUE(found->types.contains(law.type)) << name_of(law);
    }
    ++(law.claimed ? claimed : denied)[law.type];
    EXPECT_EQ(law.claimed, law.witness.empty()) << name_of(law);
  }
  // The types that no primitive has.
  for (const DataType type : {DataType::I32, DataType::U64, DataType::U128, DataType::Bool}) {
    EXPECT_GT(claimed[type], 0u) << spec::text(type);
    EXPECT_GT(denied[type], 0u) << spec::text(type);
  }
}

TEST(OperatorLaws, AreThoseOfTheFormulas) {
  VYRE_ORACLE(CpuReference,
              "symbolic/: the operators as formulas, written from the specification and not from ref/; small "
              "values and edges refute no claim and the witness each denial");
  for (const DataType type : {DataType::I32, DataType::U64, DataType::Bool}) {
    const auto family = symbolic::operators_of(type);
    size_t asked = 0, all = 0;
    for (const OperatorLaw& law : operator_laws()) {
      if (law.type != type) continue;
      ++all;
      const auto f = std::ranges::find(family->functions(), spec::mnemonic(law.op), &ops::Operation::id);
      ASSERT_NE(f, family->functions().end()) << name_of(law);
      smt::Pool pool;
      std::string reason;
      const auto claim = family->claim(pool, law.law, *f, reason);
      // Constants that only a shift amount has another type than, and truth values where a u64 is meant.
      if (!claim) continue;
      ++asked;
      symbolic::Refuter refuter(pool, *claim, family->bits());
      if (law.claimed) {
        EXPECT_FALSE(refuter.smallest().has_value()) << name_of(law);
        EXPECT_FALSE(refuter.edge().has_value()) << name_of(law);
      } else {
        ASSERT_EQ(claim->variables.size(), law.witness.size()) << name_of(law);
        EXPECT_TRUE(refuter.smallest().has_value() || refuter.edge().has_value()) << name_of(law);
      }
    }
    // Of truth values several have an operand of one type and a result of another, which is no formula there.
    EXPECT_GT(type == DataType::Bool ? 2 * asked : 4 * asked, type == DataType::Bool ? all : 3 * all)
        << spec::text(type);
  }
}

Verdict checked(backend::Backend& backend, uint64_t witnessed) {
  Verdict verdict;
  verdict.kind = SubjectKind::Family;
  verdict.subject = info(Family::Operators).text;
  verdict.pipeline = "0123456789abcdef0123456789abcdef";
  const auto done = check_operator_laws(backend, 0, operator_laws().size(), witnessed, 3, {}, verdict);
  EXPECT_TRUE(done.has_value()) << done.error().message;
  return verdict;
}

TEST(OperatorLaws, HoldOnTheReferenceAndOnNative) {
  const auto native = backend::make_native({.optimisation = 0});
  ASSERT_TRUE(native.has_value());
  const Verdict verdict = checked(**native, 2'000);
  EXPECT_EQ(verdict.failure_count, 0u) << (verdict.failures.empty() ? "" : verdict.failures[0].oracle);
  ASSERT_EQ(verdict.laws.size(), operator_laws().size());
  EXPECT_GT(verdict.dispatches, 0u);
  EXPECT_EQ(verdict.canaries_broken, 0u);
  for (const LawVerdict& law : verdict.laws) {
    std::map<std::string, uint64_t> cases;
    for (const Evidence& evidence : law.evidence) {
      EXPECT_TRUE(evidence.holds) << law.law << " on " << evidence.subject << ", " << evidence.grade;
      cases[evidence.subject.substr(0, evidence.subject.find('('))] += evidence.cases;
    }
    EXPECT_EQ(cases.size(), 2u) << law.law;
    EXPECT_EQ(cases["spec"], cases["device"]) << law.law;
    EXPECT_GE(cases["spec"], !law.claimed                                  ? 1u
                             : law.law.find(".bool:") != std::string::npos ? 2u
                                                                           : 2'000u)
        << law.law;
  }
  EXPECT_EQ(checked(**native, 0).laws.size(), operator_laws().size());
}

/// The native backend, but a stored sum of two u64 is one less where it is odd.
class WrongSums final : public backend::Backend {
 public:
  backend::Identity identity() const override { return {"wrong sums", "", "", "LLVM"}; }
  backend::Limits limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(right, inner_->compile(program));
    const auto& code = program.program().code;
    const bool sums = program.program().element(program.program().buffers[0]) == DataType::U64 &&
                      std::ranges::any_of(code.exprs, [](const ir::Expr& e) {
                        return e.kind == ir::ExprKind::Apply && e.op == spec::Op::Add;
                      });
    if (!sums) return std::move(right);
    return std::unique_ptr<backend::Pipeline>(std::make_unique<Wrong>(std::move(right)));
  }

 private:
  class Wrong final : public backend::Pipeline {
   public:
    explicit Wrong(std::unique_ptr<backend::Pipeline> right) : right_(std::move(right)) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> buffers, layout::Groups groups) override {
      VYRE_CHECK(right_->dispatch(buffers, groups));
      for (size_t at = 0; at < buffers[0].size(); at += 8) {
        std::byte* const low = buffers[2].data() + at;
        if (load_u32(buffers[0].data() + at) > load_u32(buffers[1].data() + at))
          store_u32(low, load_u32(low) & ~1u);
      }
      return {};
    }

   private:
    std::unique_ptr<backend::Pipeline> right_;
  };
  std::unique_ptr<backend::Backend> inner_ = *backend::make_native({.optimisation = 0});
};

TEST(OperatorLaws, RefuteAWrongSum) {
  // A sum that depends on the order of its operands is not commutative.
  WrongSums backend;
  const Verdict verdict = checked(backend, 500);
  EXPECT_GT(verdict.failure_count, 0u);
  const auto wrong = std::ranges::find(verdict.laws, "add.u64: Commutative", &LawVerdict::law);
  ASSERT_NE(wrong, verdict.laws.end());
  for (const Evidence& evidence : wrong->evidence)
    EXPECT_EQ(evidence.holds, evidence.subject == "spec") << evidence.subject;
  const auto failure = std::ranges::find(verdict.failures, "add.u64: Commutative", &Failure::oracle);
  ASSERT_NE(failure, verdict.failures.end());
  EXPECT_THAT(failure->token, HasSubstr("ir.operators/add.u64:operands:0:0x"));
  EXPECT_TRUE(parse_token(failure->token).has_value()) << failure->token;
  EXPECT_EQ(failure->fault, Fault::Law);
  for (const LawVerdict& law : verdict.laws) {
    if (law.law.find("u64") != std::string::npos) continue;
    for (const Evidence& evidence : law.evidence) EXPECT_TRUE(evidence.holds) << law.law;
  }
}

}  // namespace
}  // namespace vyre::verify
