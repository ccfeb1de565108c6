// What bad texts get: the code, the position and the words.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "oracle.h"
#include "text/directives.h"
#include "text/text.h"

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
  VYRE_ORACLE(SpecificationTable, "the codes of diag.def; positions marked by hand");
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
  VYRE_ORACLE(SpecificationTable, "diag.def; positions marked by hand");
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
  VYRE_ORACLE(SpecificationTable, "diag.def; positions marked by hand");
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
  VYRE_ORACLE(SpecificationTable, "written by hand");
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

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Diagnostics, InvalidFiles) {
  VYRE_ORACLE(SpecificationTable,
              "each test/invalid/PNNN-*.vyre names its code, and the line in an `error` directive; each P "
              "code of diag.def has a file");
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
      EXPECT_TRUE(parse(text).has_value());  // to the parser a directive is a comment
      continue;
    }
    const auto program = parse(text);
    ASSERT_FALSE(program.has_value());
    EXPECT_EQ(diag_info(program.error().code).name, name.substr(0, 4)) << render(program.error(), &source);
    ASSERT_EQ(directives->errors.size(), 1u);
    EXPECT_EQ(program.error().code, directives->errors[0].code);
    EXPECT_EQ(source.position(program.error().span.begin).line, directives->errors[0].line);
  }
  for (const DiagInfo& info : all_diagnostics()) {
    if (info.name[0] == 'P') EXPECT_TRUE(covered.contains(std::string(info.name))) << info.name;
  }
}

}  // namespace
}  // namespace vyre::text
