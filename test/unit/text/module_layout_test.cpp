// Layout and printing of constants, operations and pipelines, written out by hand.
#include <gtest/gtest.h>

#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "text-format, the layout and canonical text, by hand");

namespace vyre::text {
namespace {

std::string laid_out(const std::string& text) {
  const Source source("test.vyre", text);
  const auto out = format(text);
  EXPECT_TRUE(out.has_value()) << render(out.error(), &source);
  if (!out) return {};
  EXPECT_EQ(format(*out).value_or(""), *out) << "formatting twice changes it";
  return *out;
}

TEST(ModuleLayout, Constants) {
  EXPECT_EQ(laid_out("const  W=0x20 in{ 32,64 } ;const N\n=\n1_000;"),
            "const W = 0x20 in {32, 64};\nconst N = 1_000;\n");
  EXPECT_EQ(laid_out("const W = 1 in {\n  1, // one\n  2\n};"), "const W = 1 in {1,  // one\n    2};\n");
}

TEST(ModuleLayout, ClausesStandOnLinesOfTheirOwn) {
  EXPECT_EQ(
      laid_out(
          "operation my.f @ 2(a:u32,b :u32)->u32 claims Commutative,Identity( 0 ) denies Idempotent by(1),"
          "InverseOf(my.g@3)by (1 ,2) rows(1,2)=>3,(-1i32,1.5)=>vec2u32(1,2) {return a+b;}"),
      "operation my.f@2(a: u32, b: u32) -> u32\n"
      "    claims Commutative, Identity(0)\n"
      "    denies Idempotent by (1), InverseOf(my.g@3) by (1, 2)\n"
      "    rows (1, 2) => 3, (-1i32, 1.5) => vec2u32(1, 2) {\n"
      "  return a + b;\n"
      "}\n");
  EXPECT_EQ(laid_out("operation my.f(a: u32) -> u32\n{ return a; }"),
            "operation my.f(a: u32) -> u32 {\n  return a;\n}\n");
}

TEST(ModuleLayout, LongClausesGoOnFurtherIn) {
  // text-format, the layout, by hand: 110 columns, then eight blanks.
  EXPECT_EQ(
      laid_out("operation my.f(a: u32, b: u32) -> u32 claims Commutative, Associative, Identity(0), "
               "Absorbing(0xffffffff), LatticeAbsorption(my.min), DistributiveOver(my.min) rows (1, 2) => 2 {"
               " return a; }"),
      "operation my.f(a: u32, b: u32) -> u32\n"
      "    claims Commutative, Associative, Identity(0), Absorbing(0xffffffff), LatticeAbsorption(my.min),\n"
      "        DistributiveOver(my.min)\n"
      "    rows (1, 2) => 2 {\n"
      "  return a;\n"
      "}\n");
  EXPECT_EQ(
      laid_out(
          "operation my.f(a: u32) -> u32\n  rows (1) => 2,  // one\n (2) => 3 // two\n{ return a + 1; }"),
      "operation my.f(a: u32) -> u32\n"
      "    rows (1) => 2,  // one\n"
      "        (2) => 3 {  // two\n"
      "  return a + 1;\n"
      "}\n");
}

TEST(ModuleLayout, Pipelines) {
  EXPECT_EQ(
      laid_out(
          "pipeline p(uniform n:u32@0,read_write d:u32@1){scratch s:u32[ceil_div(n[0],4)];let k=len(s)-1;"
          "dispatch f(v=[k,-1,n[0]],d,s=d)groups(k,2);run q( d );run a.b@2(d);for i in 0..k{}repeat k"
          " while(d[k]){run q(d);}if(k==1){run q(d);}else if(!k){}else{run q(d);}}"),
      "pipeline p(uniform n: u32 @0, read_write d: u32 @1) {\n"
      "  scratch s: u32[ceil_div(n[0], 4)];\n"
      "  let k = len(s) - 1;\n"
      "  dispatch f(v = [k, -1, n[0]], d, s = d) groups(k, 2);\n"
      "  run q(d);\n"
      "  run a.b@2(d);\n"
      "  for i in 0..k {}\n"
      "  repeat k while (d[k]) {\n"
      "    run q(d);\n"
      "  }\n"
      "  if (k == 1) {\n"
      "    run q(d);\n"
      "  } else if (!k) {} else {\n"
      "    run q(d);\n"
      "  }\n"
      "}\n");
}

TEST(ModuleLayout, WordsThatAreNames) {
  EXPECT_EQ(laid_out("pipeline run(read_write while:u32@0){let repeat=2;repeat repeat "
                     "while(while[repeat]){dispatch groups"
                     "(rows=while)groups(repeat);}}"),
            "pipeline run(read_write while: u32 @0) {\n"
            "  let repeat = 2;\n"
            "  repeat repeat while (while[repeat]) {\n"
            "    dispatch groups(rows = while) groups(repeat);\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(laid_out("program p(read_write rows:u32@0)workgroup(1,1,1){rows[0]=claims+by;repeat=while+1;}"),
            "program p(read_write rows: u32 @0) workgroup(1, 1, 1) {\n"
            "  rows[0] = claims + by;\n"
            "  repeat = while + 1;\n"
            "}\n");
  EXPECT_EQ(
      laid_out("operation my.rows(by: u32, rows: u32) -> u32 claims Converse(my.rows) { return by + rows; }"),
      "operation my.rows(by: u32, rows: u32) -> u32\n"
      "    claims Converse(my.rows) {\n"
      "  return by + rows;\n"
      "}\n");
}

TEST(ModuleLayout, EmptyLinesBetweenItemsAreKept) {
  EXPECT_EQ(
      laid_out(
          "\n\n// a\nconst A = 1;\nconst B = 2;  // b\n\n\n\npipeline p() {}\n// c\npipeline q() {}\n\n"),
      "// a\nconst A = 1;\nconst B = 2;  // b\n\npipeline p() {}\n// c\npipeline q() {}\n");
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
