// What texts mean: each is compared with a program that the Builder makes.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/builder.h"
#include "ir/ir.h"
#include "oracle.h"
#include "parsed.h"
#include "spec/ops.h"
#include "spec/signature.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "text.h, docs/text-format.md, its grammar, \"Precedence\", \"Infix by type\", \"Literals\" and "
            "\"Names\"; programs built by hand");

namespace vyre::text {
namespace {

using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

/// `let r = <expression>;` in a program with buffers a (read), out (read_write) and s (workgroup).
std::string with_expression(std::string_view expression) {
  return "program p(read a: u32 @0, read_write out: u32 @1, workgroup s: i32[4]) workgroup(1, 1, 1) { let r "
         "= " +
         std::string(expression) + "; }";
}

struct Fixture {
  ProgramBuilder p{"p"};
  ir::BufferRef a = p.read("a", DataType::U32, 0);
  ir::BufferRef out = p.read_write("out", DataType::U32, 1);
  ir::BufferRef s = p.workgroup("s", DataType::I32, 4);
  Ex v(std::string_view name) { return p.var(name); }
};

/// Expects that the text of an expression means what `make` builds.
void expect_expression(std::string_view text, const std::function<Ex(Fixture&)>& make) {
  Fixture fixture;
  const Ex expected = make(fixture);
  fixture.p.let("r", expected);
  const ir::Program program = parsed(with_expression(text));
  EXPECT_TRUE(ir::equal(program, fixture.p.finish())) << text << "\nwas read as\n" << print(program);
}

TEST(Parser, ReadsTheFirstExample) {
  ProgramBuilder p("xor");
  const auto a = p.read("a", DataType::U32, 0), b = p.read("b", DataType::U32, 1);
  const auto out = p.read_write("out", DataType::U32, 2);
  p.workgroup_size(64, 1, 1);
  const Ex i = p.let("i", p.invocation_id(0));
  p.if_(i < p.len(out), [&] { p.store(out, i, p.load(a, i) ^ p.load(b, i)); });
  EXPECT_TRUE(ir::equal(p.finish(), parsed(R"(// xor.vyre: element-wise exclusive or
program xor(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  if (i < len(out)) {
    out[i] = a[i] ^ b[i];
  }
}
)")));
}

TEST(Parser, ReadsEveryStatementAndBuffer) {
  ProgramBuilder p("all");
  const auto r = p.read("r", DataType::Bytes, 7);
  const auto w = p.read_write("w", DataType::I32, 0);
  p.uniform("u", DataType::Bool, 16);
  p.workgroup("s", DataType::U32, 256);
  p.workgroup_size(4, 2, 3);
  const Ex x = p.let("x", p.u32(1));
  p.assign(x, p.u32(2));
  p.store(w, p.u32(0), p.i32(-5));
  p.if_(p.boolean(true), [&] { p.return_(); });
  p.if_(x, [&] { p.barrier(); }, [&] { p.if_(x, [] {}, [&] { p.assign(x, p.u32(3)); }); });
  p.loop("k", p.u32(0), p.len(r), [&](Ex k) { p.assign(x, k); });
  p.block([&] { p.block([] {}); });
  EXPECT_TRUE(ir::equal(p.finish(), parsed(R"(
program all(read r: bytes @7, read_write w: i32 @0x0, uniform u: bool @0b1_0000, workgroup s: u32[2_56])
    workgroup(4, 2, 3) {
  let x = 1; x = 2;
  w[0] = -5i32;
  if (true) { return; }
  if (x) { barrier; } else if (x) { } else { x = 3; }
  for k in 0..len(r) { x = k; }
  { { } }
})")));
}

TEST(Parser, PrecedenceAndAssociativity) {
  // text-format, "Precedence": the parenthesised reading, built by hand.
  expect_expression("x - y - z", [](Fixture& f) { return (f.v("x") - f.v("y")) - f.v("z"); });
  expect_expression("x - (y - z)", [](Fixture& f) { return f.v("x") - (f.v("y") - f.v("z")); });
  expect_expression("x + y * z", [](Fixture& f) { return f.v("x") + f.v("y") * f.v("z"); });
  expect_expression("x * y / z % w", [](Fixture& f) { return f.v("x") * f.v("y") / f.v("z") % f.v("w"); });
  expect_expression("v & 1 == 0",
                    [](Fixture& f) { return f.p.apply(Op::Eq, {f.v("v") & f.p.u32(1), f.p.u32(0)}); });
  expect_expression("a0 << 1 & b0", [](Fixture& f) { return (f.v("a0") << f.p.u32(1)) & f.v("b0"); });
  expect_expression("x + 1 & y", [](Fixture& f) { return (f.v("x") + f.p.u32(1)) & f.v("y"); });
  expect_expression("x << y >> z", [](Fixture& f) { return (f.v("x") << f.v("y")) >> f.v("z"); });
  expect_expression("x & y & z", [](Fixture& f) { return (f.v("x") & f.v("y")) & f.v("z"); });
  expect_expression("x < y && y < z || w",
                    [](Fixture& f) { return ((f.v("x") < f.v("y")) && (f.v("y") < f.v("z"))) || f.v("w"); });
  expect_expression("x || y && z", [](Fixture& f) { return f.v("x") || (f.v("y") && f.v("z")); });
  expect_expression("x | y == z",
                    [](Fixture& f) { return f.p.apply(Op::Eq, {f.v("x") | f.v("y"), f.v("z")}); });
  expect_expression("-x * ~y", [](Fixture& f) { return (-f.v("x")) * (~f.v("y")); });
  expect_expression("!-~x", [](Fixture& f) { return !(-(~f.v("x"))); });
  expect_expression("-x << 2", [](Fixture& f) { return (-f.v("x")) << f.p.u32(2); });
  expect_expression("-a[1]", [](Fixture& f) { return -f.p.load(f.a, f.p.u32(1)); });
}

TEST(Parser, EverySignIsItsOperator) {
  const std::pair<std::string_view, Op> kInfix[] = {
      {"+", Op::Add},    {"-", Op::Sub},   {"*", Op::Mul},    {"/", Op::Div},  {"%", Op::Mod},
      {"&", Op::BitAnd}, {"|", Op::BitOr}, {"^", Op::BitXor}, {"<<", Op::Shl}, {">>", Op::Shr},
      {"==", Op::Eq},    {"!=", Op::Ne},   {"<", Op::Lt},     {">", Op::Gt},   {"<=", Op::Le},
      {">=", Op::Ge},    {"&&", Op::And},  {"||", Op::Or}};
  for (const auto& [sign, op] : kInfix) {
    expect_expression("x " + std::string(sign) + " y",
                      [&](Fixture& f) { return f.p.apply(op, {f.v("x"), f.v("y")}); });
    expect_expression("x" + std::string(sign) + "y",
                      [&](Fixture& f) { return f.p.apply(op, {f.v("x"), f.v("y")}); });
  }
  const std::pair<std::string_view, Op> kPrefix[] = {
      {"-", Op::Negate}, {"~", Op::BitNot}, {"!", Op::LogicalNot}};
  for (const auto& [sign, op] : kPrefix) {
    expect_expression(std::string(sign) + "x", [&](Fixture& f) { return f.p.apply(op, {f.v("x")}); });
  }
}

TEST(Parser, EveryScalarOperatorHasAMnemonicForm) {
  VYRE_ORACLE(Property,
              "the ledger says which operators have a mnemonic; the mnemonic form is the application of that "
              "operator");
  ptrdiff_t count = 0;
  for (const spec::OpInfo& info : spec::kOps) {
    if (!spec::is_scalar(info.op)) continue;
    ++count;
    const uint32_t operands = *spec::operand_count(info.op);
    const std::string text = operands == 1 ? "(x)" : operands == 2 ? "(x, y)" : "(x, y, z)";
    expect_expression(std::string(info.mnemonic) + text, [&](Fixture& f) {
      const std::vector<Ex> names = {f.v("x"), f.v("y"), f.v("z")};
      return f.p.apply(info.op, std::span(names).first(operands));
    });
  }
  EXPECT_EQ(count, std::ranges::count_if(spec::kOps, [](const spec::OpInfo& info) {
              return spec::form_of(info.op) == spec::Form::Scalar;
            }));
}

TEST(Parser, Primaries) {
  expect_expression("select(x, y, z)", [](Fixture& f) { return f.p.select(f.v("x"), f.v("y"), f.v("z")); });
  expect_expression("cast<i32>(x)", [](Fixture& f) { return f.p.cast(DataType::I32, f.v("x")); });
  expect_expression("cast<u32, floor>(x)",
                    [](Fixture& f) { return f.p.cast(DataType::U32, f.v("x"), spec::RoundingMode::Floor); });
  expect_expression("bitcast<i32>(x + y)",
                    [](Fixture& f) { return f.p.bitcast(DataType::I32, f.v("x") + f.v("y")); });
  expect_expression("primitive.bitwise.rotl(x, 7)",
                    [](Fixture& f) { return f.p.call("primitive.bitwise.rotl", {f.v("x"), f.p.u32(7)}); });
  expect_expression("primitive.compare.select@3(x)",
                    [](Fixture& f) { return f.p.call("primitive.compare.select", {f.v("x")}, 3); });
  expect_expression("clock.now()", [](Fixture& f) { return f.p.call("clock.now", {}); });
  expect_expression("len(a)", [](Fixture& f) { return f.p.len(f.a); });
  expect_expression("a[s[0]]", [](Fixture& f) { return f.p.load(f.a, f.p.load(f.s, f.p.u32(0))); });
  expect_expression("invocation_id.x + workgroup_id.y * local_id.z",
                    [](Fixture& f) { return f.p.invocation_id(0) + f.p.workgroup_id(1) * f.p.local_id(2); });
  expect_expression("((x))", [](Fixture& f) { return f.v("x"); });
  expect_expression("atomic_max(out[x + 1], y)", [](Fixture& f) {
    return f.p.atomic(Op::AtomicMax, f.out, f.v("x") + f.p.u32(1), f.v("y"));
  });
  expect_expression("atomic_compare_exchange(out[x], y, z)", [](Fixture& f) {
    return f.p.atomic_compare_exchange(f.out, f.v("x"), f.v("y"), f.v("z"));
  });
}

TEST(Parser, Literals) {
  const std::pair<std::string_view, uint32_t> kUnsigned[] = {
      {"0", 0},       {"42", 42},      {"007", 7},         {"0x2a", 42},         {"0xDEADbeef", 3735928559u},
      {"0b1010", 10}, {"1_000", 1000}, {"0xff_ff", 65535}, {"0b1111_0000", 240}, {"4294967295", 4294967295u},
      {"7u32", 7},    {"0x7u32", 7},   {"0b11u32", 3},     {"0x1f32", 7986},     {"0xbf16", 48918}};
  for (const auto& [text, value] : kUnsigned) {
    expect_expression(text, [&](Fixture& f) { return f.p.u32(value); });
  }
  const std::pair<std::string_view, int32_t> kSigned[] = {{"0i32", 0},
                                                          {"-7i32", -7},
                                                          {"-0i32", 0},
                                                          {"2147483647i32", 2147483647},
                                                          {"-2147483648i32", INT32_MIN},
                                                          {"-0x80000000i32", INT32_MIN},
                                                          {"0x7fff_ffffi32", 2147483647},
                                                          {"-0b11i32", -3}};
  for (const auto& [text, value] : kSigned) {
    expect_expression(text, [&](Fixture& f) { return f.p.i32(value); });
  }
  expect_expression("true", [](Fixture& f) { return f.p.boolean(true); });
  expect_expression("false", [](Fixture& f) { return f.p.boolean(false); });
}

TEST(Parser, MinusAndLiterals) {
  // text-format: a minus directly before an i32 literal is part of it; any other minus is an operator.
  expect_expression("- 7i32", [](Fixture& f) { return -f.p.i32(7); });
  expect_expression("-(7i32)", [](Fixture& f) { return -f.p.i32(7); });
  expect_expression("--7i32", [](Fixture& f) { return -f.p.i32(-7); });
  expect_expression("-7", [](Fixture& f) { return -f.p.u32(7); });
  expect_expression("x -7i32", [](Fixture& f) { return f.v("x") - f.p.i32(7); });
  expect_expression("x-7i32", [](Fixture& f) { return f.v("x") - f.p.i32(7); });
  expect_expression("x - -7i32", [](Fixture& f) { return f.v("x") - f.p.i32(-7); });
  expect_expression("a[0]-1i32", [](Fixture& f) { return f.p.load(f.a, f.p.u32(0)) - f.p.i32(1); });
  expect_expression("(x)-1i32", [](Fixture& f) { return f.v("x") - f.p.i32(1); });
}

TEST(Parser, MnemonicsAndAxesAreNames) {
  expect_expression("add + x * popcount", [](Fixture& f) { return f.v("add") + f.v("x") * f.v("popcount"); });
  expect_expression("add(add, call)",
                    [](Fixture& f) { return f.p.apply(Op::Add, {f.v("add"), f.v("call")}); });
  EXPECT_TRUE(
      parse("program add(read xor: u32 @0) workgroup(1, 1, 1) { let trunc = 1; trunc = xor[trunc]; }"));
}

TEST(Parser, NamesAndIds) {
  EXPECT_TRUE(is_name("a"));
  EXPECT_TRUE(is_name("_"));
  EXPECT_TRUE(is_name("Read9"));
  EXPECT_TRUE(is_name("popcount"));
  for (const std::string_view bad :
       {"", "9a", "a-b", "a b", "\xC3\xA4", "read", "u32", "tensor", "invocation_id", "a.b"}) {
    EXPECT_FALSE(is_name(bad)) << bad;
  }
  EXPECT_TRUE(is_operation_id("a.b"));
  EXPECT_TRUE(is_operation_id("primitive.compare.select"));
  for (const std::string_view bad : {"", "a", ".a", "a.", "a..b", "read.a", "a.9", "a.b c"}) {
    EXPECT_FALSE(is_operation_id(bad)) << bad;
  }
}

std::string spelled(const std::string& text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

TEST(Parser, Spans) {
  const std::string text =
      "program p(read a: u32 @0, workgroup s: u32[4]) workgroup(2, 1, 1) {\n"
      "  let x = (a[1] + 2) * select(x, 3, len(a));\n"
      "  x = -x;\n"
      "  s[x+1] = 4;\n"
      "  if (x) { barrier; } for i in 0..8 { return; } { }\n"
      "}\n";
  const ir::Program p = parsed(text);
  EXPECT_EQ(spelled(text, p.buffers[0].span), "read a: u32 @0");
  EXPECT_EQ(spelled(text, p.buffers[1].span), "workgroup s: u32[4]");
  EXPECT_EQ(spelled(text, p.workgroup_span), "workgroup(2, 1, 1)");
  std::vector<std::string> exprs, nodes;
  for (uint32_t i = 0; i < p.code.exprs.size(); ++i)
    exprs.push_back(spelled(text, p.code.span(ir::ExprId{i})));
  for (uint32_t i = 0; i < p.code.nodes.size(); ++i)
    nodes.push_back(spelled(text, p.code.span(ir::NodeId{i})));
  const std::vector<std::string> expected_exprs = {"1",
                                                   "a[1]",
                                                   "2",
                                                   "a[1] + 2",
                                                   "x",
                                                   "3",
                                                   "len(a)",
                                                   "select(x, 3, len(a))",
                                                   "(a[1] + 2) * select(x, 3, len(a))",
                                                   "x",
                                                   "-x",
                                                   "x",
                                                   "1",
                                                   "x+1",
                                                   "4",
                                                   "x",
                                                   "0",
                                                   "8"};
  const std::vector<std::string> expected_nodes = {"let x", "x",      "s[x+1]", "barrier",
                                                   "if",    "return", "for i",  "{"};
  EXPECT_EQ(exprs, expected_exprs);
  EXPECT_EQ(nodes, expected_nodes);
}

TEST(Parser, OperandsComeFirstAndHaveOneParent) {
  VYRE_ORACLE(Property, "ir.h's invariants");
  const ir::Program p =
      parsed(with_expression("select(x + a[y & 3], atomic_add(out[1], -z), len(a)) * (x - 1)"));
  std::vector<int> parents(p.code.exprs.size(), 0);
  for (uint32_t i = 0; i < p.code.exprs.size(); ++i) {
    for (const ir::ExprId operand : p.code.args(p.code.exprs[i])) {
      EXPECT_LT(ir::index(operand), i);
      ++parents[ir::index(operand)];
    }
  }
  for (const ir::Node& node : p.code.nodes) {
    for (const ir::ExprId operand : p.code.args(node)) ++parents[ir::index(operand)];
  }
  for (const int count : parents) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace vyre::text
