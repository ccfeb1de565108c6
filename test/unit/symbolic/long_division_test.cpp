// The theorem of long division: that it is true, that loops which divide are proved by it, and that those
// which divide wrongly are not.
#include "symbolic/long_division.h"

#include <gtest/gtest.h>

#include "check/checked.h"
#include "ir/builder.h"
#include "ops/operation.h"
#include "oracle.h"
#include "spec/ops.h"
#include "symbolic/lowering.h"

VYRE_ORACLE(Property, "the operator's formula, which is held against the reference elsewhere");

namespace vyre::symbolic {
namespace {

using ir::Ex;
using solver::Outcome;
using spec::DataType;
using spec::Op;

// What the header says of the steps, with W = 6: from every beginning that the premises allow.
TEST(LongDivision, IsATheorem) {
  VYRE_ORACLE(CpuReference, "the host's division on all pairs of 6-bit numbers and all counts");
  constexpr uint32_t kWidth = 6, kAll = 1u << kWidth;
  uint32_t begun = 0;
  for (uint32_t a = 0; a < kAll; ++a) {
    for (uint32_t b = 1; b < kAll; ++b) {
      for (uint32_t count = 0; count <= kWidth; ++count) {
        uint32_t remainder = a >> count, quotient = (a << (kWidth - count)) % kAll;
        const bool top_of_b = b >= kAll / 2, top = remainder >= kAll / 2;
        if (remainder >= b || (count > 0 && top) || (count > 1 && top_of_b)) continue;
        ++begun;
        for (uint32_t i = 0; i < count; ++i) {
          const uint32_t grown = (2 * remainder + quotient / (kAll / 2)) % kAll;
          const bool fits = grown >= b;
          remainder = fits ? grown - b : grown;
          quotient = (2 * quotient + fits) % kAll;
        }
        ASSERT_EQ(quotient, a / b) << a << " / " << b << " in " << count;
        ASSERT_EQ(remainder, a % b) << a << " % " << b << " in " << count;
      }
    }
  }
  EXPECT_GT(begun, kAll * kAll);
}

/// How a loop that divides 32-bit words may be wrong.
enum class Fault { None, OneTurnLess, Strict, TooMuchAtFirst, BitLost, NoGuard, WrongSlots, Remainder };

// out[at[0]] = a[at[0]] / b[at[0]], bit by bit.
lower::Kernel division_by_hand(Fault fault) {
  ir::ProgramBuilder p("one_operator");
  p.workgroup_size(1, 1, 1);
  const auto a_buffer = p.read("a", DataType::U32, 0), b_buffer = p.read("b", DataType::U32, 1);
  const auto at = p.read("at", DataType::U32, 2), out = p.read_write("out", DataType::U32, 3);
  const Ex i = p.let("i", p.load(at, p.u32(0)));
  const Ex a = p.let("a_", p.load(a_buffer, i)), b = p.let("b_", p.load(b_buffer, i));
  const bool swapped = fault == Fault::WrongSlots;
  const Ex first = p.let(swapped ? "remainder" : "quotient", p.u32(0));
  const Ex second = p.let(swapped ? "quotient" : "remainder", a);
  const Ex q = swapped ? second : first, r = swapped ? first : second;
  if (swapped) p.assign(q, p.u32(0)), p.assign(r, a);
  const Ex more = p.apply(Op::Clz, {a}) <= p.apply(Op::Clz, {b});
  p.if_(fault == Fault::NoGuard ? more : more & (b != p.u32(0)), [&] {
    const Ex k = p.let("k", p.apply(Op::Clz, {b}) - p.apply(Op::Clz, {a}));
    const Ex upper = a >> k;
    p.assign(r, fault == Fault::TooMuchAtFirst ? upper : upper >> p.u32(1));
    p.assign(q, a << (p.u32(31) - k));
    p.loop("step", p.u32(0), fault == Fault::OneTurnLess ? k : k + p.u32(1), [&](Ex) {
      const Ex in = fault == Fault::BitLost ? p.u32(0) : q >> p.u32(31);
      const Ex grown = p.let("grown", (r << p.u32(1)) | in);
      const Ex fits = p.let("fits", fault == Fault::Strict ? grown > b : grown >= b);
      p.assign(r, p.select(fits, grown - b, grown));
      p.assign(q, (q << p.u32(1)) | p.cast(DataType::U32, fits));
    });
  });
  p.store(out, i, fault == Fault::Remainder ? r : q);
  auto checked = check::check(p.finish(), ops::op_table());
  EXPECT_TRUE(checked.has_value());
  return lower::build(*checked);
}

Outcome outcome_of(Fault fault) {
  static CodeProver prover({.limits = {.seconds = 20}, .smallest = false});
  const ScalarProgram program = operator_program(Op::Div, DataType::U32);
  smt::Pool pool;
  Memory memory(pool, buffers_of(program.kernel));
  const auto meaning = read(pool, memory, program.kernel);
  const WordStore& store = meaning->stores.at(0);
  // ite(b = 0, 0, a / b)
  const smt::Node quotient = pool[pool[store.value].operands[2]];
  LongDivision theorem(quotient.operands[0], quotient.operands[1]);
  const auto code = read(pool, memory, division_by_hand(fault), &theorem);
  EXPECT_TRUE(code.has_value()) << code.error();
  EXPECT_TRUE(theorem.was_used());
  return prover.prove(pool, memory, *code, *meaning).outcome;
}

TEST(LongDivision, ProvesALoopThatDivides) { EXPECT_EQ(outcome_of(Fault::None), Outcome::Proved); }

TEST(LongDivision, ProvesNoLoopThatDividesWrongly) {
  for (const Fault fault : {Fault::OneTurnLess, Fault::Strict, Fault::TooMuchAtFirst, Fault::BitLost,
                            Fault::NoGuard, Fault::WrongSlots, Fault::Remainder})
    EXPECT_EQ(outcome_of(fault), Outcome::Refuted) << int(fault);
}

TEST(LongDivision, FindsTheDivisionOfWideWords) {
  VYRE_ORACLE(SpecificationTable, "by hand: which operators divide, by their names");
  for (const auto& [op, found] : {std::pair(Op::Div, true), {Op::Mod, true}, {Op::Mul, false}}) {
    const ScalarProgram program = operator_program(op, DataType::U64);
    smt::Pool pool;
    Memory memory(pool, buffers_of(program.kernel));
    const auto meaning = read(pool, memory, program.kernel);
    EXPECT_EQ(division_of(pool, *meaning).has_value(), found);
  }
}

}  // namespace
}  // namespace vyre::symbolic
