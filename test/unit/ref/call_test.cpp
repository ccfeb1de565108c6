// Calls: operations made by hand, evaluated by value from their own bodies.
#include "ir/builder.h"
#include "oracle.h"
#include "run_text.h"
#include "spec/ops.h"

VYRE_ORACLE(SpecificationTable, "semantics, \"Operators\", and values worked out by hand");

namespace vyre::ref {
namespace {

using spec::DataType;

/// Operations of one's own, with their bodies.
class Library {
 public:
  const spec::OpTable& table() const { return table_; }
  void add(ir::Function function, std::vector<DataType> inputs) {
    bodies_.push_back(std::make_unique<ir::Function>(std::move(function)));
    const ir::Function& body = *bodies_.back();
    ASSERT_TRUE(
        table_.add({.id = body.id, .signature = {std::move(inputs), body.result_type}, .body = &body}));
  }

 private:
  std::vector<std::unique_ptr<ir::Function>> bodies_;
  spec::OpTable table_;
};

/// test.minus(a, b) = a - b.
ir::Function minus() {
  ir::FunctionBuilder f("test.minus");
  const auto a = f.parameter("a", DataType::U32), b = f.parameter("b", DataType::U32);
  return f.finish(a - b, DataType::U32);
}

/// test.power(base, exponent), by a loop over variables that share their names with the callers'.
ir::Function power() {
  ir::FunctionBuilder f("test.power");
  const auto base = f.parameter("base", DataType::U32), exponent = f.parameter("exponent", DataType::U32);
  const auto x = f.let("x", f.u32(1));
  f.loop("i", f.u32(0), exponent, [&](ir::Ex) { f.assign(x, x * base); });
  return f.finish(x, DataType::U32);
}

/// test.steps(n) = 0, 1 or 2: below 10, below 100, or not.
ir::Function steps() {
  ir::FunctionBuilder f("test.steps");
  const auto n = f.parameter("n", DataType::U32);
  const auto x = f.let("x", f.u32(0));
  f.if_(
      n < 10, [&] {},
      [&] { f.if_(n < 100, [&] { f.assign(x, f.u32(1)); }, [&] { f.assign(x, f.u32(2)); }); });
  return f.finish(x, DataType::U32);
}

/// test.is_negative(i32) -> bool.
ir::Function is_negative() {
  ir::FunctionBuilder f("test.is_negative");
  const auto a = f.parameter("a", DataType::I32);
  return f.finish(f.cast(DataType::Bool, f.apply(spec::Op::Lt, {a, f.i32(0)})), DataType::Bool);
}

/// test.level<k>(a) = test.level<k-1>(a) + 1; test.level0(a) = a.
ir::Function level(int k) {
  ir::FunctionBuilder f("test.level" + std::to_string(k));
  const auto a = f.parameter("a", DataType::U32);
  if (k == 0) return f.finish(a, DataType::U32);
  const auto x = f.let("x", f.call("test.level" + std::to_string(k - 1), {a}));
  return f.finish(x + 1, DataType::U32);
}

TEST(Call, BindsParametersInOrder) {
  // 10 - 3, and the arguments keep their order.
  Library library;
  library.add(minus(), {DataType::U32, DataType::U32});
  EXPECT_EQ(run_text(R"(
program p(read_write out: u32 @0) workgroup(1, 1, 1) {
  out[0] = test.minus(10, 3);
  out[1] = test.minus(3, test.minus(10, 8)) * 100 + test.minus(test.minus(20, 5), 5);
})",
                     {{kPoison, kPoison}}, {}, library.table())[0],
            (Words{7, 110}));
}

TEST(Call, HasVariablesOfItsOwn) {
  // 3^4 = 81 and 2^10 = 1024; x and i of the caller are not those of the operation.
  Library library;
  library.add(power(), {DataType::U32, DataType::U32});
  EXPECT_EQ(run_text(R"(
program p(read_write out: u32 @0) workgroup(1, 1, 1) {
  let x = 7;
  for i in 0..3 {
    x = x + test.power(10, i);
    out[i] = x + i;
  }
  out[3] = test.power(3, 4) + x * test.power(2, test.power(2, 1) * 5);
})",
                     {Words(4, kPoison)}, {}, library.table())[0],
            // x is 8, 18, 118; 81 + 118 * 1024 = 120913
            (Words{8, 19, 120, 120913}));
}

TEST(Call, ExecutesItsStatements) {
  Library library;
  library.add(steps(), {DataType::U32});
  EXPECT_EQ(run_text(R"(
program p(read given: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  for i in 0..len(given) { out[i] = test.steps(given[i]); }
})",
                     {{0, 9, 10, 99, 100, 0xffffffff}, Words(6, kPoison)}, {}, library.table())[1],
            (Words{0, 0, 1, 1, 2, 2}));
}

TEST(Call, PassesOtherTypes) {
  Library library;
  library.add(is_negative(), {DataType::I32});
  EXPECT_EQ(run_text(R"(
program p(read given: i32 @0, read_write out: bool @1) workgroup(1, 1, 1) {
  for i in 0..len(given) { out[i] = test.is_negative(given[i]); }
})",
                     {{0, 1, 0xffffffff, 0x80000000, 0x7fffffff}, Words(5, kPoison)}, {}, library.table())[1],
            (Words{0, 0, 1, 1, 0}));
}

TEST(Call, NestsAsDeepAsCheckAllows) {
  // A chain of 32 calls, the deepest that check allows, adds 31 times one.
  Library library;
  for (int k = 0; k < 32; ++k) library.add(level(k), {DataType::U32});
  EXPECT_EQ(run_text("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = test.level31(1000); }",
                     {{kPoison}}, {}, library.table())[0],
            (Words{1031}));
}

TEST(Call, EvaluatesArgumentsFromLeftToRight) {
  // Semantics, "Operators": arguments are evaluated left to right: 0 - 1.
  Library library;
  library.add(minus(), {DataType::U32, DataType::U32});
  EXPECT_EQ(run_text(R"(
program p(read_write c: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) {
  out[0] = test.minus(atomic_add(c[0], 1), atomic_add(c[0], 1));
})",
                     {{0}, {kPoison}}, {}, library.table())[1],
            (Words{0xffffffff}));
}

TEST(Call, RunsOutOfSteps) {
  Library library;
  library.add(power(), {DataType::U32, DataType::U32});
  const auto result = try_run(
      checked("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = test.power(3, 0xffffffff); }",
              library.table()),
      {{0}}, {}, {.max_steps = 10000});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, DiagCode::B003);
}

}  // namespace
}  // namespace vyre::ref
