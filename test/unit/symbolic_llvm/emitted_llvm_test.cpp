// LLVM IR read back: rows and optimised operators proved, and bugs planted in IR text refuted.
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>

#include "operator_counts.h"
#include "oracle.h"
#include "symbolic/llvm/emitted.h"

VYRE_ORACLE(Property,
            "raw operators' meanings on their domains (symbolic/kernel.h), and operators as formulas, which "
            "the code that was read back must equal");

namespace vyre::symbolic {
namespace {

using lower::RawOp;
using solver::Outcome;

CodeProver& prover() {
  static CodeProver one({.limits = {.seconds = 60}, .smallest = false});
  return one;
}

TEST(EmittedLlvm, RowsMeanTheirOperators) {
  const auto rows = prove_raw_llvm(prover(), {});
  EXPECT_EQ(rows.size(), size_t(std::ranges::count(lower::kRawOps, false, &lower::RawOpInfo::is_float)));
  for (const LoweringProof& row : rows)
    EXPECT_EQ(row.proof.outcome, Outcome::Proved) << row.operation << ": " << row.proof.reason;
}

TEST(EmittedLlvm, OptimisedOperatorsOfAWord) {
  LoweringRequest request;
  request.wanted = [](std::string_view name) {
    return name.ends_with(" u32") && name.find("cast") == name.npos;
  };
  const auto rows = prove_emitted_llvm(prover(), request);
  EXPECT_GE(rows.size(), 2 * operator_counts::scalar(spec::DataType::U32));
  for (const LoweringProof& row : rows)
    EXPECT_EQ(row.proof.outcome, Outcome::Proved)
        << row.operation << " " << row.subject << ": " << row.proof.reason;
}

struct Bug {
  const char* what;
  RawOp op;
  const char* body;  // of i32 @f(i32 %a, i32 %b)
  Outcome outcome = Outcome::Refuted;
};
const Bug kBugs[] = {
    {"right", RawOp::Add, "%r = add i32 %b, %a", Outcome::Proved},
    {"nsw", RawOp::Add, "%r = add nsw i32 %a, %b"},
    {"nuw", RawOp::Sub, "%r = sub nuw i32 %a, %b"},
    {"exact", RawOp::LShr, "%r = lshr exact i32 %a, %b"},
    {"disjoint", RawOp::Or, "%r = or disjoint i32 %a, %b"},
    {"signed shift", RawOp::LShr, "%r = ashr i32 %a, %b"},
    {"lost sign", RawOp::AShr, "%r = lshr i32 %a, %b"},
    {"order", RawOp::Sub, "%r = sub i32 %b, %a"},
    {"signed division", RawOp::UDiv, "%r = sdiv i32 %a, %b"},
    {"wrong extension", RawOp::ULt, "%t = icmp ult i32 %a, %b\n%r = sext i1 %t to i32"},
    {"signed comparison", RawOp::ULe, "%t = icmp sle i32 %a, %b\n%r = zext i1 %t to i32"},
};

TEST(EmittedLlvm, PlantedBugsAreRefuted) {
  VYRE_ORACLE(SpecificationTable,
              "planted, so known by construction: raw operators' meanings on their domains, as formulas");
  for (const Bug& bug : kBugs) {
    SCOPED_TRACE(bug.what);
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const std::string text =
        std::string("define i32 @f(i32 %a, i32 %b) {\n") + bug.body + "\nret i32 %r\n}\n";
    const auto module = llvm::parseAssemblyString(text, error, context);
    ASSERT_NE(module, nullptr) << error.getMessage().str();
    EXPECT_EQ(prove_raw(prover(), bug.op, *module->getFunction("f")).outcome, bug.outcome);
  }
}

}  // namespace
}  // namespace vyre::symbolic
