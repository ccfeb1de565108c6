// The six gates, each against candidates that are wrong in the one way it is there for.
#include <atomic>
#include <thread>

#include "candidates.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "docs/adding-an-op.md, whose operation this is; what vyre-conform-spec, \"Admission Gates\" and "
            "\"The Category A+C rule\", ir-types, semantics, oracles and operation.h forbid");

namespace vyre::admit::test {
namespace {

TEST(Admission, TakesAGoodOperation) {
  const ops::Operation operation = good();
  for (const Diag& refusal : admit({&operation, std::nullopt, 4})) ADD_FAILURE() << refusal.message;
}

TEST(Admission, TakesEveryOperationOfTheLibrary) {
  VYRE_ORACLE(Property, "vyre-conform-spec, \"Admission Gates\": all that is registered has passed");
  size_t measured = 0;
  for (const ops::Operation& operation : ops::all_operations()) {
    const Candidate candidate = candidate_for(operation);
    measured += candidate.hand_written ? 1 : 0;
    for (const Diag& refusal : admit(candidate)) {
      ADD_FAILURE() << diag_info(refusal.code).name << ": " << refusal.message;
    }
  }
  size_t rows = 0;
#define VYRE_HAND_WRITTEN(...) ++rows;
#include "admit/handwritten.def"
#undef VYRE_HAND_WRITTEN
  EXPECT_EQ(measured, rows);  // each names an operation that there is
}

// ---- Gate 1: category -------------------------------------------------------------------------------------

// covers: CT-01 CT-03
TEST(Category, RefusesAnInstructionWithAFallback) {
  const ops::Operation operation = good();
  expect_refused({&operation, spec::Intrinsic::SubgroupBallot}, DiagCode::C008, "category B");
}

// covers: CT-01
TEST(Category, RefusesWhatIsNeither) {
  ops::Operation operation = good();
  operation.compose = nullptr;
  expect_refused(operation, DiagCode::C008, "neither a composition nor an instruction");
}

// covers: AG-02
TEST(Category, RefusesACategoryThatIsNotItsOwn) {
  ops::Operation operation = good();
  operation.category = spec::Category::C;
  expect_refused(operation, DiagCode::C008, "declared as category C");
}

/// An instruction code chooses what is done with the other operand: 0 adds, 1 doubles, 2 squares.
uint32_t interpreted(const uint32_t* x) {
  return x[0] == 0 ? x[1] + 1 : x[0] == 1 ? x[1] * 2 : x[0] == 2 ? x[1] * x[1] : x[1];
}

// covers: CT-06
TEST(Category, RefusesRunTimeDispatch) {
  ops::Operation operation = good();
  operation.reference = interpreted;
  operation.compose = [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    const ir::Ex code = f.let("code", p[0]), x = f.let("x", p[1]), y = f.let("y", x);
    f.if_(code == 0, [&] { f.assign(y, x + 1); });
    f.if_(code == 1, [&] { f.assign(y, x * 2); });
    f.if_(code == 2, [&] { f.assign(y, x * x); });
    return y;
  };
  operation.laws.clear();
  expect_refused(operation, DiagCode::C008, "3 numbers");
}

TEST(Category, TakesTwoSpecialCases) {
  ops::Operation operation = good();
  operation.reference = [](const uint32_t* x) { return x[0] == 0 ? 5u : x[0] == 1 ? 6u : x[0] ^ x[1]; };
  operation.compose = [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    return f.select(p[0] == 0, f.u32(5), f.select(p[0] == 1, f.u32(6), p[0] ^ p[1]));
  };
  Diagnostics refusals;
  check_category({&operation}, refusals);
  EXPECT_TRUE(refusals.empty()) << refusals.front().message;
}

// ---- Gate 2: signature ------------------------------------------------------------------------------------

// covers: AG-03
TEST(Signature, RefusesACompositionOfAnotherType) {
  ops::Operation operation = good();
  operation.compose = [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    return f.cast(spec::DataType::Bool, p[0] ^ p[1]);
  };
  expect_refused(operation, DiagCode::C009, "composition is not what the signature says");
}

TEST(Signature, RefusesAReferenceThatReadsMore) {
  ops::Operation operation = good();
  operation.reference = [](const uint32_t* x) { return x[0] + x[1] + x[2]; };
  expect_refused(operation, DiagCode::C009, "reads more than the 2 operands");
}

TEST(Signature, RefusesAReferenceOfAnotherType) {
  ops::Operation operation = good();
  operation.signature.output = spec::DataType::Bool;
  operation.compose = [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    return f.cast(spec::DataType::Bool, p[0] ^ p[1]);
  };
  expect_refused(operation, DiagCode::C009, "which is no bool");
}

TEST(Signature, RefusesNamesAndRowsOfAnotherArity) {
  ops::Operation operation = good();
  operation.parameter_names = {"a"};
  expect_refused(operation, DiagCode::C009, "parameter names has 1 operands");
  operation = good();
  operation.rows[3].operands = {7};
  expect_refused(operation, DiagCode::C009, "a row has 1 operands");
  operation = good();
  operation.boundaries[0].operands = {0, 0, 0};
  expect_refused(operation, DiagCode::C009, "a boundary value has 3 operands");
  operation = good();
  operation.identities = {{{0xffffffff}, 0, "wrong", "semantics: The primitives"}};
  expect_refused(operation, DiagCode::C009, "an identity has 1 operands");
}

// ---- Gate 3: zero overhead --------------------------------------------------------------------------------

// covers: CT-02 AG-04
TEST(ZeroOverhead, RefusesMoreThanHandWrittenCodeHas) {
  // Gate 3: the composition is and, xor, shift, add: four instructions.
  const ops::Operation operation = good();
  const auto count = count_instructions(operation);
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(*count, 4u);
  expect_refused({&operation, std::nullopt, 3}, DiagCode::C010, "it leaves 4 instructions");
}

// covers: CT-02
TEST(ZeroOverhead, SeesLoopsThatAreLeft) {
  // Gate 3: a sum of single bits in a loop is no llvm.umin.
  ops::Operation operation = good();
  operation.compose = [](ir::FunctionBuilder& f, std::span<const ir::Ex> p) {
    const ir::Ex a = f.let("x", p[0]), b = f.let("y", p[1]), steps = f.let("steps", f.u32(0));
    f.loop("i", f.u32(0), a & 63, [&](ir::Ex) { f.assign(steps, (steps * 3) ^ b); });
    return steps;
  };
  const auto count = count_instructions(operation);
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_GT(*count, 4u);
}

// ---- Gate 4: deterministic reference ----------------------------------------------------------------------

std::atomic<uint32_t> calls = 0;
uint32_t counting(const uint32_t* x) { return avg_floor(x) + (++calls > 30'000 ? 1 : 0); }
uint32_t of_its_thread(const uint32_t* x) {
  static const std::thread::id home = std::this_thread::get_id();
  return avg_floor(x) ^ (std::this_thread::get_id() == home ? 0 : 1);
}
uint32_t of_the_call_before(const uint32_t* x) {
  static thread_local uint32_t before = 0;
  const uint32_t was = before;
  before = x[0];
  return avg_floor(x) + (was == 0xffffffff ? 1 : 0);
}

// covers: AG-05
TEST(Deterministic, RefusesStateClockAndThread) {
  for (const auto& [reference, how] :
       {std::pair<ops::Reference, std::string_view>{of_its_thread, "on another thread"},
        {of_the_call_before, "for the same operands later"}}) {
    ops::Operation operation = good();
    operation.reference = reference;
    Diagnostics refusals;
    check_deterministic({&operation}, refusals);
    ASSERT_EQ(refusals.size(), 1u) << how;
    EXPECT_EQ(refusals[0].code, DiagCode::C011);
    EXPECT_THAT(refusals[0].message, testing::HasSubstr(std::string(how)));
  }
  ops::Operation operation = good();
  operation.reference = counting;  // turns after 30,000 calls
  Diagnostics refusals;
  for (int round = 0; round < 3 && refusals.empty(); ++round) check_deterministic({&operation}, refusals);
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].code, DiagCode::C011);
}

TEST(Deterministic, RefusesACandidateWhoseReferenceIsNot) {
  ops::Operation operation = good();
  operation.reference = [](const uint32_t* x) {
    static std::atomic<uint32_t> turn = 0;
    return x[0] == 0x80000000 ? avg_floor(x) ^ (++turn / 10 & 1) : avg_floor(x);
  };
  expect_refused(operation, DiagCode::C011, "another word");
}

// ---- Gate 5: observable reference -------------------------------------------------------------------------

// covers: AG-06
TEST(Observable, RefusesAnEmptyReference) {
  ops::Operation operation = good();
  operation.reference = nullptr;
  expect_refused(operation, DiagCode::C012, "reference function is empty");
}

// covers: AG-06
TEST(Observable, RefusesAnOutputOfNoBytes) {
  // ir-types, "DataType": Bytes is zero bytes or more.
  ops::Operation operation = good();
  operation.signature.output = spec::DataType::Bytes;
  Diagnostics refusals;
  check_observable({&operation}, refusals);
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].code, DiagCode::C012);
}

TEST(Observable, RefusesAReferenceThatSaysOneThing) {
  ops::Operation operation = good();
  operation.reference = [](const uint32_t*) { return 7u; };
  expect_refused(operation, DiagCode::C012, "gives 0x7 for all");
}

// ---- Gate 6: rules present --------------------------------------------------------------------------------

// covers: AG-07
TEST(Rules, RefusesAnOperationWithoutAny) {
  ops::Operation operation = good();
  operation.laws.clear();
  operation.denied.clear();
  operation.classes.clear();
  operation.boundaries.clear();
  operation.rows.clear();
  expect_refused(operation, DiagCode::C013, "no rules at all");
}

TEST(Rules, RefusesTooFew) {
  // Admission, the registry's policy: a law, four boundary values, a class, eight rows, a formula.
  ops::Operation operation = good();
  operation.laws.clear();
  EXPECT_TRUE(admit({&operation}).empty()) << "a denied law is one";
  operation.denied.clear();
  expect_refused(operation, DiagCode::C013, "claims no law");
  operation = good();
  operation.classes.clear();
  expect_refused(operation, DiagCode::C013, "no class");
  operation = good();
  operation.boundaries.pop_back();
  expect_refused(operation, DiagCode::C013, "3 boundary values, and the registry wants 4");
  operation = good();
  operation.rows.pop_back();
  expect_refused(operation, DiagCode::C013, "7 rows, and the registry wants 8");
  operation = good();
  operation.define = nullptr;
  expect_refused(operation, DiagCode::C013, "no definition by formula");
}

// covers: OR-04
TEST(Rules, RefusesEmptyWords) {
  ops::Operation operation = good();
  operation.rows[2].rationale = "";
  expect_refused(operation, DiagCode::C013, "the row (0x0, 0x1) has no rationale");
  operation = good();
  operation.rows[2].source = "";
  expect_refused(operation, DiagCode::C013, "has no source");
  operation = good();
  operation.boundaries[1].reason = "";
  expect_refused(operation, DiagCode::C013, "has no reason");
  operation = good();
  operation.rows[1] = operation.rows[0];
  expect_refused(operation, DiagCode::C013, "stands there twice");
}

TEST(Rules, RefusesClassesWithGaps) {
  // operation.h: together the classes cover every input.
  ops::Operation operation = good();
  operation.classes.pop_back();
  expect_refused(operation, DiagCode::C013, "no class contains");
  operation = good();
  operation.classes[0].representative = {0xffffffff, 1};
  expect_refused(operation, DiagCode::C013, "is not in it");
}

// covers: OR-03
TEST(Rules, RefusesTautologies) {
  // Oracles, "How the wrong oracle fails": any function would pass.
  ops::Operation operation = good();
  operation.laws.push_back(ops::laws::bounded(0, UINT32_MAX));
  expect_refused(operation, DiagCode::C016, "functions of no meaning");
  operation = good();
  operation.rows[0].source = "measured with the reference function";
  expect_refused(operation, DiagCode::C016, "is what is tested");
}

TEST(Rules, RefusesLawsThatAreNoStatements) {
  // Semantics: an ill-typed pair is not applicable.
  ops::Operation operation = good();
  operation.laws.push_back(ops::laws::involution());  // of one operand
  expect_refused(operation, DiagCode::C013, "does not apply");
}

}  // namespace
}  // namespace vyre::admit::test
