// The test directives of .vyre files.
#include <gtest/gtest.h>

#include "oracle.h"
#include "text/directives.h"

VYRE_ORACLE(SpecificationTable,
            "text-format, \"Tests in files\", oracles, \"The oracle declaration\", and explain P017 and "
            "C017; written by hand");

namespace vyre::text {
namespace {

TEST(Directives, RunsAndErrors) {
  const auto found = parse_directives(
      "program p() workgroup(1, 1, 1) {  // no directive\n"
      "  barrier; // error: V010\n"
      "  x = y;   //error:V003 V004, V001 // why\n"
      "}\n"
      "// run: a=[1, 0xff,-3] b = [ ] groups=[2,1,3] => out=[true] z=[]  // the reason\r\n"
      "// run: => out=[1]");
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->errors.size(), 4u);
  EXPECT_EQ(found->errors[0].line, 2u);
  EXPECT_EQ(found->errors[0].code, DiagCode::V010);
  EXPECT_EQ(found->errors[1].line, 3u);
  EXPECT_EQ(found->errors[1].code, DiagCode::V003);
  EXPECT_EQ(found->errors[2].code, DiagCode::V004);
  EXPECT_EQ(found->errors[3].code, DiagCode::V001);
  ASSERT_EQ(found->runs.size(), 2u);
  const RunDirective& run = found->runs[0];
  EXPECT_EQ(run.line, 5u);
  ASSERT_EQ(run.inputs.size(), 2u);
  EXPECT_EQ(run.inputs[0].name, "a");
  EXPECT_EQ(run.inputs[0].values, (std::vector<std::string>{"1", "0xff", "-3"}));
  EXPECT_EQ(run.inputs[1].name, "b");
  EXPECT_TRUE(run.inputs[1].values.empty());
  EXPECT_EQ(run.groups, (std::array<uint32_t, 3>{2, 1, 3}));
  ASSERT_EQ(run.outputs.size(), 2u);
  EXPECT_EQ(run.outputs[0].name, "out");
  EXPECT_EQ(run.outputs[0].values, std::vector<std::string>{"true"});
  EXPECT_EQ(run.outputs[1].name, "z");
  EXPECT_EQ(found->runs[1].groups, (std::array<uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(found->runs[1].line, 6u);
}

TEST(Directives, EntriesConstantsAndSubgroups) {
  const auto found = parse_directives(
      "// run: entry=main W=64 a=[1] groups=[1] H=0x20 => out=[2]\n// run: => out=[2]\n// subgroup: 8\n");
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->runs.size(), 2u);
  const RunDirective& run = found->runs[0];
  EXPECT_EQ(run.entry, "main");
  EXPECT_EQ(run.constants, (std::map<std::string, uint32_t, std::less<>>{{"W", 64}, {"H", 32}}));
  ASSERT_EQ(run.inputs.size(), 1u);
  EXPECT_TRUE(run.groups_given);
  EXPECT_FALSE(run.as_written());
  EXPECT_FALSE(found->runs[1].groups_given);
  EXPECT_TRUE(found->runs[1].as_written());
  EXPECT_EQ(found->subgroup_size, 8u);
}

TEST(Directives, Vectors) {
  const auto found = parse_directives("// run: v=[(1,0x2), ( 3 , -4 )] f=[1e+30,-inf] => w=[ (1,2,3,4) ]");
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->runs.size(), 1u);
  ASSERT_EQ(found->runs[0].inputs.size(), 2u);
  EXPECT_EQ(found->runs[0].inputs[0].values, (std::vector<std::string>{"(1,0x2)", "(3,-4)"}));
  EXPECT_EQ(found->runs[0].inputs[1].values, (std::vector<std::string>{"1e+30", "-inf"}));
  EXPECT_EQ(found->runs[0].outputs[0].values, std::vector<std::string>{"(1,2,3,4)"});
}

TEST(Directives, Oracles) {
  const auto found = parse_directives(
      "// run: => out=[1]\n  //oracle:  specification table , semantics, \"Memory\"  // why\n");
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_TRUE(found->oracle);
  EXPECT_EQ(found->oracle->oracle, spec::Oracle::SpecificationTable);
  EXPECT_EQ(found->oracle->defined, "semantics, \"Memory\"");
  EXPECT_EQ(found->oracle->line, 2u);
  EXPECT_TRUE(check_oracle(*found));
}

TEST(Directives, OraclesThatAreRefused) {
  for (const char* text : {"// oracle: measured, somewhere", "// oracle: specification table",
                           "// oracle:", "// oracle: law, a\n// oracle: law, b"}) {
    const auto found = parse_directives(text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, DiagCode::P017) << text;
  }
  // Nothing declared, and what was copied from an evaluator: values in a file are rows.
  for (const char* text :
       {"", "// oracle: reference interpreter, ref/", "// oracle: cpu reference function, C++",
        "// oracle: property, it runs", "// oracle: composition theorem, some"}) {
    const auto found = parse_directives(std::string("// run: => out=[1]\n") + text);
    ASSERT_TRUE(found) << text;
    const auto checked = check_oracle(*found);
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().code, DiagCode::C017) << text;
    EXPECT_FALSE(checked.error().help.empty());
  }
  EXPECT_TRUE(check_oracle(*parse_directives("// run: => out=[1]\n// oracle: external corpus, FIPS 180-4")));
  EXPECT_TRUE(check_oracle(*parse_directives("// a program without runs")));
}

TEST(Directives, Malformed) {
  // The place of the fault, marked by hand with ^.
  const std::string kBad[] = {
      "// run: a=[1]^",
      "// run: a=[1] =>^",
      "// run: a=^x => b=[1]",
      "// run: a= ^=> b=[1]",
      "// run: a=1 ^a=2 => b=[1]",
      "// run: entry=main ^entry=other => b=[1]",
      "// run: W=^4294967296 => b=[1]",
      "// run: W=^64u64 => b=[1]",
      "// run: a=[1] => b=^1",
      "// subgroup: ^four",
      "// subgroup: ^0",
      "// subgroup: ^4 8",
      "// run: a=[1 ^2] => b=[1]",
      "// run: a=[1,^] => b=[1]",
      "// run: a=[1 ^=> b=[1]",
      "// run: a=[(^)] => b=[1]",
      "// run: a=[(1,^)] => b=[1]",
      "// run: a=[(1 ^2)] => b=[1]",
      "// run: a=[(1,2^] => b=[1]",
      "// run: a=[(^(1,2),3)] => b=[1]",
      "// run: a=[(1,2) ^(3,4)] => b=[1]",
      "// run: a ^[1] => b=[1]",
      "// run: a=[1] => b=[1] ^; x",
      "// run: groups=[1] a=[1] ^a=[1] => b=[1]",
      "// run: ^groups=[] => b=[1]",
      "// run: ^groups=[1,1,1,1] => b=[1]",
      "// run: ^groups=[x] => b=[1]",
      "// run: ^groups=[-1] => b=[1]",
      "// run: ^groups=[4294967296] => b=[1]",
      "// error:^",
      "// error: ^V999",
      "// error: V010 ^because",
      "// error: ^(V010)",
  };
  for (std::string text : kBad) {
    const size_t place = text.find('^');
    ASSERT_NE(place, std::string::npos) << text;
    text.erase(place, 1);
    const auto found = parse_directives("x\n" + text + "\n");
    ASSERT_FALSE(found.has_value()) << text;
    EXPECT_EQ(found.error().code, DiagCode::P017);
    EXPECT_EQ(found.error().span.begin, place + 2) << text << ": " << found.error().message;
  }
}

TEST(Directives, NearOnesAreFound) {
  for (const auto& [text, meant] : std::vector<std::pair<std::string, std::string>>{
           {"// runs: a=[1] => out=[1]", "run"},
           {"//Run: a=[1] => out=[1]", "run"},
           {"// run : a=[1] => out=[1]", "run"},
           {"// run a=[1] => out=[1]", "run"},
           {"a[0] = b;  // errors: V010", "error"},
           {"// Error: V010, V011", "error"},
           {"// oracles: specification table, by hand", "oracle"},
           {"// subgroups: 4", "subgroup"}}) {
    const Diagnostics found = near_directives("x\n" + text + "\n");
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(found[0].code, DiagCode::P017);
    EXPECT_EQ(found[0].help, "write // " + meant + ": if it is meant as one");
    const size_t comment = 2 + text.find("//") + 2;
    EXPECT_EQ(found[0].span.begin, comment + (("x\n" + text)[comment] == ' ')) << text;
    const auto parsed = parse_directives(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_TRUE(parsed->runs.empty() && parsed->errors.empty() && !parsed->oracle) << text;
  }
  for (const std::string_view text :
       {"// run: a=[1] => out=[1]", "//run: a=[1] => out=[1]", "// error: V010", "// subgroup: 4",
        "// oracle: specification table, by hand", "// Run: it gives out=[1]", "// runs of a",
        "// errors: none", "// a run: of things, x => y", "//", "// ", "// trap: a=[1] => out=[1]",
        "// subgroups: four"}) {
    EXPECT_TRUE(near_directives(text).empty()) << text;
  }
}

TEST(Directives, OtherCommentsAreNone) {
  const auto found =
      parse_directives("// a run: of things\n// running: x\n// errors\n//// error: V010\n/ / error: x\n");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->runs.empty());
  EXPECT_TRUE(found->errors.empty());
}

}  // namespace
}  // namespace vyre::text
