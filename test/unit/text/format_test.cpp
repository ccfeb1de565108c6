// Formatting: layout, comments and radix, with results written out by hand.
#include <gtest/gtest.h>

#include "ir/ir.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "text-format, the layout, by hand");

namespace vyre::text {
namespace {

/// Formats, and checks what holds for every text: the program is the same and formatting again changes
/// nothing.
std::string formatted(const std::string& text) {
  const auto once = format(text);
  EXPECT_TRUE(once.has_value()) << text;
  if (!once) return {};
  const auto twice = format(*once);
  EXPECT_TRUE(twice && *twice == *once) << *once << "\nbecame\n" << twice.value_or("no program");
  const auto before = parse(text), after = parse(*once);
  EXPECT_TRUE(before && after && ir::equal(*before, *after)) << *once;
  return *once;
}

/// Formats statements in a body without parameters; gives the body back.
std::string body(const std::string& text) {
  const std::string before = "program p() workgroup(1, 1, 1) {\n", after = "}\n";
  const std::string out = formatted(before + text + "\n" + after);
  EXPECT_TRUE(out.starts_with(before) && out.ends_with(after)) << out;
  return out.substr(before.size(), out.size() - before.size() - after.size());
}

TEST(Format, Spaces) {
  EXPECT_EQ(formatted("program p(read a:u32@0,workgroup s :i32 [ 4 ])workgroup(1,1,1){}"),
            "program p(read a: u32 @0, workgroup s: i32[4]) workgroup(1, 1, 1) {}\n");
  EXPECT_EQ(body("let x=a [ 1 ]+2*( y-3 );"), "  let x = a[1] + 2 * (y - 3);\n");
  // Without the space a component of a number would be a malformed number.
  EXPECT_EQ(body("let x = 2  .x + v . y;"), "  let x = 2 .x + v.y;\n");
  EXPECT_EQ(body("let x = - y-~ z+! w;"), "  let x = -y - ~z + !w;\n");
  EXPECT_EQ(body("let x = - 1i32 - -1i32 -1i32 - 1;"), "  let x = -(1i32) - -1i32 - 1i32 - 1;\n");
  EXPECT_EQ(body("let x = (- 1i32) * - - 1i32 * (-1i32);"), "  let x = (-(1i32)) * --(1i32) * (-1i32);\n");
  EXPECT_EQ(body("let x = cast < u32 , trunc > ( y ) < bitcast<i32>(z);"),
            "  let x = cast<u32, trunc>(y) < bitcast<i32>(z);\n");
  EXPECT_EQ(body("let x = a . b . select @ 2 ( y , z ) - primitive.math.abs (y);"),
            "  let x = a.b.select@2(y, z) - primitive.math.abs(y);\n");
  EXPECT_EQ(body("let x = invocation_id . x ; x=len ( a );"), "  let x = invocation_id.x;\n  x = len(a);\n");
  EXPECT_EQ(body("let x = select ( y&&z , 1 , atomic_add ( a [ 0 ] , - 1 ) );"),
            "  let x = select(y && z, 1, atomic_add(a[0], -1));\n");
  EXPECT_EQ(body("for i in(x)..y{barrier ;return;}"),
            "  for i in (x)..y {\n    barrier;\n    return;\n  }\n");
  EXPECT_EQ(body("if(x){}else if(y){x=1;}else{{}}"),
            "  if (x) {} else if (y) {\n    x = 1;\n  } else {\n    {}\n  }\n");
}

TEST(Format, KeepsRadixParenthesesAndForm) {
  EXPECT_EQ(body("let x = 0xFF_ff + 0b1_0 + 1_000u32 + (((y))) + add(0x1, 2);"),
            "  let x = 0xFF_ff + 0b1_0 + 1_000u32 + (((y))) + add(0x1, 2);\n");
}

TEST(Format, BlankLines) {
  EXPECT_EQ(body("\n\n\nlet x = 1;\n\n\n\nlet y = 2;\nlet z = 3;\n\n"),
            "  let x = 1;\n\n  let y = 2;\n  let z = 3;\n");
  EXPECT_EQ(body("if (x) {\n\n  y = 1;\n\n}\n\nz = 2;"), "  if (x) {\n    y = 1;\n  }\n\n  z = 2;\n");
  EXPECT_EQ(formatted("\n\n// a\n\n\n// b\nprogram p() workgroup(1, 1, 1) {}\n\n\n// c\n\n"),
            "// a\n\n// b\nprogram p() workgroup(1, 1, 1) {}\n\n// c\n");
}

TEST(Format, LineEndsOfOtherSystems) {
  EXPECT_EQ(
      formatted(
          "// a \t \r\nprogram p() workgroup(1, 1, 1) {\r\n\r\n\tlet x = 1; // b\r\n\r\n\tx = 2;\r\n}\r\n"),
      "// a\nprogram p() workgroup(1, 1, 1) {\n  let x = 1;  // b\n\n  x = 2;\n}\n");
}

TEST(Format, Comments) {
  EXPECT_EQ(
      formatted("//a\nprogram p() workgroup(1, 1, 1) { //b\n//c\nlet x = 1;//d\n    //e\n\n//f\n}//g\n//h"),
      "//a\nprogram p() workgroup(1, 1, 1) {  //b\n  //c\n  let x = 1;  //d\n  //e\n\n  //f\n}  //g\n//h\n");
  EXPECT_EQ(body("{ // a\n}"), "  {  // a\n  }\n");
  EXPECT_EQ(body("{\n// a\n}"), "  {\n    // a\n  }\n");
  EXPECT_EQ(body("let x = 1 // a\n;"), "  let x = 1;  // a\n");
  EXPECT_EQ(body("let x = 1\n// a\n; // b\n"), "  let x = 1;\n  // a\n  // b\n");
  EXPECT_EQ(body("if (x) // a\n{ y = 1; } // b\n// c\nelse // d\n{ y = 2; }"),
            "  if (x) {  // a\n    y = 1;\n  } else {  // b\n    // c\n    // d\n    y = 2;\n  }\n");
  EXPECT_EQ(body("if (x) {} // a\nelse // b\nif // c\n(y // d\n) // e\n{}"),
            "  if (x) {} else if (y  // d\n      ) {  // a\n    // b\n    // c\n    // e\n  }\n");
  EXPECT_EQ(body("let x = y + // a\n z * // b\n // c\n w;"),
            "  let x = y +  // a\n      z *  // b\n      // c\n      w;\n");
  EXPECT_EQ(body("let x = select(a, // a\n b // b\n , c);"),
            "  let x = select(a,  // a\n      b,  // b\n      c);\n");
  EXPECT_EQ(body("let x = - // a\n 1i32;"), "  let x = -  // a\n      (1i32);\n");
  EXPECT_EQ(body("x = 1; // error: V003\n"), "  x = 1;  // error: V003\n");
}

TEST(Format, CommentsInHeaders) {
  EXPECT_EQ(formatted("program p( // none\n) workgroup(1, 1, 1) {}"),
            "program p(  // none\n) workgroup(1, 1, 1) {}\n");
  EXPECT_EQ(formatted("program // a\np(read a // b\n: // c\nu32 @0, // d\n// e\nread b: u32 @1 // f\n) // "
                      "g\nworkgroup(1, // "
                      "h\n1, 1) {}"),
            "program p(\n"
            "  read a: u32 @0,  // b\n"
            "  // c\n"
            "  // d\n"
            "  // e\n"
            "  read b: u32 @1  // f\n"
            ") workgroup(1, 1, 1) {  // a\n"
            "  // g\n"
            "  // h\n"
            "}\n");
}

TEST(Format, LongLines) {
  // text-format: 110 columns; the outermost bracket breaks first, then the loosest operator.
  const std::string a30(30, 'a'), b30(30, 'b'), c30(30, 'c');
  const std::string a29(29, 'a');  // with it the line has 110 columns
  EXPECT_EQ(body("let x = " + a29 + " + " + b30 + " + " + c30 + " + 1;"),
            "  let x = " + a29 + " + " + b30 + " + " + c30 + " + 1;\n");
  EXPECT_EQ(body("let x = " + a30 + " + " + b30 + " + " + c30 + " + 1;"),
            "  let x = " + a30 + " + " + b30 + " + " + c30 + " +\n      1;\n");
  EXPECT_EQ(body("let x = " + a30 + " + " + b30 + " + " + c30 + " * 12345;"),
            "  let x = " + a30 + " + " + b30 + " +\n      " + c30 + " * 12345;\n");
  EXPECT_EQ(body("let x = f.g(" + a30 + ", h.i(" + b30 + ", 1), " + c30 + ", 12345);"),
            "  let x = f.g(" + a30 + ", h.i(" + b30 + ", 1),\n      " + c30 + ", 12345);\n");
  const std::string name(120, 'n');
  EXPECT_EQ(body("let " + name + " = " + name + ";"), "  let " + name + " =\n      " + name + ";\n");
}

TEST(Format, NoLineIsTooLong) {
  VYRE_ORACLE(Property, "a column is at most 110 unless the line has no place to break");
  std::string sum = "let x = a[i + 1]";
  for (int i = 0; i < 500; ++i)
    sum += " + f.g(" + std::to_string(i) + ", (x ^ 0x" + std::to_string(i) + ") * y, z)";
  const std::string out = body(sum + ";");
  size_t begin = 0;
  while (begin < out.size()) {
    const size_t end = out.find('\n', begin);
    EXPECT_LE(end - begin, 110u);
    EXPECT_GE(end - begin, end + 1 == out.size() ? 1u : 70u) << out.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Format, RefusesWhatIsNoProgram) {
  const auto result = format("program p() workgroup(1, 1, 1) { let x = ; }");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, DiagCode::P002);
}

}  // namespace
}  // namespace vyre::text
