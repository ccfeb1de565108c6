// Whole domains by digest: the digests are the oracle's, a right backend passes by them, and of a wrong one
// the wrong answer is found.
#include "verify/domain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mutant.h"
#include "num/functions.h"
#include "ops/registry.h"
#include "oracle.h"
#include "spec/ops.h"
#include "spec/table.h"
#include "verify/operation.h"

VYRE_ORACLE(CpuReference,
            "num/functions.h and the reference functions, which are Arb's where the digests came from num/");

namespace vyre::verify {
namespace {

using spec::Op;
using Function = void (*)(num::FloatFormat, num::Column, num::Results);
constexpr bool has_digests(Op op) { return spec::is_elementary(op) && spec::operand_count(op) == 1; }
constexpr spec::Row<Op, Function> kDomainFunctionRows[] = {
    {Op::FSin, num::sin},   {Op::FCos, num::cos},     {Op::FTan, num::tan},   {Op::FASin, num::asin},
    {Op::FACos, num::acos}, {Op::FATan, num::atan},   {Op::FExp, num::exp},   {Op::FLog, num::log},
    {Op::FExp2, num::exp2}, {Op::FExp10, num::exp10}, {Op::FLog2, num::log2}, {Op::FLog10, num::log10},
};
constexpr spec::TotalTable<kDomainFunctionRows, has_digests> kOracle;

std::string id_of(Op op) { return "float.f32." + std::string(spec::mnemonic(op)).substr(1); }

TEST(Domain, DigestsAreOfTheOraclesAnswers) {
  // num/functions.h, asked for some slices of each function.
  for (const spec::OpInfo& op : spec::kOps) {
    if (!has_digests(op.op)) continue;
    const auto digests = domain_digests(id_of(op.op));
    ASSERT_EQ(digests.size(), (uint64_t{1} << 32) / kLeafCases) << op.mnemonic;
    std::vector<uint32_t> in(kLeafCases), out(kLeafCases);
    // Numbers near 1, great ones, negative ones.
    for (const uint32_t slice : {0x3f8u, 0x4b0u + uint32_t(op.op) % 16, 0xbe0u + uint32_t(op.op) % 16}) {
      for (uint32_t i = 0; i < kLeafCases; ++i) in[i] = uint32_t(slice * kLeafCases + i);
      kOracle[op.op](spec::kBinary32, in, out);
      EXPECT_EQ(digest_word(out), digests[slice]) << op.mnemonic << ", slice " << slice;
    }
  }
}

TEST(Domain, DigestsAreOfTheReferenceFunctionsAnswers) {
  // The reference functions, which are Arb's where the digests came from num/.
  for (const spec::OpInfo& op : spec::kOps) {
    if (!has_digests(op.op)) continue;
    const ops::Reference reference = ops::find_operation(id_of(op.op))->reference;
    std::vector<uint32_t> out(kLeafCases);
    constexpr uint32_t kSlice = 0x3f4;  // [3/4, 13/16)
    for (uint32_t i = 0; i < kLeafCases; ++i) {
      const auto a = uint32_t(kSlice * kLeafCases + i);
      out[i] = reference(&a);
    }
    EXPECT_EQ(digest_word(out), domain_digests(id_of(op.op))[kSlice]) << op.mnemonic;
  }
}

TEST(Domain, OthersHaveNone) {
  VYRE_ORACLE(SpecificationTable, "by hand: the functions of one operand are those that were gone through");
  EXPECT_TRUE(domain_digests("float.f32.pow").empty());
  EXPECT_TRUE(domain_digests("float.f32.sqrt").empty());
  EXPECT_TRUE(domain_digests("float.f16.sin").empty());
}

constexpr uint32_t kWrongInput = 0x3f812345;

/// The native backend, but of one input the answer of exp has its lowest bit turned.
class OneWrong final : public WrongNative {
 public:
  OneWrong() : WrongNative("one wrong", ops::op_table(), body()) {}

 private:
  static ir::Function body() {
    ir::FunctionBuilder f("float.f32.exp");
    const ir::Ex a = f.parameter("a", ir::DataType::F32);
    const ir::Ex right = f.let("right", f.bitcast(ir::DataType::U32, f.apply(Op::FExp, {a})));
    const ir::Ex wrong = f.select(f.bitcast(ir::DataType::U32, a) == kWrongInput, right ^ 1, right);
    return f.finish(f.bitcast(ir::DataType::F32, wrong), ir::DataType::F32);
  }
};

/// Of a slice of exp's domain.
Verdict judged(backend::Backend& backend, uint32_t slice, uint32_t wanted) {
  const Subject subject = subject_of(*ops::find_operation("float.f32.exp"));
  Verdict verdict;
  constexpr uint32_t kSizes[] = {kWorkgroup};
  auto pipelines = make_pipelines(backend, subject, kSizes, 1, verdict);
  EXPECT_TRUE(pipelines);
  const Monitor monitor;
  Examiner examiner(backend, subject, pipelines->all, 1, monitor, verdict);
  LeafWriter leaves(verdict, subject.oracle, slice);
  const CaseRange part{"whole", kLeafCases, 1, uint64_t{slice} * kLeafCases};
  EXPECT_TRUE(check_domain(subject, examiner, part, wanted, 1, monitor, verdict, leaves));
  leaves.end();
  return verdict;
}

constexpr uint32_t kSlice20 = kWrongInput / uint32_t(kLeafCases);

TEST(Domain, ARightBackendPassesByItsDigest) {
  // The digests, which another test holds to num/functions.h.
  const auto native = *backend::make_native();
  const uint32_t wanted = domain_digests("float.f32.exp")[kSlice20];
  const Verdict verdict = judged(*native, kSlice20, wanted);
  EXPECT_EQ(verdict.failure_count, 0u);
  ASSERT_EQ(verdict.parity.size(), 1u);
  EXPECT_EQ(verdict.parity[0].tally.completed, kLeafCases);
  EXPECT_TRUE(verdict.parity[0].tally.whole());
  // A judge that goes case by case has the same leaf.
  const Verdict slowly = judged(*native, kSlice20, wanted ^ 1);
  EXPECT_EQ(slowly.failure_count, 0u);
  EXPECT_EQ(slowly.parity[0].tally.completed, kLeafCases);
  ASSERT_EQ(verdict.leaves.size(), 1u);
  ASSERT_EQ(slowly.leaves.size(), 1u);
  EXPECT_EQ(verdict.leaves[0].digest, slowly.leaves[0].digest);
}

TEST(Domain, TheOneWrongAnswerIsFound) {
  VYRE_ORACLE(SpecificationTable, "the fault was planted: one input, the lowest bit");
  OneWrong backend;
  const Verdict verdict = judged(backend, kSlice20, domain_digests("float.f32.exp")[kSlice20]);
  EXPECT_EQ(verdict.failure_count, 1u);
  ASSERT_EQ(verdict.failures.size(), 1u);
  EXPECT_EQ(verdict.failures[0].input, std::vector<uint32_t>{kWrongInput});
  EXPECT_EQ(verdict.failures[0].expected[0] ^ verdict.failures[0].actual[0], 1u);
}

TEST(Domain, IsGoneThroughAtFullStrengthOnly) {
  VYRE_ORACLE(SpecificationTable,
              "semantics, the tiers: full runs every domain of at most 2^32 inputs whole");
  const ops::Operation& exp = *ops::find_operation("float.f32.exp");
  const auto cases = [&](Strength strength) {
    uint64_t sum = 0;
    for (const Task& task : tasks_of(exp, operation_plan(strength), 1))
      sum += task.kind == Task::Kind::Cases ? task.count : 0;
    return sum;
  };
  EXPECT_LT(cases(Strength::Standard), uint64_t{1} << 24);
  EXPECT_GT(cases(Strength::Full), uint64_t{1} << 32);
}

}  // namespace
}  // namespace vyre::verify
