// The first value that differs, on backends with one planted fault.
#include "host/first_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operation.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"
#include "wrong_backend.h"

VYRE_ORACLE(SpecificationTable,
            "by construction: the fault strikes one operator on operands that only one place of the text "
            "gives it, so the place, the invocation and both values are known");

namespace vyre::host {
namespace {

using spec::DataType;
using spec::Op;

std::string notes(const Diag& diag) {
  std::string out;
  for (const DiagNote& note : diag.notes) out += note.message + "\n";
  return out;
}

struct Steps {
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<Step> steps;
  Buffers buffers;

  void add(std::string text, layout::Groups groups = {1, 1, 1}) {
    auto program = text::parse(text);
    ASSERT_TRUE(program) << render(program.error(), nullptr);
    auto checked = check::check(std::move(*program), ops::op_table());
    ASSERT_TRUE(checked) << render(checked.error().front(), nullptr);
    steps.push_back({std::make_shared<const check::Checked>(std::move(*checked)), groups});
    sources.push_back(std::make_unique<Source>("test.vyre", std::move(text)));
    auto declared = declare_buffers(steps);
    ASSERT_TRUE(declared);
    for (auto& [name, buffer] : declared->by_name) {
      const auto old = buffers.by_name.find(name);
      if (old != buffers.by_name.end()) buffer.bytes = old->second.bytes;
    }
    buffers = std::move(*declared);
  }
  void set(std::string_view name, const std::vector<uint32_t>& words) {
    buffers.by_name.find(name)->second.bytes = to_bytes(words);
  }
  FirstDifference search(backend::Backend& wrong) {
    const auto reference = backend::make_reference();
    return find_first_difference({*reference, "reference"}, {wrong, "wrong"}, steps, buffers,
                                 [&](size_t step) { return sources[step].get(); });
  }
  /// The text that a diagnostic points at.
  std::string_view at(const Diag& diag, size_t step = 0) const {
    return sources[step]->text().substr(diag.span.begin, diag.span.end - diag.span.begin);
  }
  /// The first difference from `wrong`, that it is at this text, and that its message and its notes say this.
  FirstDifference expect_at(backend::Backend& wrong, std::string_view text,
                            std::initializer_list<std::string> message = {}, std::string_view noted = "") {
    FirstDifference found = search(wrong);
    EXPECT_TRUE(found.place) << text << ": " << found.why;
    if (!found.place) return found;
    EXPECT_EQ(at(*found.place, found.step), text);
    for (const std::string& part : message) EXPECT_THAT(found.place->message, testing::HasSubstr(part));
    EXPECT_THAT(notes(*found.place), testing::HasSubstr(std::string(noted)));
    return found;
  }
};

TEST(FirstDifference, IsTheOperatorThatIsWrong) {
  Steps run;
  run.add(R"(program p(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(4, 1, 1) {
  let i = invocation_id.x;
  let x = a[i] * 2;
  out[i] = (x + a[i] % b[i]) * 10;
})",
          {2, 1, 1});
  run.set("a", {1, 2, 3, 4, 5, 17, 7, 17});
  run.set("b", {9, 9, 9, 9, 9, 5, 9, 5});
  run.set("out", std::vector<uint32_t>(8));
  WrongBackend wrong([](Planter& p) { p.wrong_result(Op::Mod, DataType::U32, {17, 5}, 4); });
  const FirstDifference found = run.expect_at(wrong, "a[i] % b[i]");
  ASSERT_TRUE(found.place);
  EXPECT_EQ(found.place->code, DiagCode::X008);
  EXPECT_EQ(
      found.place->message,
      "`a[i] % b[i]` gives 2 (0x00000002) on reference and 4 (0x00000004) on wrong, in invocation (5, 0, 0)");
  EXPECT_EQ(notes(*found.place), "");
}

// The rounds before are right, and so is each other invocation.
TEST(FirstDifference, CountsTheRoundsBefore) {
  Steps run;
  run.add(R"(program p(read a: u32 @0, read_write out: u32 @1) workgroup(4, 1, 1) {
  let i = invocation_id.x;
  let sum = 0;
  for k in 0..20 {
    if (k & 1) {
      sum = sum + a[i] % (k + 3);
    } else {
      sum = sum ^ k;
    }
  }
  out[i] = sum;
})");
  run.set("a", {100, 200, 300, 400});
  run.set("out", {0, 0, 0, 0});
  WrongBackend wrong([](Planter& p) { p.wrong_result(Op::Mod, DataType::U32, {300, 14}, 77); });
  // k = 11 is the sixth odd round.
  run.expect_at(wrong, "a[i] % (k + 3)", {"gives 6 (0x00000006) on reference and 77", "(2, 0, 0)"},
                "computed it 5 times before");
}

// Invocation 3 errs late in the first phase; the others read what it made of it early in the second.
TEST(FirstDifference, IsACauseAndNotWhatOthersMadeOfIt) {
  Steps run;
  run.add(R"(program p(read a: u32 @0, read_write out: u32 @1, workgroup w: u32[4]) workgroup(4, 1, 1) {
  let i = local_id.x;
  let x = a[i];
  if (i == 3) {
    for k in 0..50 {
      x = x + k * 3;
    }
    x = x / 7;
  }
  w[i] = x;
  barrier;
  out[i] = w[3] + w[i];
})");
  run.set("a", {1, 2, 3, 4});
  run.set("out", {0, 0, 0, 0});
  WrongBackend wrong([](Planter& p) { p.wrong_result(Op::Div, DataType::U32, {3679, 7}, 1); });
  run.expect_at(wrong, "x / 7", {"gives 525 (0x0000020d) on reference and 1", "(3, 0, 0)"});
}

// What was loaded later is wrong as well, but the expression that was stored is where it began.
TEST(FirstDifference, IsBeforeTheMemoryThatItWentThrough) {
  Steps run;
  run.add(R"(program p(read_write out: u32 @0) workgroup(1, 1, 1) {
  out[0] = out[1] / 3;
  out[2] = out[0] + 1;
})");
  run.set("out", {0, 10, 0});
  WrongBackend wrong([](Planter& p) { p.wrong_result(Op::Div, DataType::U32, {10, 3}, 4); });
  run.expect_at(wrong, "out[1] / 3");
}

TEST(FirstDifference, IsAStoreThatLeavesAnotherValue) {
  Steps run;
  run.add(R"(program p(read a: u32 @0, read_write out: u32 @1) workgroup(2, 1, 1) {
  let i = local_id.x;
  out[i] = a[i];
  out[i + 2] = out[i] + 5;
})");
  run.set("a", {40'001, 40'002});
  run.set("out", {0, 0, 0, 0});
  WrongBackend wrong([](Planter& p) { p.wrong_operand(InstKind::Store, 1, 40'002, 9); });
  const FirstDifference found = run.expect_at(
      wrong, "out[i]", {"`out[i]` then holds 40002 (0x00009c42) on reference and 9 (0x00000009) on wrong"});
  ASSERT_TRUE(found.place);
  EXPECT_EQ(found.place->span.begin, run.sources[0]->text().find("out[i] = a[i]"));
}

// One round too many, and a condition taken for its opposite: the backends go on to different places.
TEST(FirstDifference, IsWhereControlParts) {
  Steps run;
  run.add(R"(program p(read a: u32 @0, read_write out: u32 @1) workgroup(2, 1, 1) {
  let i = local_id.x;
  let n = 0;
  for k in 0..a[i] {
    n = n + 2;
  }
  out[i] = n;
})");
  run.set("a", {3, 5});
  run.set("out", {0, 0});
  WrongBackend longer([](Planter& p) { p.wrong_operand(InstKind::Loop, 1, 5, 6); });
  const FirstDifference found = run.search(longer);
  ASSERT_TRUE(found.place) << found.why;
  EXPECT_EQ(found.place->message.substr(0, 21), "reference goes on to ") << found.place->message;
  EXPECT_NE(found.place->message.find("and wrong to `for k`"), std::string::npos) << found.place->message;
  EXPECT_NE(found.place->message.find("(1, 0, 0)"), std::string::npos);
}

TEST(FirstDifference, IsAtTheCallOfAnOperation) {
  Steps run;
  run.add(R"(program p(read a: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  out[0] = 1 + primitive.math.gcd(a[0], a[1]);
})");
  run.set("a", {84, 60});
  run.set("out", {0});
  // Euclid: 84 mod 60 = 24, 60 mod 24 = 12.
  WrongBackend wrong([](Planter& p) { p.wrong_result(Op::Mod, DataType::U32, {60, 24}, 5); });
  run.expect_at(wrong, "primitive.math.gcd(a[0], a[1])", {"gives 12 (0x0000000c) on reference and 5"},
                "inside primitive.math.gcd@1, at ");
}

struct Typed {
  const char* declaration;
  const char* expression;
  Op op;
  DataType type;
  std::vector<uint32_t> operands;
  uint32_t wrong;
  std::vector<uint32_t> memory;  // of the one buffer
  const char* message;
};
TEST(FirstDifference, ShowsValuesOfAllTypes) {
  const Typed kTyped[] = {
      {"i32",
       "b[0] / b[1]",
       Op::Div,
       DataType::I32,
       {0xfffffff9, 2},
       1,
       {0xfffffff9, 2, 0},
       "-3 (0xfffffffd)"},
      {"u64",
       "b[0] / b[1]",
       Op::Div,
       DataType::U64,
       {12, 5},
       9,
       {12, 0, 5, 0, 0, 0},
       "2 (0x0000000000000002)"},
      {"u128",
       "b[0] % b[1]",
       Op::Mod,
       DataType::U128,
       {12, 5},
       9,
       {12, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0},
       "2 (0x00000000000000000000000000000002)"},
      {"vec2u32", "b[0] & b[1]", Op::BitAnd, DataType::Vec2U32, {}, 1, {7, 6, 3, 3, 0, 0}, "(3,2)"},
      {"bool", "select(b[0], b[1], b[0])", Op::Select, DataType::Bool, {}, 1, {1, 0, 0}, "false"},
  };
  for (const Typed& t : kTyped) {
    Steps run;
    run.add(std::string("program p(read_write b: ") + t.declaration +
            " @0) workgroup(1, 1, 1) {\n  b[2] = " + t.expression + ";\n}");
    run.set("b", t.memory);
    WrongBackend wrong([&](Planter& p) { p.wrong_result(t.op, t.type, t.operands, t.wrong); });
    run.expect_at(wrong, t.expression, {std::string("gives ") + t.message});
  }
}

TEST(FirstDifference, NamesInvocationsInThreeDimensions) {
  Steps run;
  run.add(R"(program p(read_write out: u32 @0) workgroup(2, 3, 2) {
  let x = invocation_id.x + 100 * invocation_id.y + 10000 * invocation_id.z;
  let y = x / 1000;
  if (x == 30507) {
    out[0] = y;
  }
})",
          {4, 2, 2});
  run.set("out", {0});
  WrongBackend wrong([](Planter& p) { p.wrong_result(Op::Div, DataType::U32, {30507, 1000}, 31); });
  run.expect_at(wrong, "x / 1000", {"in invocation (7, 5, 3)"});
}

TEST(FirstDifference, IsLookedForInTheStepThatDiffers) {
  Steps run;
  run.add("program p(read_write x: u32 @0) workgroup(1, 1, 1) { x[0] = x[0] * 3; }");
  run.add("program q(read_write x: u32 @0, read_write y: u32 @1) workgroup(1, 1, 1) { y[0] = x[0] % 4; }");
  run.add("program r(read_write y: u32 @1) workgroup(1, 1, 1) { y[0] = y[0] + 1; }");
  run.set("x", {5});
  run.set("y", {0});
  WrongBackend wrong([](Planter& p) { p.wrong_result(Op::Mod, DataType::U32, {15, 4}, 0); });
  EXPECT_EQ(run.expect_at(wrong, "x[0] % 4").step, 1u);
}

// Two right backends may draw these tickets in different orders; the fault is elsewhere.
TEST(FirstDifference, LeavesOutWhatTheOrderOfAtomicsDecides) {
  Steps run;
  run.add(R"(program p(read_write t: u32 @0, read a: u32 @1, read_write out: u32 @2) workgroup(4, 1, 1) {
  let i = local_id.x;
  let ticket = atomic_add(t[0], 1);
  out[4 + ticket] = 1;
  out[i] = a[i] / 3;
})");
  run.set("t", {0});
  run.set("a", {30, 60, 90, 120});
  run.set("out", std::vector<uint32_t>(8));
  // The atomics of `wrong` count by two, which is a fault too, but not one that this can tell from an order.
  WrongBackend wrong([](Planter& p) {
    p.wrong_operand(InstKind::Atomic, 1, 1, 2);
    p.wrong_result(Op::Div, DataType::U32, {90, 3}, 31);
  });
  run.expect_at(wrong, "a[i] / 3");

  WrongBackend tickets([](Planter& p) { p.wrong_operand(InstKind::Atomic, 1, 1, 2); });
  const FirstDifference none = run.search(tickets);
  EXPECT_FALSE(none.place);
  EXPECT_NE(none.why.find("order of atomics"), std::string::npos) << none.why;
}

std::string one_operator() {
  return "program p(read_write x: u32 @0) workgroup(1, 1, 1) { x[0] = x[0] % 4; }";
}
void mod_is_wrong(Planter& p) { p.wrong_result(Op::Mod, DataType::U32, {15, 4}, 0); }

// Faults that probes drive away, or that break the probes, are said and never an error.
TEST(FirstDifference, SaysWhyThereIsNone) {
  Steps run;
  run.add(one_operator());
  run.set("x", {15});
  bool probed = false;
  WrongBackend shy(
      [&](Planter& p) {
        if (!probed) mod_is_wrong(p);
      },
      [&](const check::Checked& program) -> Result<void> {
        probed = program.bound_buffers().size() > 1;
        return {};
      });
  EXPECT_EQ(run.search(shy).why, "with probes in the program no value differs");

  WrongBackend small(mod_is_wrong, [](const check::Checked& program) -> Result<void> {
    if (program.bound_buffers().size() <= 1) return {};
    return std::unexpected(make_diag(DiagCode::B003, Span::none(), "one buffer and no more"));
  });
  EXPECT_EQ(run.search(small).why, "with probes in the program there is B003: one buffer and no more");

  WrongBackend broken([](Planter& p) {
    mod_is_wrong(p);
    p.wrong_operand(InstKind::Store, 1, 1, 0);  // also the hash of nothing
  });
  EXPECT_EQ(run.search(broken).why, "wrong does not run the probes themselves as it must");

  WrongBackend right([](Planter&) {});
  EXPECT_EQ(run.search(right).why, "run one by one over equal inputs, no program differs");

  WrongBackend wrong(mod_is_wrong);
  const auto reference = backend::make_reference();
  const FirstDifference few = find_first_difference(
      {*reference, "reference"}, {wrong, "wrong"}, run.steps, run.buffers, [](size_t) { return nullptr; }, 0);
  EXPECT_FALSE(few.place);
  EXPECT_EQ(few.why, "1 invocations are too many to watch (0 are the most): dispatch fewer groups");
}

// Only a program that came as text has positions; the others are shown as their kernel.
TEST(FirstDifference, NeedsNoText) {
  Steps run;
  run.add(one_operator());
  run.set("x", {15});
  WrongBackend wrong(mod_is_wrong);
  const auto reference = backend::make_reference();
  const FirstDifference found = find_first_difference({*reference, "reference"}, {wrong, "wrong"}, run.steps,
                                                      run.buffers, [](size_t) { return nullptr; });
  ASSERT_TRUE(found.place) << found.why;
  EXPECT_NE(found.place->message.find("mod"), std::string::npos) << found.place->message;
}

}  // namespace
}  // namespace vyre::host
