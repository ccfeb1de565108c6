// Values on the device: formulas that are the operations, and operations that are not their formulas.
#include "verify/device_values.h"
#include "native.h"

#include <gtest/gtest.h>

#include "algebra/law.h"
#include "base/random.h"
#include "generate/values.h"
#include "mutant.h"
#include "operation_files.h"
#include "ops/registry.h"
#include "oracle.h"
#include "spec/ops.h"
#include "verify/formula.h"
#include "verify/operation.h"

VYRE_ORACLE(SpecificationTable,
            "the plans and the planted fault, counted by hand and case by case on the host");

namespace vyre::verify {
namespace {

TEST(Formulas, ArePrimitivesButForLoops) {
  VYRE_ORACLE(Property, "a formula is open where the composition loops, as it is to solvers");
  size_t primitives = 0;
  for (const ops::Operation& f : ops::all_operations()) {
    const auto law = value_law(f);
    const bool primitive = f.id.starts_with("primitive.");
    EXPECT_EQ(law.has_value(), primitive && !ops::loops(f)) << f.id << ": " << (law ? "" : law.error());
    primitives += primitive;
  }
  EXPECT_EQ(primitives, operation_files::primitives());
}

// On the reference interpreter, so no compiler stands between.
TEST(Formulas, AreTheReferenceFunctions) {
  VYRE_ORACLE(CpuReference, "the CPU reference function");
  algebra::CompositionEvaluator interpreter(value_table());
  for (const ops::Operation& f : ops::all_operations()) {
    const auto law = value_law(f);
    if (!law) continue;
    const size_t arity = f.signature.inputs.size();
    std::vector<std::vector<uint32_t>> words(arity);
    const auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
      for (size_t k = 0; k < arity; ++k) words[k].push_back(k == 0 ? a : k == 1 ? b : c);
    };
    for (const uint32_t a : generate::adversarial_words()) {
      for (const uint32_t b : generate::adversarial_words()) add(a, b, a ^ (b << 1));
    }
    for (uint32_t n = 0; n < 1000; ++n) {
      const auto bits = philox(1, n);
      add(bits[0], n % 2 == 0 ? bits[1] : bits[1] >> (bits[3] & 31), bits[2]);
    }
    std::vector<const uint32_t*> columns;
    for (const auto& w : words) columns.push_back(w.data());
    std::vector<uint32_t> results(words[0].size());
    const auto done = interpreter.apply(*(*law)->others[1], columns, results.data(), results.size());
    ASSERT_TRUE(done) << f.id << ": " << done.error().message;
    for (size_t i = 0; i < results.size(); ++i) {
      uint32_t operands[3] = {};
      for (size_t k = 0; k < arity; ++k) operands[k] = words[k][i];
      ASSERT_EQ(results[i], f.reference(operands))
          << f.id << " of " << operands[0] << ", " << operands[1] << ", " << operands[2];
    }
  }
}

// Where a digit of a quotient is decided: at multiples of the divisor, and one beside them.
TEST(Formulas, DivideExactlyAroundMultiples) {
  VYRE_ORACLE(CpuReference, "the division of C++, by the compiler that builds this test");
  algebra::CompositionEvaluator interpreter(value_table());
  std::vector<uint32_t> dividends, divisors;
  for (uint32_t n = 0; n < 20'000; ++n) {
    const auto bits = philox(2, n);
    const uint32_t divisor = std::max(1u, bits[0] >> (bits[1] & 31));
    const auto quotient = uint32_t(bits[2] % (uint64_t{UINT32_MAX} / divisor + 1));
    for (const uint32_t beside : {UINT32_MAX, 0u, 1u}) {
      dividends.push_back(quotient * divisor + beside);
      divisors.push_back(divisor);
    }
  }
  const uint32_t* const columns[] = {dividends.data(), divisors.data()};
  std::vector<uint32_t> results(dividends.size());
  for (const bool rest : {false, true}) {
    const auto law = value_law(*ops::find_operation(rest ? "primitive.math.mod" : "primitive.math.div"));
    ASSERT_TRUE(law);
    ASSERT_TRUE(interpreter.apply(*(*law)->others[1], columns, results.data(), results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
      const uint32_t a = dividends[i], b = divisors[i];
      ASSERT_EQ(results[i], rest ? a % b : a / b) << a << " by " << b;
    }
  }
}

// What the formula is for: it must not be the operation once more.
TEST(Formulas, CallAndCompareNothing) {
  VYRE_ORACLE(Property, "what formula.h says of them");
  for (const ops::Operation& f : ops::all_operations()) {
    const auto body = formula_of(f);
    if (!body) continue;
    for (const ir::Expr& e : body->code.exprs) {
      if (e.kind != ir::ExprKind::Apply) continue;
      for (const spec::Op op : {spec::Op::Call, spec::Op::Select, spec::Op::Eq, spec::Op::Ne, spec::Op::Lt,
                                spec::Op::Div, spec::Op::Mod, spec::Op::BitXor})
        ASSERT_NE(e.op, op) << f.id;
    }
  }
}

TEST(DeviceValues, AreRightOnNative) {
  VYRE_ORACLE(Law, "the operation is its formula");
  for (const ops::Operation& f : ops::all_operations()) {
    if (!value_law(f)) continue;
    Verdict verdict;
    const auto done = check_values(native(), f, 1, 5, {}, verdict);
    ASSERT_TRUE(done) << f.id << ": " << done.error().message;
    ASSERT_EQ(verdict.parity.size(), 1u) << f.id;
    EXPECT_EQ(verdict.parity[0], (OracleCases{Oracle::Law, {.planned = 1, .completed = 1}})) << f.id;
    ASSERT_EQ(verdict.leaves.size(), 1u);
    EXPECT_EQ(verdict.leaves[0].generator, "device");
    EXPECT_TRUE(verdict.failures.empty()) << f.id << ": " << verdict.failures[0].note;
  }
}

/// How many cases of a sweep a predicate says are wrong, one by one; canaries aside.
uint64_t count(const Sweep& sweep, const algebra::BoundLaw& law, bool (*wrong)(uint32_t)) {
  uint64_t n = 0;
  std::vector<uint32_t> values(law.variables.size());
  for (uint32_t t = 0; t < sweep.threads; ++t) {
    const uint32_t chunk = sweep.first_chunk + t * sweep.chunk_stride;
    const bool canary = sweep.is_canary(chunk);
    for (uint32_t run = 0; run < sweep.runs + (canary ? 1 : 0); ++run) {
      if (canary && run == sweep.canary_run(chunk)) continue;
      for (uint32_t k = 0; k < sweep.length; ++k) {
        sweep.values(chunk, sweep.start + t * sweep.start_stride + run * sweep.length + k, law.variables,
                     values);
        n += wrong(values[0]);
      }
    }
  }
  return n;
}

TEST(DeviceValues, APlantedFaultIsCountedToTheCase) {
  for (const std::string_view id :
       {"primitive.math.add", "primitive.bitwise.and", "primitive.compare.lt", "primitive.math.clamp"}) {
    const ops::Operation& f = *ops::find_operation(id);
    Mutant mutant(id);
    const algebra::BoundLaw& law = **value_law(f);
    const auto compiled = DeviceLaw::make(mutant, law, value_table());
    ASSERT_TRUE(compiled) << compiled.error().message;
    const Sweep sweep = random_sweep(**compiled, 1u << 20, 9);
    const auto counts = (*compiled)->run(sweep);
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->completed, counts->instances + counts->canaries) << id;
    EXPECT_EQ(counts->failures, count(sweep, law, is_wrong)) << id;
    EXPECT_GT(counts->failures, 3000u);

    Verdict verdict;
    ASSERT_TRUE(check_values(mutant, f, 1u << 20, 9, {}, verdict));
    EXPECT_EQ(verdict.parity[0].tally.failed, 1u);
    ASSERT_EQ(verdict.failures.size(), 1u);
    const Failure& failure = verdict.failures[0];
    EXPECT_TRUE(is_wrong(failure.input[0]));
    EXPECT_EQ(failure.minimality, Minimality::Shrunk);
    EXPECT_EQ(failure.expected, std::vector{f.reference(failure.input.data())});
    EXPECT_TRUE(failure.token.starts_with(std::string(id) + "@1:operands:0:")) << failure.token;
  }
}

TEST(DeviceValues, ArePieceOfAnOperation) {
  // The plans: 2^22 cases at standard strength, none at quick; loops have no formula.
  const auto tasks = [](std::string_view id, Strength strength) {
    uint64_t n = 0;
    for (const Task& task : tasks_of(*ops::find_operation(id), operation_plan(strength), 1))
      n += task.kind == Task::Kind::Values;
    return n;
  };
  EXPECT_EQ(tasks("primitive.math.sub", Strength::Quick), 0u);
  EXPECT_EQ(tasks("primitive.math.sub", Strength::Standard), 1u);
  EXPECT_EQ(tasks("primitive.math.gcd", Strength::Standard), 0u);
  EXPECT_EQ(tasks("float.f32.add", Strength::Standard), 0u);

  Mutant mutant("primitive.math.sub");
  const std::vector<Task> values = {{.kind = Task::Kind::Values}};
  const OperationPlan plan = operation_plan(Strength::Standard);
  const ops::Operation& sub = *ops::find_operation("primitive.math.sub");
  const Verdict verdict = check_tasks(mutant, sub, plan, values, 1, {});
  EXPECT_EQ(verdict.error, "");
  ASSERT_EQ(verdict.parity.size(), 1u);
  EXPECT_EQ(verdict.parity[0], (OracleCases{Oracle::Law, {.planned = 4, .completed = 4, .failed = 4}}));
  EXPECT_EQ(verdict.failure_count, 1u);
}

}  // namespace
}  // namespace vyre::verify
