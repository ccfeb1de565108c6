// The builder of modules against the parser: two ways to one module.
#include "ir/module_builder.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "check/module.h"
#include "ops/operation.h"
#include "oracle.h"
#include "project_files.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(Property, "text::parse_module on the same module as text");

namespace vyre::check {
namespace {

using ir::Ex;
using ir::PipelineBuilder;
using ir::ProgramBuilder;
using spec::Op;

constexpr DataType kU32 = DataType::U32;

ir::Module parse(std::string_view text) {
  auto module = text::parse_module(text, &ops::op_table());
  EXPECT_TRUE(module.has_value()) << render(module.error(), nullptr);
  return module ? *std::move(module) : ir::Module{};
}

/// That a module is the one that the text in module_builder_<name>.vyre gives, and keeps every rule.
void expect_is(const ir::Module& built, const std::string& name) {
  const ir::Module parsed = parse(test::file_text("test/unit/ops/module_builder_" + name + ".vyre"));
  EXPECT_TRUE(ir::equal(built, parsed)) << text::print(built) << "\n" << text::print(parsed);
  const auto checked = check(built, ops::op_table());
  if (checked) return;
  for (const Diag& diag : checked.error()) ADD_FAILURE() << render(diag, nullptr);
}

ir::Module prefix_sum() {
  constexpr uint32_t W = 256;
  ir::ModuleBuilder m;
  {
    ProgramBuilder p("block_sums");
    const auto input = p.read("input", kU32, 0), sums = p.read_write("sums", kU32, 1);
    const auto s = p.workgroup("s", kU32, W);
    p.workgroup_size(W, 1, 1);
    const Ex l = p.let("l", p.local_id(0));
    p.store(s, l, p.load(input, p.invocation_id(0)));
    p.barrier();
    p.if_(l == 0, [&] {
      const Ex sum = p.let("sum", p.u32(0));
      p.loop("i", p.u32(0), p.u32(W), [&](Ex i) { p.assign(sum, sum + p.load(s, i)); });
      p.store(sums, p.workgroup_id(0), sum);
    });
    m.program(p.finish());
  }
  {
    ProgramBuilder p("add_sums");
    const auto input = p.read("input", kU32, 0), sums = p.read("sums", kU32, 1);
    const auto output = p.read_write("output", kU32, 2);
    p.workgroup_size(W, 1, 1);
    const Ex i = p.let("i", p.invocation_id(0));
    const Ex sum = p.let("sum", p.u32(0));
    p.loop("b", p.u32(0), p.workgroup_id(0), [&](Ex b) { p.assign(sum, sum + p.load(sums, b)); });
    p.loop("k", p.workgroup_id(0) * W, i + 1, [&](Ex k) { p.assign(sum, sum + p.load(input, k)); });
    p.store(output, i, sum);
    m.program(p.finish());
  }
  PipelineBuilder p("prefix_sum");
  const auto input = p.read("input", kU32, 0), output = p.read_write("output", kU32, 1);
  const Ex blocks = p.let("blocks", p.ceil_div(p.len(input), W));
  const auto sums = p.scratch("sums", kU32, blocks);
  p.dispatch("block_sums", {input, sums}, {blocks});
  p.dispatch("add_sums", {input, sums, output}, {blocks});
  return m.pipeline(p.finish()).finish();
}

TEST(ModuleBuilder, BuildsTheExampleOfConstantsAndScratch) { expect_is(prefix_sum(), "prefix_sum"); }

ir::Module rich() {
  ir::ModuleBuilder m;
  {
    ir::OperationBuilder f("my.avg_floor");
    const Ex a = f.parameter("a", kU32), b = f.parameter("b", kU32);
    f.claims("Commutative");
    f.claims("Idempotent");
    f.claims("Identity", {7});
    f.denies("Associative", {0, 1, 2});
    f.denies("DistributiveOver", {{"primitive.bitwise.or"}}, {1, 2, 3});
    f.row({1, 3}, 2);
    f.row({0xffffffff, 1}, 0x80000000);
    const Ex both = f.let("both", a & b);
    m.operation(f.finish(both + ((a ^ b) >> 1), kU32));
  }
  {
    ir::OperationBuilder f("my.wide", 2);
    const Ex a = f.parameter("a", DataType::U64);
    f.parameter("b", DataType::U64);
    f.claims("Identity", {0xffff'ffff'ffff'ffff});
    f.claims("DistributiveOver", {{"my.wide", 2}});
    f.row({{DataType::U64, 7}, {DataType::U64, 9}}, {DataType::U64, {7, 2}});
    m.operation(f.finish(a, DataType::U64));
  }
  {
    ir::OperationBuilder f("my.pair");
    const Ex v = f.parameter("v", DataType::Vec2U32);
    f.row({{DataType::Vec2U32, {1, 2}}}, {DataType::Vec2U32, {2, 1}});
    m.operation(f.finish(v, DataType::Vec2U32));
  }
  {
    ProgramBuilder p("step");
    const auto size = p.uniform("size", kU32, 0), a = p.read("a", kU32, 1), b = p.read_write("b", kU32, 2);
    p.read_write("flag", kU32, 3);
    p.workgroup_size(64, 1, 1);
    p.store(b, p.invocation_id(0),
            p.call("my.avg_floor", {p.load(a, p.invocation_id(0)), p.load(size, p.u32(0))}));
    m.program(p.finish());
  }
  {
    ProgramBuilder p("scale");
    const auto size = p.uniform("size", kU32, 0);
    const auto t = p.read_write("t", ir::Tensor{DataType::F32, {{"n", size, 0}, 4}}, 1);
    p.store(t, {p.u32(0), p.u32(0)}, p.load(t, {p.u32(0), p.u32(1)}) * p.f32(2));
    m.program(p.finish());
  }
  {
    PipelineBuilder p("inner");
    const auto a = p.read("a", kU32, 0), b = p.read_write("b", kU32, 5);
    const auto flag = p.scratch("flag", kU32, p.u32(1));
    p.dispatch("step", {{"size", {p.len(a)}}, a, b, flag},
               {p.ceil_div(p.len(a), 64), p.u32(1), p.len(b) != 0});
    m.pipeline(p.finish());
  }
  PipelineBuilder p("outer");
  const auto n = p.uniform("n", kU32, 0), raw = p.uniform("raw", DataType::Bytes, 1),
             a = p.read("a", kU32, 2);
  const auto b = p.read_write("b", kU32, 3);
  const auto t = p.read_write("t", ir::Tensor{DataType::F32, {{"m", n, 1}, 4}, {4, 1}}, 4);
  const auto flags = p.scratch("flags", DataType::Bytes, p.load(n, p.u32(0)) + 1);
  const Ex bits = p.apply(Op::Popcount, {p.load(raw, p.u32(0))});
  const Ex count = p.let("count", p.call("my.avg_floor", {p.load(n, p.u32(0)), bits}) - 1);
  p.for_("i", count / 2, count, [&](Ex i) {
    const Ex turn = p.let("turn", p.select(i == 3, i * 2, ~i));
    p.if_(
        turn % 2, [&] { p.run("inner", {a, b}); },
        [&] { p.if_(turn & 4, [&] { p.dispatch("scale", {t, {"size", n}}, {turn}); }, [] {}); });
  });
  p.repeat(count + 1, flags, count, [&] {
    p.dispatch("step", {{"flag", flags}, b, {"size", {count, count << 1}}, {"a", raw}}, {p.u32(1), count});
    p.if_(!count, [&] { p.let("count2", count); });
  });
  return m.pipeline(p.finish()).finish();
}

TEST(ModuleBuilder, BuildsAllThatAModuleCanSay) { expect_is(rich(), "rich"); }

}  // namespace
}  // namespace vyre::check
