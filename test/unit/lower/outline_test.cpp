// What is found to be one function: blocks that say the same, and none that differs in anything that counts.
#include "lower/outline.h"

#include <gtest/gtest.h>

#include <map>

#include "float_cases.h"
#include "lower/walk.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(
    Property,
    "outline.h: a body with its parameters replaced is the block; programs and their changes are by hand");

namespace vyre::lower {
namespace {

Kernel legal_form(const std::string& body) {
  auto parsed = text::parse(
      "program p(read a: f32 @0, read b: f32 @1, read_write out: f32 @2) workgroup(64, 1, 1) {" + body + "}");
  if (!parsed) throw std::logic_error("a test program is not valid: " + parsed.error().message);
  Target target = kWordTarget;
  target.floats = vulkan_floats({.wide = true});
  return legalize(build(checked(std::move(*parsed))), target);
}
constexpr const char* kProducts =
    "let i = invocation_id.x; out[i] = a[i] * b[i]; out[i + 64] = a[i + 1] * b[i];";

TEST(Outline, FindsWhatOperatorsOfAKindHaveInCommon) {
  const Outlines products = outline(legal_form(kProducts));
  EXPECT_EQ(products.functions.size(), 1u);
  EXPECT_EQ(products.calls.size(), 2u);
  for (const auto& [block, call] : products.calls) EXPECT_EQ(call.arguments.size(), 2u);
  const Outlines both = outline(legal_form(
      "let i = invocation_id.x; out[i] = a[i] * b[i] + a[i + 1] / b[i]; out[i + 64] = (a[i] + b[i]) / "
      "(a[i] * b[i] + 1.0);"));
  EXPECT_GE(both.functions.size(), 3u);
  EXPECT_GE(both.calls.size(), 6u);
}

TEST(Outline, FindsNothingWhereNothingIsTwice) {
  EXPECT_TRUE(outline(legal_form("out[0] = a[0] * b[0];")).calls.empty());
  EXPECT_TRUE(outline(legal_form("out[0] = a[0] * b[0]; out[1] = a[0] / b[0];")).calls.empty());
  // Twice the same, with effects.
  EXPECT_TRUE(outline(legal_form("if (a[0] == 1.0) { out[0] = a[1]; } if (a[1] == 1.0) { out[0] = a[1]; }"))
                  .calls.empty());
}

// In one of the two blocks: a constant, an operator, the order of operands, which variable is set.
TEST(Outline, SeesEveryDifference) {
  const Kernel whole = legal_form(kProducts);
  const KBlock block{outline(whole).calls.begin()->first};
  size_t changes = 0;
  for (const Value v : whole.block(block)) {
    Kernel changed = whole;
    Inst& inst = changed.insts[index(v)];
    if (inst.kind == InstKind::Const) {
      ++inst.imm;
    } else if (inst.kind == InstKind::Raw && inst.args.count == 2 &&
               changed.arg(inst, 0) != changed.arg(inst, 1)) {
      std::swap(changed.values[inst.args.first], changed.values[inst.args.first + 1]);
    } else if (inst.kind == InstKind::Set) {
      changed.slots.push_back({"other", spec::DataType::U32});
      inst.target = uint32_t(changed.slots.size() - 1);
    } else {
      continue;
    }
    ++changes;
    const Outlines after = outline(changed);
    EXPECT_FALSE(after.calls.contains(index(block))) << print(whole, v);
  }
  EXPECT_GT(changes, 10u);
}

/// Each call as the body of its function, operands in place of parameters.
class Inliner {
 public:
  explicit Inliner(const Kernel& kernel) : from_(kernel), to_(kernel) {}
  Kernel run() {
    const Outlines outlines = outline(from_);
    for (const auto& [block, call] : outlines.calls) {
      const OutlinedFunction& function = outlines.functions[call.function];
      values_.clear();
      slots_ = {{index(function.result), index(call.result)}};
      for (size_t n = 0; n < call.arguments.size(); ++n) values_[function.parameters[n]] = call.arguments[n];
      walk(from_, KBlock{block}, [&](Value v) { to_.insts[index(v)] = {.kind = InstKind::Const}; });
      to_.blocks[block].clear();
      copy(function.body, KBlock{block});
    }
    return to_;
  }

 private:
  void copy(KBlock from, KBlock to) {
    for (const Value v : from_.block(from)) {
      Inst inst = from_[v];
      std::vector<Value> operands;
      for (const Value operand : from_.args(inst))
        operands.push_back(values_.contains(operand) ? values_[operand] : operand);
      if (inst.kind == InstKind::Get || inst.kind == InstKind::Set) {
        const auto [at, fresh] = slots_.try_emplace(inst.target, uint32_t(to_.slots.size()));
        if (fresh) to_.slots.push_back(from_.slots[inst.target]);
        inst.target = at->second;
      }
      const KBlock body = inst.body, orelse = inst.orelse;
      if (body != kNoKBlock) inst.body = to_.add_block();
      if (orelse != kNoKBlock) inst.orelse = to_.add_block();
      values_[v] = to_.add(inst, operands);
      to_.blocks[index(to)].push_back(values_[v]);
      if (body != kNoKBlock) copy(body, inst.body);
      if (orelse != kNoKBlock) copy(orelse, inst.orelse);
    }
  }
  const Kernel& from_;
  Kernel to_;
  std::map<Value, Value> values_;
  std::map<uint32_t, uint32_t> slots_;
};

TEST(Outline, ACallIsItsBlock) {
  for (const char* body :
       {kProducts,
        "let i = invocation_id.x; let s = 0.0; for k in 0..3 { s = fmul_add(a[i], b[i + k], s); s = "
        "s / fsqrt(a[i] + 0.5); } out[i] = s * s + a[i] / b[i]; out[i + 64] = fsqrt(s) - b[i];"}) {
    const Kernel whole = legal_form(body);
    ASSERT_FALSE(outline(whole).calls.empty());
    OperandSource hard(spec::DataType::F32, 9);
    Buffers memory(3, Words(192));
    for (Words& words : memory) {
      for (uint32_t& word : words) word = hard.next();
    }
    const auto right = run_kernel(whole, memory, {.x = 2});
    const auto got = run_kernel(Inliner(whole).run(), memory, {.x = 2});
    ASSERT_TRUE(right && got);
    EXPECT_EQ(*got, *right) << body;
  }
}

}  // namespace
}  // namespace vyre::lower
