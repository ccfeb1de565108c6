// Vectors, components and tensors: what their texts are in the IR, and back.
#include <gtest/gtest.h>

#include "ir/ir.h"
#include "oracle.h"
#include "parsed.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "text-format, \"postfix\", \"Vectors\", \"Layout\" and the grammar of `type` and `dim`, by hand");

namespace vyre::text {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::NodeKind;
using spec::DataType;
using spec::Op;

/// The program of `let r = <expression>;`.
std::string typed_with(std::string_view expression) {
  return "program p() workgroup(1, 1, 1) {\n  let r = " + std::string(expression) + ";\n}\n";
}

/// An expression as an unambiguous tree, written from the IR alone: an operator with its operands in
/// brackets.
std::string tree(const ir::Code& code, ir::ExprId id) {
  const Expr& e = code[id];
  std::string out;
  switch (e.kind) {
    case ExprKind::Literal: out = std::to_string(code.literal_bits(e)[0]); break;
    case ExprKind::Var: out = code.name(e.symbol); break;
    case ExprKind::Load: out = "load " + std::string(code.name(e.symbol)); break;
    case ExprKind::Apply: out = spec::info(e.op).name; break;
    case ExprKind::BufLen:
    case ExprKind::InvocationId:
    case ExprKind::WorkgroupId:
    case ExprKind::LocalId:
    case ExprKind::NumWorkgroups: out = "id"; break;
  }
  if (e.kind == ExprKind::Apply && e.op == Op::Component) out += std::to_string(e.immediate);
  for (const ir::ExprId arg : code.args(e)) out += " (" + tree(code, arg) + ")";
  return out;
}

std::string tree_of(std::string_view expression) {
  const ir::Program program = parsed(typed_with(expression));
  if (program.code.nodes.size() != 1) return "";
  return tree(program.code, program.code.arg(program.code[ir::NodeId{0}], 0));
}

TEST(Types, VectorsAndComponents) {
  EXPECT_EQ(tree_of("vec2u32(1, x)"), "MakeVec2U32 (1) (x)");
  EXPECT_EQ(tree_of("vec4u32(1, 2, 3, 4)"), "MakeVec4U32 (1) (2) (3) (4)");
  EXPECT_EQ(tree_of("v.x"), "Component0 (v)");
  EXPECT_EQ(tree_of("v.y"), "Component1 (v)");
  EXPECT_EQ(tree_of("v.z"), "Component2 (v)");
  EXPECT_EQ(tree_of("v.w"), "Component3 (v)");
  EXPECT_EQ(tree_of("v . x . y"), "Component1 (Component0 (v))");
  EXPECT_EQ(tree_of("-v.x"), "Negate (Component0 (v))");
  EXPECT_EQ(tree_of("(-v).x"), "Component0 (Negate (v))");
  EXPECT_EQ(tree_of("a + v.x * b.y"), "Add (a) (Mul (Component0 (v)) (Component1 (b)))");
  EXPECT_EQ(tree_of("(a + v).x"), "Component0 (Add (a) (v))");
  EXPECT_EQ(tree_of("vec2u32(1, 2).y"), "Component1 (MakeVec2U32 (1) (2))");
  EXPECT_EQ(tree_of("t[1, 2].w"), "Component3 (load t (1) (2))");
  EXPECT_EQ(tree_of("x.y.z(1).x"), "Component0 (Call (1))");
  EXPECT_EQ(tree_of("local_id.x.y"), "Component1 (id)");
  EXPECT_EQ(tree_of("t[a, t[b, c.x] + 1, 2]"), "load t (a) (Add (load t (b) (Component0 (c))) (1)) (2)");
}

TEST(Types, ExpressionsPrintAsTheyAreRead) {
  for (const std::string_view text : {"vec2u32(0x10000, x + 1)",
                                      "v.x.y",
                                      "(a + b).z",
                                      "(-v).w",
                                      "-v.w",
                                      "(~v).x",
                                      "a[1].x",
                                      "t[i, j + 1]",
                                      "t[t[0, 1], 2].y",
                                      "(7).x",
                                      "(7u64).x",
                                      "(1.5).x",
                                      "true.x",
                                      "vec4u32(1, 2, 3, 4).w",
                                      "select(c, v, w).y",
                                      "primitive.math.min(1, 2).x",
                                      "cast<vec2u32>(x)",
                                      "bitcast<vec4u32>(1u128)",
                                      "cast<tensor>(x)",
                                      "x.y(1)",
                                      "1.5 + -2.0",
                                      "-(1.5)",
                                      "-(-0.0f16)",
                                      "x - 1.5bf16",
                                      "~-1.5",
                                      "-(f32(0x7fc00001))",
                                      "f16(0xfe00)",
                                      "0x1000000000000000000000001u128",
                                      "-7u64",
                                      "invocation_id.x + local_id.z"}) {
    EXPECT_EQ(print(parsed(typed_with(text))), typed_with(text));
    EXPECT_EQ(format(typed_with(text)).value_or(""), typed_with(text));
  }
}

TEST(Types, Tensors) {
  const std::string text =
      "program p(\n"
      "  read a: tensor<f32, [4, 0xa]> @0,\n"
      "  read plain: vec4u32 @1,\n"
      "  uniform u: u32 @2,\n"
      "  read_write b: tensor<u128, [n = u[3], 64, m = u[0]], strides[0b1, 2, 0]> @3,\n"
      "  workgroup c: tensor<bytes, [1]>[9]\n"
      ") workgroup(1, 1, 1) {\n"
      "  b[1, n, 3] = a[0, 1];\n"
      "}\n";
  const ir::Program p = parsed(text);
  const auto& code = p.code;
  ASSERT_EQ(p.buffers.size(), 5u);
  ASSERT_EQ(p.tensors.size(), 3u);
  EXPECT_EQ(p.tensor(p.buffers[1]), nullptr);
  EXPECT_EQ(p.buffers[1].element, DataType::Vec4U32);

  const ir::TensorType& a = *p.tensor(p.buffers[0]);
  EXPECT_EQ(a.element, DataType::F32);
  ASSERT_EQ(a.dims.size(), 2u);
  EXPECT_FALSE(a.dims[0].dynamic() || a.dims[1].dynamic());
  EXPECT_EQ(a.dims[0].size, 4u);
  EXPECT_EQ(a.dims[1].size, 10u);
  EXPECT_TRUE(a.strides.empty());

  const ir::TensorType& b = *p.tensor(p.buffers[3]);
  EXPECT_EQ(b.element, DataType::U128);
  EXPECT_EQ(p.buffers[3].binding, 3u);
  ASSERT_EQ(b.dims.size(), 3u);
  EXPECT_TRUE(b.dims[0].dynamic() && !b.dims[1].dynamic() && b.dims[2].dynamic());
  EXPECT_EQ(code.name(b.dims[0].name), "n");
  EXPECT_EQ(code.name(b.dims[0].buffer), "u");
  EXPECT_EQ(b.dims[0].element, 3u);
  EXPECT_EQ(b.dims[1].size, 64u);
  EXPECT_EQ(code.name(b.dims[2].name), "m");
  EXPECT_EQ(b.dims[2].element, 0u);
  EXPECT_EQ(b.strides, (std::vector<uint32_t>{1, 2, 0}));

  EXPECT_EQ(p.tensor(p.buffers[4])->element, DataType::Bytes);
  EXPECT_EQ(p.buffers[4].count, 9u);

  ASSERT_EQ(code.nodes.size(), 1u);
  const ir::Node& store = code[ir::NodeId{0}];
  EXPECT_EQ(store.kind, NodeKind::Store);
  ASSERT_EQ(store.args.count, 4u);
  EXPECT_EQ(tree(code, code.arg(store, 0)), "1");
  EXPECT_EQ(tree(code, code.arg(store, 1)), "n");
  EXPECT_EQ(tree(code, code.arg(store, 2)), "3");
  EXPECT_EQ(tree(code, code.arg(store, 3)), "load a (0) (1)");

  // Printed, only the radix is another.
  std::string printed = text;
  printed.replace(printed.find("0xa"), 3, "10");
  printed.replace(printed.find("0b1"), 3, "1");
  EXPECT_EQ(print(p), printed);
  EXPECT_EQ(format(text).value_or(""), text);
}

TEST(Types, TensorsAreLaidOut) {
  EXPECT_EQ(
      format(
          "program p(read t:tensor < f32 ,[ n=u [ 0 ] , 2 ] , strides [2 , 1] > @ 0) workgroup(1,1,1){ "
          "t [ 1 , v . x ] = t [ 0 , - 1.50 ] . y ; let a = vec2u32 ( 1 , 0x2 ) . x ; let b = f32 ( 1 ) ; }")
          .value_or(""),
      "program p(read t: tensor<f32, [n = u[0], 2], strides[2, 1]> @0) workgroup(1, 1, 1) {\n"
      "  t[1, v.x] = t[0, -(1.50)].y;\n"
      "  let a = vec2u32(1, 0x2).x;\n"
      "  let b = f32(1);\n"
      "}\n");
  EXPECT_EQ(format("program p(read t: tensor<f32, // one\n [2, // two\n 3]> @0) workgroup(1, 1, 1) {}")
                .value_or(""),
            "program p(\n"
            "  read t: tensor<f32, [2, 3]> @0  // one\n"
            "  // two\n"
            ") workgroup(1, 1, 1) {}\n");
  std::string dims = "1000000001";
  for (int i = 2; i <= 18; ++i) dims += ", " + std::to_string(1000000000 + i);
  const std::string text =
      "program p(read t: tensor<f32, [" + dims + "]> @0, read u: u32 @1) workgroup(1, 1, 1) {}\n";
  const std::string once = format(text).value_or("");
  EXPECT_EQ(format(once).value_or(""), once);
  EXPECT_EQ(once,
            "program p(\n"
            "  read t: tensor<f32,\n"
            "      [1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006, 1000000007, "
            "1000000008,\n"
            "      1000000009, 1000000010, 1000000011, 1000000012, 1000000013, 1000000014, 1000000015, "
            "1000000016,\n"
            "      1000000017, 1000000018]> @0,\n"
            "  read u: u32 @1\n"
            ") workgroup(1, 1, 1) {}\n");
}

}  // namespace
}  // namespace vyre::text
