// What check() makes known about a valid program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/checked.h"
#include "ir/builder.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Operators\", \"Structure\", \"Memory\" and \"Casts\"; read by hand from the text");

namespace vyre::check {
namespace {

using ir::Ex;
using ir::ExprKind;
using ir::NodeKind;
using spec::Op;
using testing::ElementsAre;

Checked accept(std::string_view text, const spec::OpTable& ops = {}) {
  auto program = text::parse(text);
  if (!program) ADD_FAILURE() << render(program.error(), nullptr);
  auto checked = check(std::move(*program), ops);
  if (!checked) ADD_FAILURE() << render(checked.error().front(), nullptr);
  return std::move(*checked);
}

TEST(Accepted, ResolvesNamesToBuffersAndVariables) {
  const Checked checked = accept(R"(
    program p(read a: u32 @5, workgroup w: i32[4], read_write out: bytes @1) workgroup(4, 1, 1) {
      let x = a[0];
      for i in 0..x { let y = w[i]; out[i] = cast<u32>(y) + x; }
      let y = true;
      x = len(out);
      out[0] = select(y, x, 1);
    })");
  const ir::Code& code = checked.program().code;
  const Resolution& names = checked.resolution();
  ASSERT_EQ(names.variables.size(), 4u);  // x, i, y, y
  EXPECT_EQ(names.variables[0].type, DataType::U32);
  EXPECT_TRUE(names.variables[0].assigned);
  EXPECT_EQ(names.variables[0].kind, Variable::Kind::Let);
  EXPECT_EQ(names.variables[1].kind, Variable::Kind::Loop);
  EXPECT_FALSE(names.variables[1].assigned);
  EXPECT_EQ(names.variables[2].type, DataType::I32);
  EXPECT_EQ(names.variables[3].type, DataType::Bool);
  for (uint32_t i = 0; i < code.exprs.size(); ++i) {
    const ExprId id{i};
    if (code[id].kind == ExprKind::Load && code.name(code[id].symbol) == "w") {
      EXPECT_EQ(names.buffer(id), BufferId{1});
      EXPECT_EQ(names.type(id), DataType::I32);
    }
    if (code[id].kind == ExprKind::BufLen) EXPECT_EQ(names.buffer(id), BufferId{2});
    if (code[id].kind == ExprKind::Var && code.name(code[id].symbol) == "i")
      EXPECT_EQ(names.variable(id), VarId{1});
  }
  for (uint32_t i = 0; i < code.nodes.size(); ++i) {
    const NodeId id{i};
    if (code[id].kind == NodeKind::Store) EXPECT_EQ(names.buffer(id), BufferId{2});
    if (code[id].kind == NodeKind::Assign) EXPECT_EQ(names.variable(id), VarId{0});
    if (code[id].kind == NodeKind::Loop) EXPECT_EQ(names.variable(id), VarId{1});
  }
  EXPECT_THAT(checked.bound_buffers(), ElementsAre(BufferId{0}, BufferId{2}));
  EXPECT_FALSE(checked.has_barrier());
  EXPECT_TRUE(names.callees.empty());
}

TEST(Accepted, ResultTypes) {
  const Checked checked = accept(R"(
    program p(read s: i32 @0, read f: bool @1, read b: bytes @2, read_write out: u32 @3) workgroup(1, 1, 1) {
      let add = s[0] + s[1];
      let shift = s[0] >> 3;
      let count = popcount(s[0]);
      let compare = s[0] < s[1];
      let equal = f[0] == f[1];
      let both = f[0] && f[1];
      let negated = !f[0];
      let negative = -s[0];
      let chosen = select(1, f[0], f[1]);
      let word = b[0];
      let atomic = atomic_max(out[0], 1);
      let truth = cast<bool>(s[0]);
      let bits = bitcast<u32>(s[0]);
      let id = local_id.x;
    })");
  std::vector<DataType> types;
  for (const Variable& variable : checked.resolution().variables) types.push_back(variable.type);
  using enum DataType;
  EXPECT_THAT(types, ElementsAre(I32, I32, U32, U32, U32, U32, U32, I32, Bool, U32, U32, Bool, U32, U32));
}

TEST(Accepted, AtTheLimits) {
  // The limits of semantics, "Memory": exactly at them a program is valid; those of "Structure" are in
  // test/run.
  accept("program p(workgroup w: u32[16777216]) workgroup(1024, 1, 1) {}");
  accept("program p(workgroup w: u32[1], workgroup v: bytes[16777215]) workgroup(8, 16, 8) {}");
}

TEST(Accepted, WarnsOfWordsOfBytesAsIndices) {
  // V044 where a word of `data` is an index and nothing was taken out of it.
  const auto places = [](const std::string& body) {
    std::string text =
        "program p(read data: bytes @0, read words: u32 @1, read_write bins: u32 @2,\n"
        "  read_write wide: tensor<u32, [4, 4]> @3) workgroup(64, 1, 1) {\n  let i = local_id.x;\n" +
        body + "\n}\n";
    const Checked checked = accept(text);
    std::string out;
    for (const Diag& diag : checked.warnings()) {
      EXPECT_EQ(diag.code, DiagCode::V044);
      EXPECT_THAT(diag.help, testing::HasSubstr("(data[i >> 2] >> ((i & 3) * 8)) & 0xff"));
      out += text.substr(diag.span.begin, diag.span.end - diag.span.begin) + ";";
    }
    return out;
  };
  EXPECT_EQ(places("let old = atomic_add(bins[data[i]], 1);"), "data[i];");
  EXPECT_EQ(places("bins[i] = words[data[i]];"), "data[i];");
  EXPECT_EQ(places("bins[data[i]] = bins[data[i + 1]];"), "data[i];data[i + 1];");
  EXPECT_EQ(places("bins[data[data[i]]] = 1;"), "data[data[i]];data[i];");
  EXPECT_EQ(places("wide[i, data[i]] = 1;"), "data[i];");
  EXPECT_EQ(places("let b = data[i]; bins[b] = 1;"), "b;");
  EXPECT_EQ(places("let b = (data[i >> 2] >> ((i & 3) * 8)) & 0xff; bins[b] = 1;"), "");
  EXPECT_EQ(places("let b = data[i]; b = b & 0xff; bins[b] = 1;"), "");
  EXPECT_EQ(places("bins[data[i] & 0xff] = data[i];"), "");
  EXPECT_EQ(places("bins[words[i]] = 1;"), "");
}

TEST(Accepted, KeepsTheFunctionsItReaches) {
  ir::FunctionBuilder inner("t.inner"), outer("t.outer");
  const Ex a = inner.parameter("a", DataType::U32);
  const ir::Function inner_body = inner.finish(a + 1, DataType::U32);
  const Ex b = outer.parameter("b", DataType::U32);
  const Ex t = outer.let("t", outer.call("t.inner", {b}));
  const ir::Function outer_body = outer.finish(t == 3, DataType::U32);
  spec::OpTable ops;
  ops.add({"t.inner", 1, {{DataType::U32}, DataType::U32}, spec::Category::A, &inner_body});
  ops.add({"t.outer", 1, {{DataType::U32}, DataType::U32}, spec::Category::A, &outer_body});

  const Checked checked =
      accept("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = t.outer(4); }", ops);
  const spec::OpDef *inner_def = ops.find("t.inner", 1), *outer_def = ops.find("t.outer", 1);
  EXPECT_EQ(checked.function(*inner_def).function, &inner_body);
  const CheckedFunction& found = checked.function(*outer_def);
  EXPECT_EQ(found.function, &outer_body);
  ASSERT_EQ(found.resolution.variables.size(), 2u);
  EXPECT_EQ(found.resolution.variables[0].kind, Variable::Kind::Parameter);
  EXPECT_EQ(found.resolution.variables[1].kind, Variable::Kind::Let);
  size_t calls = 0;
  for (uint32_t i = 0; i < outer_body.code.exprs.size(); ++i) {
    if (outer_body.code.exprs[i].kind != ExprKind::Apply || outer_body.code.exprs[i].op != Op::Call) continue;
    EXPECT_EQ(found.resolution.callee(ExprId{i}), inner_def);
    ++calls;
  }
  EXPECT_EQ(calls, 1u);
}

}  // namespace
}  // namespace vyre::check
