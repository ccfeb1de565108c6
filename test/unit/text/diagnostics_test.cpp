// What bad texts get: the code, the position and the words.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "oracle.h"
#include "text/directives.h"
#include "text/foreign_words.h"
#include "text/lexer.h"
#include "text/text.h"

VYRE_ORACLE(
    SpecificationTable,
    "diag.def and text-format, \"Characters and words\"; positions marked, and words written, by hand");

namespace vyre::text {
namespace {

struct Bad {
  std::string code;
  std::string marked;  // the text, with the place of the diagnostic between « and »
};

/// Takes the marks out of a text; the span is what was between them.
std::string unmark(const std::string& marked, Span& span) {
  const size_t begin = marked.find("\xC2\xAB"), end = marked.find("\xC2\xBB");
  EXPECT_NE(begin, std::string::npos) << marked;
  EXPECT_NE(end, std::string::npos) << marked;
  span = {uint32_t(begin), uint32_t(end - 2)};
  return marked.substr(0, begin) + marked.substr(begin + 2, end - begin - 2) + marked.substr(end + 2);
}

void expect_bad(const Bad& bad) {
  Span span;
  const std::string text = unmark(bad.marked, span);
  const auto program = parse(text);
  ASSERT_FALSE(program.has_value()) << text;
  EXPECT_EQ(diag_info(program.error().code).name, bad.code) << text << "\n" << program.error().message;
  EXPECT_EQ(program.error().span.begin, span.begin) << text << "\n" << program.error().message;
  EXPECT_EQ(program.error().span.end, span.end) << text << "\n" << program.error().message;
  EXPECT_FALSE(program.error().message.empty());
}

void expect_bad_body(const std::string& code, const std::string& body) {
  expect_bad(
      {code, "program p(read a: u32 @0, read_write o: u32 @1) workgroup(1, 1, 1) {\n" + body + "\n}\n"});
}

TEST(Diagnostics, Statements) {
  expect_bad_body("P001", "let x = 1 «$» 2;");
  expect_bad_body("P001", "let x = «\"»a\";");
  expect_bad_body("P001", "let «ä» = 1;");
  expect_bad_body("P001", "«/*» no */");
  expect_bad_body("P001", "// nul «" + std::string(1, '\0') + "»");
  expect_bad_body("P001", "let x «" + std::string(1, '\0') + "»= 1;");
  expect_bad_body("P001", "let x «\x01»= 1;");
  expect_bad_body("P014", "// latin-1: «\xE4» umlaut");
  expect_bad_body("P014", "let «\xFF»x = 1;");
  expect_bad_body("P014", "// surrogate «\xED»\xA0\x80");
  expect_bad_body("P014", "// too long «\xC0»\xAF");

  expect_bad_body("P002", "let «=» 1;");
  expect_bad_body("P002", "let x «1»;");
  expect_bad_body("P002", "let x = «;»");
  expect_bad_body("P002", "let x = 1«»\nlet y = 2;");
  expect_bad_body("P002", "let x = 1 «let» y = 2;");
  expect_bad_body("P002", "let x = (1 + 2«»\n;");
  expect_bad_body("P002", "let x = (1 + 2«;»");
  expect_bad_body("P002", "let x = a[1«)»;");
  expect_bad_body("P002", "x +«=» 1;");
  expect_bad_body("P002", "«else» { }");
  expect_bad_body("P002", "«;»");
  expect_bad_body("P002", "if «x» { }");
  expect_bad_body("P002", "if (x) «return»;");
  expect_bad_body("P002", "for i «0»..8 { }");
  expect_bad_body("P002", "for i in 0 «{» }");
  expect_bad_body("P002", "«x.y.z» = 1;");
  expect_bad_body("P002", "let x = y.«a»;");
  expect_bad_body("P002", "let x = y.«xy»;");
  expect_bad_body("P002", "let x = y.x.«r»;");
  expect_bad_body("P002", "let x = a[1].«let»;");
  expect_bad_body("P002", "let x = (y + 1).«7»;");
  expect_bad_body("P002", "let x = a[1«;»");
  expect_bad_body("P002", "let x = a[1,«]»;");
  expect_bad_body("P002", "a[1,«]» = 3;");
  expect_bad_body("P002", "let x = atomic_add(o[1«,» 2], 3);");
  expect_bad_body("P002", "let x = f32(«y»);");
  expect_bad_body("P002", "let x = f32(«1.5»);");
  expect_bad_body("P002", "let x = f32(«1i32»);");
  expect_bad_body("P002", "let x = f32(1«,» 2);");
  expect_bad_body("P002", "let x = «f32»;");
  expect_bad_body("P002", "«len(a)» = 1;");
  expect_bad_body("P002", "let x = invocation_id.«w»;");
  expect_bad_body("P002", "let x = invocation_id«;»");
  expect_bad_body("P002", "let x = len(a«[»0]);");
  expect_bad_body("P002", "let x = cast«(»x);");
  expect_bad_body("P002", "let x = cast<u32, «up»>(x);");
  expect_bad_body("P002", "let x = bitcast<u32«,» trunc>(x);");
  expect_bad_body("P002", "let x = add(1, «)»;");
  expect_bad_body("P002", "let x = atomic_add(o«,» 1);");
  expect_bad_body("P002", "let x = «u32»;");
  expect_bad_body("P002", "let x = a.b@«y»(1);");
  expect_bad_body("P002", "let x = a.b@1«;»");
  expect_bad_body("P002", "let x = 1 «2»;");
  expect_bad_body("P002", "«)»");

  expect_bad_body("P004", "let x = «1__0»;");
  expect_bad_body("P004", "let x = «1_»;");
  expect_bad_body("P004", "let x = «0x»;");
  expect_bad_body("P004", "let x = «0x_f»;");
  expect_bad_body("P004", "let x = «0b»;");
  expect_bad_body("P004", "let x = «0b12»;");
  expect_bad_body("P004", "let x = «0b1f32»;");
  expect_bad_body("P004", "let x = «0X1F»;");
  expect_bad_body("P004", "let x = «12abc»;");
  expect_bad_body("P004", "let x = «1_u32»;");
  expect_bad_body("P004", "let x = «1u33»;");
  expect_bad_body("P004", "let x = «1.»;");
  expect_bad_body("P004", "let x = «1.»x;");
  expect_bad_body("P004", "let x = «1.5u32»;");
  expect_bad_body("P004", "let x = «1e»;");
  expect_bad_body("P004", "let x = «0x1.8»;");
  expect_bad_body("P004", "let x = «1.2.3»;");

  expect_bad_body("P005", "let x = «4294967296»;");
  expect_bad_body("P005", "let x = «0x1_0000_0000»;");
  expect_bad_body("P005", "let x = «99999999999999999999999999»;");
  expect_bad_body("P005", "let x = «18446744073709551617»;");  // 2^64 + 1
  expect_bad_body("P005", "let x = «0x1_0000_0000_0000_0001i32»;");
  expect_bad_body("P005", "let x = a.b@«18446744073709551617»(1);");
  expect_bad_body("P005", "let x = «2147483648i32»;");
  expect_bad_body("P005", "let x = - «2147483648i32»;");
  expect_bad_body("P005", "let x = «-2147483649i32»;");
  expect_bad_body("P005", "let x = y -«2147483648i32»;");
  expect_bad_body("P005", "let x = «0xffffffffi32»;");
  expect_bad_body("P005", "let x = a.b@«4294967296»(1);");
  expect_bad_body("P005", "let x = «18446744073709551616u64»;");                      // 2^64
  expect_bad_body("P005", "let x = «340282366920938463463374607431768211456u128»;");  // 2^128
  expect_bad_body("P005", "let x = «0x1_0000_0000_0000_0000_0000_0000_0000_0000u128»;");
  expect_bad_body("P005", "let x = «680564733841876926926749214863536422912u128»;");  // 2^129
  expect_bad_body("P005", "let x = «3.4028236e38»;");
  expect_bad_body("P005", "let x = «-1e39»;");
  expect_bad_body("P005", "let x = «1e99999999999999999999999»;");
  expect_bad_body("P005", "let x = «0x1p128»;");
  expect_bad_body("P005", "let x = «65520.0f16»;");
  expect_bad_body("P005", "let x = «65520f16»;");
  expect_bad_body("P005", "let x = «3.4e38bf16»;");
  expect_bad_body("P005", "let x = f32(«0x1_0000_0000»);");
  expect_bad_body("P005", "let x = f16(«0x10000»);");
  expect_bad_body("P005", "let x = bf16(«65536»);");

  expect_bad_body("P006", "let «for» = 1;");
  expect_bad_body("P006", "let «u32» = 1;");
  expect_bad_body("P006", "for «in» in 0..1 { }");
  expect_bad_body("P006", "let x = len(«read»);");
  expect_bad_body("P006", "let x = atomic_add(«local_id»[0], 1);");

  expect_bad_body("P007", "let x = «a0 + b0» << c0;");
  expect_bad_body("P007", "let x = a0 >> «b0 * 2»;");
  expect_bad_body("P007", "let x = «a0 & b0» | c0;");
  expect_bad_body("P007", "let x = a0 ^ «b0 & c0»;");
  expect_bad_body("P007", "let x = «a0 ^ b0» | c0;");
  expect_bad_body("P007", "let x = y + (z | «(a0) & b0») * 2;");

  expect_bad_body("P008", "let x = a0 < b0 «<» c0;");
  expect_bad_body("P008", "let x = a0 == b0 «!=» c0;");
  expect_bad_body("P008", "if (0 <= x + 1 «<» 8) { }");

  expect_bad_body("P009", "let x = «foo»(1);");
  expect_bad_body("P009", "«while»(x) { }");
  expect_bad_body("P009", "let x = «call»(1);");
  expect_bad_body("P009", "let x = «u32»(1);");
  expect_bad_body("P009", "let x = «tensor»(1);");
  expect_bad_body("P009", "let x = «component»(v);");

  expect_bad_body("P010", "let x = «add(1)»;");
  expect_bad_body("P010", "let x = 1 + «popcount()»;");
  expect_bad_body("P010", "let x = «select(1, 2, 3, 4)»;");
  expect_bad_body("P010", "let x = «atomic_add(o[0])»;");
  expect_bad_body("P010", "let x = «atomic_compare_exchange(o[0], 1)»;");
  expect_bad_body("P010", "let x = «cast<u32>()»;");
  expect_bad_body("P010", "let x = «vec2u32(1)»;");
  expect_bad_body("P010", "let x = «vec4u32(1, 2, 3)»;");

  expect_bad_body("P011", "«x»;");
  expect_bad_body("P011", "«x + 1»;");
  expect_bad_body("P011", "«a[x]»;");
  expect_bad_body("P011", "«a[x] + 1»;");
  expect_bad_body("P011", "«atomic_add(o[0], 1)»;");
  expect_bad_body("P011", "«primitive.math.min(1, 2)»;");
  expect_bad_body("P011", "«(x)»;");
  expect_bad_body("P011", "«-x» }");
  expect_bad_body("P011", "«x == 1»;");

  expect_bad_body("P012", "let x = cast<«int»>(1);");
  expect_bad_body("P012", "let x = cast<«for»>(1);");

  expect_bad_body("P013", "let x = cast<«f64»>(1);");
  expect_bad_body("P013", "let x = bitcast<«i64»>(1);");

  expect_bad_body("P002", "let x = freduce_approx(fadd, o«)»;");
  expect_bad_body("P002", "let x = freduce_approx(fadd, o, «n»);");
  expect_bad_body("P005", "let x = freduce_approx(fadd, o, «65536»);");
  expect_bad_body("P010", "let x = «freduce_approx(fadd, o, 64, 1)»;");

  expect_bad_body("P009", "let x = freduce_strict(«plus», o);");
  expect_bad_body("P009", "let x = freduce_strict(«o», 0, 4);");
  expect_bad_body("P009", "let x = freduce_strict(«for»);");
  expect_bad_body("P002", "let x = freduce_strict(«)»;");
  expect_bad_body("P002", "let x = freduce_strict(«1», o);");
  expect_bad_body("P002", "let x = freduce_strict(fadd «o»);");
  expect_bad_body("P002", "let x = freduce_tree_binary(fadd«)»;");
  expect_bad_body("P002", "let x = freduce_tree_binary(fadd, «1.5»);");
  expect_bad_body("P006", "let x = freduce_tree_binary(fadd, «len»);");
  expect_bad_body("P002", "let x = freduce_strict(fadd, o«[»0]);");
  expect_bad_body("P010", "let x = «freduce_strict(fadd, o, 1)»;");
  expect_bad_body("P010", "let x = 1.0 + «freduce_strict(fadd, o, 1, 2, 3)»;");
  expect_bad_body("P002", "let x = freduce_strict(fadd, o, 1, «;»");
}

TEST(Diagnostics, Headers) {
  expect_bad({"P015", "«»"});
  expect_bad({"P015", "«» \n// only a comment\n"});
  expect_bad({"P001", "«\xEF\xBB\xBF»program p() workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "«kernel» p() workgroup(1, 1, 1) { }"});
  expect_bad({"P006", "program «if»() workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program «7»() workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p(«a»: u32 @0) workgroup(1, 1, 1) { }"});
  expect_bad({"P006", "program p(read «u32»: u32 @0) workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p(read a «u32») workgroup(1, 1, 1) { }"});
  expect_bad({"P012", "program p(read a: «float» @0) workgroup(1, 1, 1) { }"});
  const auto tensor = [](const std::string& type) {
    return "program p(read a: " + type + " @0) workgroup(1, 1, 1) { }";
  };
  expect_bad({"P002", tensor("tensor «@»0")});
  expect_bad({"P002", tensor("tensor<f32«>»")});
  expect_bad({"P002", tensor("tensor<f32, «4»>")});
  expect_bad({"P002", tensor("tensor<f32, [«]»>")});
  expect_bad({"P002", tensor("tensor<f32, [4,«]»>")});
  expect_bad({"P002", tensor("tensor<f32, [4«;»]>")});
  expect_bad({"P002", tensor("tensor<f32, [n«]»>")});
  expect_bad({"P002", tensor("tensor<f32, [n = «4»]>")});
  expect_bad({"P002", tensor("tensor<f32, [n = p«]»>")});
  expect_bad({"P002", tensor("tensor<f32, [n = p[«i»]]>")});
  expect_bad({"P002", tensor("tensor<f32, [«-»1]>")});
  expect_bad({"P002", tensor("tensor<f32, [«4u32»]>")});
  expect_bad({"P005", tensor("tensor<f32, [«4294967296»]>")});
  expect_bad({"P006", tensor("tensor<f32, [«f32» = p[0]]>")});
  expect_bad({"P002", tensor("tensor<f32, [4], «[»1]>")});
  expect_bad({"P002", tensor("tensor<f32, [4], strides«>»")});
  expect_bad({"P002", tensor("tensor<f32, [4], strides[«]»>")});
  expect_bad({"P002", tensor("tensor<f32, [4], strides[1]«,» 1>")});
  expect_bad({"P002", tensor("tensor<«tensor»<f32, [4]>, [4]>")});
  expect_bad({"P012", tensor("tensor<«float», [4]>")});
  expect_bad({"P002", "program p(read a: u32«)» workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p(read a: u32 @0 «read» b: u32 @1) workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p(read a: u32 @0,«)» workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p(read a: u32«[»4]) workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p(workgroup a: u32 «@»0) workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p(read a: u32 @«-»1) workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p(read a: u32 @«0u32») workgroup(1, 1, 1) { }"});
  expect_bad({"P005", "program p(read a: u32 @«4294967296») workgroup(1, 1, 1) { }"});
  expect_bad({"P002", "program p() «{» }"});
  expect_bad({"P002", "program p() workgroup(1, 1«)» { }"});
  expect_bad({"P002", "program p() workgroup(1, 1, 1«,» 1) { }"});
  expect_bad({"P016", "program p() workgroup(1, 1, 1) { } «}»"});
  expect_bad({"P016", "program p() workgroup(1, 1, 1) { }\n«program» q() workgroup(1, 1, 1) { }"});
  expect_bad({"P001", "program p() workgroup(1, 1, 1) { } «#»"});
}

TEST(Diagnostics, EndOfFile) {
  expect_bad({"P003", "program«»"});
  expect_bad({"P003", "program p(«» // and no more\n\n"});
  expect_bad({"P003", "program p() workgroup(1, 1, 1) {«»\n"});
  expect_bad({"P003", "program p() workgroup(1, 1, 1) { let x = (1 +«» "});
  expect_bad({"P003", "program p() workgroup(1, 1, 1) { if (x) { }«»"});
  expect_bad({"P003", "program p() workgroup(1, 1, 1) { a.b@1«»"});
}

std::string rendered(const std::string& text) {
  const auto program = parse(text);
  EXPECT_FALSE(program.has_value());
  const Source source("t.vyre", text);
  return program ? "" : render(program.error(), &source);
}

TEST(Diagnostics, Rendered) {
  EXPECT_EQ(
      rendered("program p() workgroup(1, 1, 1) {\n  let x = a + b << c;\n}\n"),
      "t.vyre:2:11: error[P007]: `+` and `<<` are mixed without parentheses\n"
      " 2 |   let x = a + b << c;\n"
      "   |           ^~~~~\n"
      "  help: vyre reads this as (a + b) << c: write so, or put the parentheses where you mean them\n");
  EXPECT_EQ(rendered("program p() workgroup(1, 1, 1) {\n  if (a <\n b < c + 1) { }\n}\n"),
            "t.vyre:3:4: error[P008]: `<` compares the result of `<`\n"
            " 3 |  b < c + 1) { }\n"
            "   |    ^\n"
            "  help: write (a < b) && (b < c + 1), or put parentheses around one comparison\n");
  EXPECT_EQ(rendered("program p() workgroup(1, 1, 1) {\n  atomic_add(b[0], 1);\n}\n"),
            "t.vyre:2:3: error[P011]: an expression is not a statement\n"
            " 2 |   atomic_add(b[0], 1);\n"
            "   |   ^~~~~~~~~~~~~~~~~~~\n"
            "  help: bind its value to a name: let result = atomic_add(b[0], 1);\n");
  EXPECT_EQ(rendered("program p() workgroup(1, 1, 1) {\n  let x = (1 + 2\n"),
            "t.vyre:2:17: error[P003]: the file ends where an operator or `)` should follow\n"
            " 2 |   let x = (1 + 2\n"
            "   |                 ^\n"
            "t.vyre:2:11: note: opened here\n"
            " 2 |   let x = (1 + 2\n"
            "   |           ^\n");
}

TEST(Diagnostics, WordsOfOtherLanguages) {
  // What vyre has in place of each.
  const struct {
    const char *body, *code, *help;
  } kRows[] = {
      {"while (x < 3) { }", "P009", "for i in 0..n"},
      {"if (x) { } elif (y) { }", "P009", "else if ("},
      {"elif x { }", "P002", "else if ("},
      {"break;", "P011", "there is no break"},
      {"continue;", "P011", "there is no continue"},
      {"let x = y ? 1 : 2;", "P001", "select(condition, a, b)"},
      {"for (int i = 0; i < 8; i++) { }", "P002", "for i in 0..8 { }"},
      {"let b: u32 = 1;", "P002", "type of its value"},
      {"return x;", "P002", "out[i] = value"},
      {"let y = sin(x);", "P009", "`fsin`"},
      {"let y = min(a0, b0);", "P009", "primitive.math.min(a, b)"},
      {"let y = max(a0, b0);", "P009", "fmax(a, b)"},
      {"let y = abs(x);", "P009", "fabs(a)"},
      {"let y = get_global_id(0);", "P009", "invocation_id.x"},
      {"fn f(x) { }", "P002", "operation my.foo(a: u32) -> u32 { return a; }"},
      {"def f(x): 1", "P002", "operation my.foo(a: u32) -> u32 { return a; }"},
      {"kernel f() { }", "P002", "an item of the file: program name("},
      {"let y = fma(x, x, x);", "P009", "fmul_add(a, b, c)"},
      {"let y = umax(x, 1);", "P009", "primitive.math.max(a, b)"},
      {"let y = atomicCAS(o[0], 1, 2);", "P009", "atomic_compare_exchange(buffer[i], expected, value)"},
      {"let y = atomic_sub(o[0], 1);", "P009", "atomic_add(buffer[i], -x)"},
      {"let y = cast<vec4f32>(x);", "P012", "vec2u32 and vec4u32, of u32 alone"},
      {"let y = vec4f32(x, x, x, x);", "P009", "vec2u32 and vec4u32, of u32 alone"},
      {"let y = vec2<u32>(1, 2);", "P002", "vec2u32 and vec4u32"},
      {"let y = cast<uint32_t>(x);", "P012", "write u32"},
      {"let y = 1 if c else 2;", "P002", "select(condition, a, b)"},
      {"let y = (1 if c else 2);", "P002", "select(condition, a, b)"},
      {"if i < 3 { }", "P002", "if (a < b) { }"},
      {"if (c) x = 1;", "P002", "braces"},
      {"if (c) { } else x = 1;", "P002", "braces"},
      {"for k in 0..3 x = 1;", "P002", "braces"},
      {"for k in 0..=4 { }", "P002", "0..5 ends with 4"},
      {"for k in range(4) { }", "P009", "for i in 0..4 { }"},
      {"if (c and d) { }", "P002", "a && b"},
      {"if (c or d) { }", "P002", "a || b"},
      {"if (not c) { }", "P002", "!a"},
      {"let y = not (c);", "P009", "!a"},
      {"let y = x ** 2;", "P002", "x * x"},
      {"let y = x >>> 2;", "P002", "write >>"},
      {"let y = x ^^ c;", "P002", "a != b"},
      {"let mut b = 2;", "P002", "let name = value;"},
      {"uint32_t b = 3;", "P002", "let name = value"},
      {"thing b = 3;", "P002", "declare with let b = value;"},
      {"let y = x as f32;", "P002", "cast<f32>(x)"},
      {"let y = (float)x;", "P002", "cast<f32>(x)"},
      {"let y = (f32)x;", "P002", "cast<f32>(...)"},
      {"const N: u32 = 3;", "P002", "const N = 3;"},
      {"let y = [1, 2, 3];", "P002", "a buffer holds"},
      {"barrier();", "P002", "write barrier;"},
      {"goto end;", "P002", "there is no goto"},
      {"workgroup s: u32[64];", "P002", "in the header"},
      {"pass;", "P011", "may be empty"},
      {"let y = 1u;", "P004", "write 1:"},
      {"let y = 0x1fU;", "P004", "write 0x1f:"},
      {"let y = 5UL;", "P004", "write 5:"},
      {"let y = 1.0f;", "P004", "write 1.0:"},
      {"let y = 1f;", "P004", "write 1.0:"},
      {"let y = 1i;", "P004", "write 1i32:"},
      {"let y = a.length;", "P002", "len(buffer)"},
      {"let y = sizeof(a);", "P009", "len(buffer)"},
      {"let y = popc(x);", "P009", "popcount(a)"},
      {"let y = __popc(x);", "P009", "popcount(a)"},
      {"let y = countOneBits(x);", "P009", "popcount(a)"},
      {"let y = x // 2;\n", "P002", "// begins a comment"},
      {"#define N 3\n", "P001", "const N = 3;"},
      {"let y = \"x\";", "P001", "there is no text"},
      {"int x = 1;", "P002", "let name = value"},
      {"i++;", "P002", "name = name + 1"},
      {"i--;", "P002", "name = name + 1"},
      {"++i;", "P002", "name = name + 1"},
      {"i += 1;", "P002", "name = name + value"},
      {"i <<= 1;", "P002", "name = name + value"},
      {"i >>= 1;", "P002", "name = name + value"},
      {"o[0] ^= 1;", "P002", "name = name + value"},
  };
  for (const auto& row : kRows) {
    const auto program = parse(fmt::format("program p() workgroup(1, 1, 1) {{ {} }}", row.body));
    ASSERT_FALSE(program.has_value()) << row.body;
    EXPECT_EQ(diag_info(program.error().code).name, row.code) << row.body;
    EXPECT_THAT(program.error().help, testing::HasSubstr(row.help)) << row.body;
  }
  // A sign apart is no compound assignment, and what nothing is known of gets no such help.
  for (const char* body : {"x + = 1;", "let x = 1 +;", "return\n}", "let x = (1 + 2;"}) {
    const auto program = parse(fmt::format("program p() workgroup(1, 1, 1) {{ {} }}", body));
    ASSERT_FALSE(program.has_value()) << body;
    EXPECT_EQ(program.error().help, "") << body;
  }
}

TEST(Diagnostics, HeadersOfOtherLanguages) {
  // What vyre has in place of each.
  const std::string program = "program p() workgroup(1, 1, 1) { }\n";
  const struct {
    std::string text, code, help;
  } kRows[] = {
      {"fn f() { }", "P002", "operation my.name(a: u32) -> u32 { return a; }"},
      {"def f(x):", "P002", "pipeline name(...)"},
      {program + "fn f() { }", "P016", "operation my.name(a: u32) -> u32 { return a; }"},
      {program + "let x = 1;", "P016", "look for a `}` too many"},
      {program + "}", "P016", "look for a `}` too many"},
      {"#define N 3", "P001", "const N = 3;"},
      {"const N: u32 = 3;", "P002", "a constant has no type: const N = 3;"},
      {"program p(uniform n: u32) workgroup(1, 1, 1) { }", "P002", "uniform n: u32 @0"},
      {"program p(read a: u32 @4, read b: u32) workgroup(1, 1, 1) { }", "P002", "read b: u32 @5"},
      {"program p(read u32 a) workgroup(1, 1, 1) { }", "P006", "name: type @binding"},
      {"program p(read a: vec2<u32> @0) workgroup(1, 1, 1) { }", "P012", "vec2u32"},
      {"program p(read a: float @0) workgroup(1, 1, 1) { }", "P012", "write f32"},
      {"operation my.f(u32 a) -> u32 { return a; }", "P006", "a: u32"},
      {"operation f(a: u32) -> u32 { return a; }", "P002", "my.f"},
      {"operation my.f(a: u32) -> u32 { if (a > 3) { return 1; } return a; }", "P002",
       "one `return expr;`, at its end: use select()"},
      {"pipeline w() { repeat while (y[0]) { } }", "P002", "repeat 100 while (flag[0]) { }"},
      {"pipeline w() { while (y[0]) { } }", "P002", "repeat 100 while (flag[0]) { }"},
      {"pipeline w() { for (;;) { } }", "P002", "repeat 100 while (flag[0]) { }"},
      {"pipeline w() { add(a = a); }", "P002", "dispatch add(...) groups(...);"},
      {"pipeline w() { dispatch f(a: a) groups(1); }", "P002", "parameter = buffer"},
      {"pipeline w() { if n > 1 { } }", "P002", "if (a < b) { }"},
      {"pipeline w() { if (n > 1) run f(); }", "P002", "braces"},
  };
  for (const auto& row : kRows) {
    const auto module = parse_module(row.text);
    ASSERT_FALSE(module.has_value()) << row.text;
    EXPECT_EQ(diag_info(module.error().code).name, row.code) << row.text;
    EXPECT_THAT(module.error().help, testing::HasSubstr(row.help)) << row.text;
  }
}

TEST(Diagnostics, ForeignWordsAreNotReserved) {
  EXPECT_TRUE(
      parse("program fn(read min: u32 @0, read_write global_id: u32 @1) workgroup(1, 1, 1) {\n"
            "  let break = min[0]; let int = break + -1i32; global_id[0] = int--1i32;\n}"));
  for (const ForeignWords& row : kForeignWords) {
    for (const auto part : std::views::split(row.words, ' ')) {
      const std::string_view word(part);
      EXPECT_EQ(find_keyword(word), Keyword::None) << word;
    }
  }
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Diagnostics, InvalidFiles) {
  // Each test/invalid/PNNN-*.vyre names its code, and the line in an `error` directive; each P code of
  // diag.def has a file.
  std::set<std::string> covered;
  for (const auto& entry : std::filesystem::directory_iterator(VYRE_SOURCE_DIR "/test/invalid")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("P")) continue;
    SCOPED_TRACE(name);
    const std::string text = read_file(entry.path());
    const Source source(name, text);
    const auto directives = parse_directives(text);
    covered.insert(name.substr(0, 4));
    if (!directives) {
      EXPECT_EQ(diag_info(directives.error().code).name, name.substr(0, 4));
      EXPECT_TRUE(parse_module(text).has_value());  // to the parser a directive is a comment
      continue;
    }
    const auto module = parse_module(text);
    ASSERT_FALSE(module.has_value());
    EXPECT_EQ(diag_info(module.error().code).name, name.substr(0, 4)) << render(module.error(), &source);
    ASSERT_EQ(directives->errors.size(), 1u);
    EXPECT_EQ(module.error().code, directives->errors[0].code);
    EXPECT_EQ(source.position(module.error().span.begin).line, directives->errors[0].line);
  }
  for (const DiagInfo& info : all_diagnostics()) {
    if (info.name[0] == 'P') EXPECT_TRUE(covered.contains(std::string(info.name))) << info.name;
  }
}

}  // namespace
}  // namespace vyre::text
