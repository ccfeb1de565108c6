// Canonical text, written out by hand.
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "text-format, the layout, the grammar and \"Precedence\", by hand");

namespace vyre::text {
namespace {

using ir::Ex;
using ir::ProgramBuilder;
using spec::DataType;
using spec::Op;

/// The text of an expression as the printer writes it.
std::string printed(const std::function<Ex(ProgramBuilder&)>& make) {
  ProgramBuilder p("p");
  p.let("r", make(p));
  const std::string text = print(p.finish());
  const std::string before = "program p() workgroup(1, 1, 1) {\n  let r = ", after = ";\n}\n";
  EXPECT_TRUE(text.starts_with(before) && text.ends_with(after)) << text;
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

TEST(Printer, Literals) {
  // text-format: decimals below 65536 and hexadecimals above, suffixes of other types than u32.
  EXPECT_EQ(print_literal(DataType::U32, {0}), "0");
  EXPECT_EQ(print_literal(DataType::U32, {65535}), "65535");
  EXPECT_EQ(print_literal(DataType::U32, {65536}), "0x10000");
  EXPECT_EQ(print_literal(DataType::U32, {4294967295u}), "0xffffffff");
  EXPECT_EQ(print_literal(DataType::I32, {7}), "7i32");
  EXPECT_EQ(print_literal(DataType::I32, {uint32_t(-7)}), "-7i32");
  EXPECT_EQ(print_literal(DataType::I32, {65536}), "0x10000i32");
  EXPECT_EQ(print_literal(DataType::I32, {0x7fffffff}), "0x7fffffffi32");
  EXPECT_EQ(print_literal(DataType::I32, {0x80000000}), "-2147483648i32");
  EXPECT_EQ(print_literal(DataType::Bool, {0}), "false");
  EXPECT_EQ(print_literal(DataType::Bool, {1}), "true");
  EXPECT_EQ(print_literal(DataType::U64, {7, 0}), "7u64");
  EXPECT_EQ(print_literal(DataType::U64, {7, 1}), "0x100000007u64");
  EXPECT_EQ(print_literal(DataType::U128, {1, 0, 0, 1}), "0x1000000000000000000000001u128");
  EXPECT_EQ(print_literal(DataType::F32, {0x7fc00001}), "f32(0x7fc00001)");
  EXPECT_EQ(print_literal(DataType::F32, {0xff800000}), "f32(0xff800000)");
  EXPECT_EQ(print_literal(DataType::F32, {0x80000000}), "-0.0");
  EXPECT_EQ(print_literal(DataType::F32, {0x3fc00000}), "1.5");
  EXPECT_EQ(print_literal(DataType::F32, {0xc0000000}), "-2.0");
  EXPECT_EQ(print_literal(DataType::F32, {0x7149f2ca}), "1e+30");
  EXPECT_EQ(print_literal(DataType::F32, {0x1}), "1e-45");
  EXPECT_EQ(print_literal(DataType::F16, {0x7c00}), "f16(0x7c00)");
  EXPECT_EQ(print_literal(DataType::F16, {0x3e00}), "1.5f16");
  EXPECT_EQ(print_literal(DataType::F16, {0x2e66}), "0.1f16");
  EXPECT_EQ(print_literal(DataType::F16, {0x1}), "6e-08f16");
  EXPECT_EQ(print_literal(DataType::BF16, {0x3f80}), "1.0bf16");
  EXPECT_EQ(print_literal(DataType::BF16, {0x7fc1}), "bf16(0x7fc1)");
  EXPECT_EQ(print_literal(DataType::Vec2U32, {1, 65536}), "vec2u32(1, 0x10000)");
  EXPECT_EQ(print_literal(DataType::Vec4U32, {1, 2, 3, 4}), "vec4u32(1, 2, 3, 4)");
}

// What no text has is shown by its bits, and printing ends.
TEST(Printer, BitsBeyondAType) {
  const auto printed = [](DataType type, uint32_t bits) { return print_literal(type, {bits, 0, 0, 0}); };
  EXPECT_EQ(printed(DataType::F16, 0x10000), "f16(0x10000)");
  EXPECT_EQ(printed(DataType::F16, 0x13c00), "f16(0x13c00)");
  EXPECT_EQ(printed(DataType::BF16, 0x3f801234), "bf16(0x3f801234)");
  EXPECT_EQ(printed(DataType::BF16, 0x80000000), "bf16(0x80000000)");
}

TEST(Printer, Parentheses) {
  using P = ProgramBuilder&;
  const auto v = [](P p, std::string_view name) { return p.var(name); };
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") + v(p, "y")) + v(p, "z"); }), "x + y + z");
  EXPECT_EQ(printed([&](P p) { return v(p, "x") + (v(p, "y") + v(p, "z")); }), "x + (y + z)");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") + v(p, "y")) * v(p, "z"); }), "(x + y) * z");
  EXPECT_EQ(printed([&](P p) { return v(p, "x") + v(p, "y") * v(p, "z"); }), "x + y * z");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") + v(p, "y")) << v(p, "z"); }), "(x + y) << z");
  EXPECT_EQ(printed([&](P p) { return v(p, "x") << v(p, "y") * v(p, "z"); }), "x << (y * z)");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") << v(p, "y")) + v(p, "z"); }), "(x << y) + z");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") << v(p, "y")) << v(p, "z"); }), "x << y << z");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") & v(p, "y")) | v(p, "z"); }), "(x & y) | z");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") & v(p, "y")) & v(p, "z"); }), "x & y & z");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") + v(p, "y")) & v(p, "z"); }), "x + y & z");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") << v(p, "y")) & v(p, "z"); }), "x << y & z");
  EXPECT_EQ(printed([&](P p) { return p.apply(Op::Eq, {v(p, "x") & v(p, "y"), v(p, "z")}); }), "x & y == z");
  EXPECT_EQ(printed([&](P p) { return p.apply(Op::Lt, {v(p, "x") < v(p, "y"), v(p, "z")}); }), "(x < y) < z");
  EXPECT_EQ(printed([&](P p) { return p.apply(Op::Eq, {v(p, "z"), v(p, "x") < v(p, "y")}); }),
            "z == (x < y)");
  EXPECT_EQ(printed([&](P p) { return (v(p, "x") || v(p, "y")) && v(p, "z"); }), "(x || y) && z");
  EXPECT_EQ(printed([&](P p) { return v(p, "x") || (v(p, "y") && v(p, "z")); }), "x || y && z");
  EXPECT_EQ(printed([&](P p) { return -(v(p, "x") * v(p, "y")); }), "-(x * y)");
  EXPECT_EQ(printed([&](P p) { return (-v(p, "x")) * (!~v(p, "y")); }), "-x * !~y");
  EXPECT_EQ(printed([&](P p) { return -(-v(p, "x")); }), "--x");
  EXPECT_EQ(printed([&](P p) { return -p.i32(1); }), "-(1i32)");
  EXPECT_EQ(printed([&](P p) { return -p.i32(-1); }), "-(-1i32)");
  EXPECT_EQ(printed([&](P p) { return -p.u32(1); }), "-1");
  EXPECT_EQ(printed([&](P p) { return ~p.i32(-1); }), "~-1i32");
  EXPECT_EQ(printed([&](P p) { return v(p, "x") - p.i32(-1); }), "x - -1i32");
}

TEST(Printer, Primaries) {
  using P = ProgramBuilder&;
  EXPECT_EQ(printed([](P p) { return p.select(p.var("x"), p.u32(1), p.u32(2)); }), "select(x, 1, 2)");
  EXPECT_EQ(printed([](P p) { return p.cast(DataType::I32, p.var("x")); }), "cast<i32>(x)");
  EXPECT_EQ(printed([](P p) { return p.cast(DataType::U32, p.var("x"), spec::RoundingMode::Ceil); }),
            "cast<u32, ceil>(x)");
  EXPECT_EQ(printed([](P p) { return p.bitcast(DataType::F32, p.var("x")); }), "bitcast<f32>(x)");
  EXPECT_EQ(printed([](P p) { return p.call("primitive.math.min", {p.var("x"), p.u32(3)}); }),
            "primitive.math.min(x, 3)");
  EXPECT_EQ(printed([](P p) { return p.call("primitive.compare.select", {}, 2); }),
            "primitive.compare.select@2()");
  EXPECT_EQ(printed([](P p) { return p.apply(Op::ReverseBits, {p.var("x")}); }), "reverse_bits(x)");
  EXPECT_EQ(printed([](P p) { return p.local_id(2); }), "local_id.z");
  EXPECT_EQ(printed([](P p) { return p.load({p.code().intern("b")}, p.u32(1) + p.u32(2)); }), "b[1 + 2]");
  EXPECT_EQ(printed([](P p) { return p.len({p.code().intern("b")}); }), "len(b)");
}

TEST(Printer, Statements) {
  ProgramBuilder p("all");
  const auto r = p.read("r", DataType::Bytes, 7);
  const auto w = p.read_write("w", DataType::U32, 0);
  const auto s = p.workgroup("s", DataType::I32, 70000);
  p.workgroup_size(4, 2, 3);
  const Ex x = p.let("x", p.load(r, p.invocation_id(0)));
  p.assign(x, x + p.len(w));
  p.store(s, x, p.i32(-5));
  p.if_(x, [&] { p.return_(); });
  p.if_(
      x < p.u32(2), [&] { p.barrier(); },
      [&] { p.if_(x, [] {}, [&] { p.let("old", p.atomic(Op::AtomicAdd, w, x, p.u32(1))); }); });
  p.if_(
      x, [] {},
      [&] {
        p.if_(x, [] {});
        p.let("old", p.atomic_compare_exchange(w, x + p.u32(1), p.u32(0), p.u32(1)));
      });
  p.loop("k", p.u32(0), x + p.u32(1), [&](Ex) { p.block([&] { p.barrier(); }); });
  EXPECT_EQ(
      print(p.finish()),
      R"(program all(read r: bytes @7, read_write w: u32 @0, workgroup s: i32[70000]) workgroup(4, 2, 3) {
  let x = r[invocation_id.x];
  x = x + len(w);
  s[x] = -5i32;
  if (x) {
    return;
  }
  if (x < 2) {
    barrier;
  } else if (x) {} else {
    let old = atomic_add(w[x], 1);
  }
  if (x) {} else {
    if (x) {}
    let old = atomic_compare_exchange(w[x + 1], 0, 1);
  }
  for k in 0..x + 1 {
    {
      barrier;
    }
  }
}
)");
}

TEST(Printer, LongHeaders) {
  // text-format's block_sum: the header of 114 columns breaks before `workgroup`.
  const auto header = [](int buffers) {
    ProgramBuilder p("block_sum");
    for (int i = 0; i < buffers; ++i) p.read("input_number_" + std::to_string(i), DataType::U32, uint32_t(i));
    p.workgroup_size(256, 1, 1);
    return print(p.finish());
  };
  EXPECT_EQ(header(3),
            "program block_sum(read input_number_0: u32 @0, read input_number_1: u32 @1, read "
            "input_number_2: u32 @2)\n"
            "    workgroup(256, 1, 1) {}\n");
  EXPECT_EQ(header(4),
            "program block_sum(\n"
            "  read input_number_0: u32 @0,\n"
            "  read input_number_1: u32 @1,\n"
            "  read input_number_2: u32 @2,\n"
            "  read input_number_3: u32 @3\n"
            ") workgroup(256, 1, 1) {}\n");
}

TEST(ModulePrinter, PrintsOperationsThenProgramsThenPipelines) {
  const auto module = parse_module(
      "pipeline all(uniform n: u32 @0, read_write d: u32 @1) { scratch s: u64[W]; if (n[0]) { dispatch f(v = "
      "[W, n[0]], d)"
      " groups(1, W); } else { run other(); } repeat W while (d[W]) { } for i in 0..W { run hash.x@3(y = d); "
      "} }\n"
      "const W = 4 in {4, 8};\n"
      "program f(uniform v: u32 @0, read_write d: u32 @1, workgroup w: u32[W]) workgroup(W, 1, 1) { d[0] = "
      "my.f(W); }\n"
      "operation my.f(a: u32) -> u32 claims Identity(0x10) denies Bounded(0, 1) by (2u32) rows (0x10) => 32, "
      "(1) => 2"
      " { return a + W; }\n"
      "pipeline other() {}\n");
  ASSERT_TRUE(module.has_value()) << module.error().message;
  EXPECT_EQ(print(*module),
            "operation my.f(a: u32) -> u32\n"
            "    claims Identity(16)\n"
            "    denies Bounded(0, 1) by (2)\n"
            "    rows (16) => 32, (1) => 2 {\n"
            "  return a + 4;\n"
            "}\n\n"
            "program f(uniform v: u32 @0, read_write d: u32 @1, workgroup w: u32[4]) workgroup(4, 1, 1) {\n"
            "  d[0] = my.f(4);\n"
            "}\n\n"
            "pipeline all(uniform n: u32 @0, read_write d: u32 @1) {\n"
            "  scratch s: u64[4];\n"
            "  if (n[0]) {\n"
            "    dispatch f(v = [4, n[0]], d) groups(1, 4);\n"
            "  } else {\n"
            "    run other();\n"
            "  }\n"
            "  repeat 4 while (d[4]) {}\n"
            "  for i in 0..4 {\n"
            "    run hash.x@3(y = d);\n"
            "  }\n"
            "}\n\n"
            "pipeline other() {}\n");
}

TEST(ModulePrinter, ValuesOfEveryType) {
  const std::string rows =
      "    rows (-1i32) => true, (0x100000000u64) => 0x10000000000000000u128, (1.5f16) => 1.0bf16,\n"
      "        (f32(0x7fc00001)) => -0.0, (vec2u32(1, 0x10000)) => vec4u32(1, 2, 3, 4) {\n";
  const std::string text = "operation my.f(a: u32) -> u32\n" + rows + "  return a;\n}\n";
  const auto module = parse_module(text);
  ASSERT_TRUE(module.has_value()) << module.error().message;
  EXPECT_EQ(print(*module), text);
}

}  // namespace
}  // namespace vyre::text
