// Failing cases as text, cases as programs, and failures by cause.
#include "suite/failing_case.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "oracle.h"
#include "suite/causes.h"
#include "suite/emit.h"
#include "suite/minimise.h"
#include "suite/replay.h"
#include "text/text.h"
#include "verify/families.h"

VYRE_ORACLE(
    SpecificationTable,
    "docs/failures.md, explain C003 and IEEE 754; which operators run and what failures share, by hand");

namespace vyre::suite {
namespace {

using testing::HasSubstr;

/// The case of a token with what the reference gives.
FailingCase case_of(std::string_view token) {
  const auto reference = backend::make_reference();
  auto failing = failing_case_of(token, *reference);
  if (!failing) throw std::runtime_error(failing.error().message);
  return std::move(*failing);
}

TEST(FailingCases, ReadBackAsTheyWereWritten) {
  VYRE_ORACLE(Property, "the identity of print and parse, on cases of every element type and kind of token");
  for (const std::string token :
       {"primitive.math.add@1:operands:0:0x1,0x2", "primitive.math.add@1:law:0:0x1,0x2",
        "float.f16.mul@1:edge256:1:777", "ir.operators/add.u128:operands:0:0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8",
        "ir.select/select.bool.vec2u32:operands:0:0x1,0x2,0x3,0x4,0x5", "ir.memory:program:1:5",
        "ir.barriers:program:42:3", "ir.programs:program:1:5", "law.twins:program:1:0"}) {
    FailingCase failing = case_of(token);
    failing.story.fault = "wrong value";
    failing.story.history = {"ir.programs:program:1:6", "ir.programs:program:1:7"};
    failing.story.note = "the first line\nrun: the second line, error: V010";
    failing.story.subgroup = 32;
    const std::string text = print(failing);
    const auto back = parse_failing_case(text);
    ASSERT_TRUE(back.has_value()) << back.error().message << "\n" << text;
    EXPECT_EQ(back->story, failing.story) << text;
    EXPECT_EQ(back->program.has_value(), failing.program.has_value());
    EXPECT_EQ(back->expected, failing.expected) << text;
    if (failing.program) {
      EXPECT_TRUE(ir::equal(back->program->program, failing.program->program)) << text;
      EXPECT_EQ(back->program->buffers, failing.program->buffers) << text;
      EXPECT_EQ(back->program->groups, failing.program->groups);
    }
    EXPECT_EQ(file_name(*back), file_name(failing));
  }
}

TEST(FailingCases, NamesFollowFromWhatRuns) {
  FailingCase one = case_of("primitive.math.add@1:operands:0:0x1,0x2");
  FailingCase other = one;
  other.story.driver = "another";
  other.story.token = "primitive.math.add@1:random:1:1";
  EXPECT_EQ(file_name(one), file_name(other));
  other.expected.back()[0] ^= std::byte{1};
  EXPECT_NE(file_name(one), file_name(other));
  EXPECT_THAT(file_name(one), testing::MatchesRegex("primitive\\.math\\.add-1-[0-9a-f]{12}\\.vyre"));
  EXPECT_THAT(file_name(case_of("law.twins:program:1:0")), testing::EndsWith(".case"));
}

TEST(CaseProgram, LawsStoreTheirSides) {
  const FailingCase law = case_of("primitive.math.add@1:law:0:0x1,0x2");
  EXPECT_EQ(to_words(law.expected.back()), (std::vector<uint32_t>{3, 3}));
  const auto no_law = failing_case_of("primitive.math.add@1:law:1000:0x1,0x2", *backend::make_reference());
  ASSERT_FALSE(no_law.has_value());
  EXPECT_EQ(no_law.error().code, DiagCode::C003);
}

TEST(Emitting, WhatIsNoProgramIsRefused) {
  // docs/failures.md: planted-false laws are no programs (C003).
  for (const FormatInfo& format : kFormats) {
    const auto text = emit(case_of("law.twins:program:1:0"), format.format);
    ASSERT_FALSE(text.has_value()) << format.text;
    EXPECT_EQ(text.error().code, DiagCode::C003);
  }
}

/// A failure of an operation or of one subject of a family, at operands.
Found found_at(const std::string& subject, const std::string& token, verify::Fault fault,
               uint32_t wrong_bits) {
  Found out{.subject = subject, .failure = {}, .failing = case_of(token), .actual = {}};
  out.failure.token = token;
  out.failure.fault = fault;
  out.failure.expected = {0};
  out.failure.actual = {wrong_bits};
  return out;
}
verify::Verdict verdict_of(const std::string& subject, verify::SubjectKind kind,
                           std::span<const Found> found) {
  verify::Verdict out;
  out.kind = kind;
  out.subject = subject;
  for (const Found& one : found) {
    if (one.subject == subject) out.failures.push_back(one.failure);
  }
  out.failure_count = out.failures.size();
  return out;
}

TEST(FailingCases, ValuesAreShownByTheirTypes) {
  const auto subjects = verify::elementwise_subjects(verify::Family::Operators, verify::Track::Float);
  const auto adds = std::ranges::find_if(subjects, [](const verify::Subject& s) {
    const auto& in = s.application.inputs;
    return in == std::vector{spec::DataType::F32, spec::DataType::F32} &&
           s.application.output == spec::DataType::F32;
  });
  ASSERT_NE(adds, subjects.end());
  verify::Failure failure;
  failure.token = verify::print({adds->name, "random", 1, 7, {}});
  failure.input = {0x3fc00000, 0x40000000};
  failure.expected = {0x40600000};
  failure.actual = {0x80000000};
  const certify::ValueTexts texts = value_texts(failure);
  EXPECT_EQ(texts.input, "0x3fc00000 (1.5), 0x40000000 (2)");
  EXPECT_EQ(texts.expected, "0x40600000 (3.5)");
  EXPECT_EQ(texts.actual, "0x80000000 (-0)");
  const certify::ReportOptions typed{.backend = "native", .values = value_texts};
  EXPECT_NE(certify::describe(failure, adds->name, typed).find("input     0x3fc00000 (1.5), "),
            std::string::npos);
  EXPECT_NE(certify::describe(failure, adds->name, {.backend = "native"}).find("(1069547520)"),
            std::string::npos);
  // Words whose type is not known.
  failure.token = "nobody.knows@1:random:1:7";
  EXPECT_EQ(value_texts(failure).actual, "0x80000000 (2147483648, as i32 -2147483648)");
}

TEST(Causes, AnOperatorIsTheCauseWhereverItRuns) {
  // `/` of u32 runs in both, `<` and `+` also where all passes.
  using enum verify::SubjectKind;
  const std::vector<Found> found = {
      found_at("ir.operators", "ir.operators/div.u32:operands:0:0x7,0x2", verify::Fault::WrongValue, 6),
      found_at("primitive.math.div@1", "primitive.math.div@1:operands:0:0x9,0x2", verify::Fault::WrongValue,
               5),
      found_at("primitive.math.add@1", "primitive.math.add@1:operands:0:0x1,0x1", verify::Fault::Crashed, 0)};
  const std::vector<verify::Verdict> verdicts = {verdict_of("primitive.math.add@1", Operation, found),
                                                 verdict_of("primitive.math.div@1", Operation, found),
                                                 verdict_of("primitive.math.sub@1", Operation, found),
                                                 verdict_of("ir.operators", Family, found)};
  const std::vector<Cause> causes = find_causes(found, verdicts);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].trait, "`/` of u32");
  EXPECT_EQ(causes[0].failures, 2u);
  EXPECT_EQ(causes[1].fault, "crashed");
  const std::string screen =
      first_screen(found, causes, "./my lib.so", [](const FailingCase&) { return std::string(); });
  EXPECT_THAT(screen, HasSubstr("FAILED: 3 failures, 2 causes\n"));
  EXPECT_THAT(
      screen,
      HasSubstr("vyre-conform replay ir.operators/div.u32:operands:0:0x7,0x2 --backend './my lib.so'\n"));
  EXPECT_LE(size_t(std::ranges::count(screen, '\n')), kScreenLines);
}

TEST(Causes, WhatTooLittleHasRunToClearIsNamedToo) {
  // One failure, in which `-` of i32 and `>>` of i32 run, and no more.
  auto program = text::parse(
      "program p(read a: i32 @0, read_write out: i32 @1) workgroup(1, 1, 1) { out[0] = -a[0] >> 1; }");
  ASSERT_TRUE(program);
  Found one =
      found_at("ir.operators", "primitive.math.add@1:operands:0:0x1,0x1", verify::Fault::WrongValue, 6);
  one.failing.program->program = std::move(*program);
  one.failing.program->buffers.resize(2);  // as many as that program binds
  one.failing.expected.resize(2);
  const std::vector<Found> found = {one};
  const std::vector<verify::Verdict> verdicts = {
      verdict_of("ir.operators", verify::SubjectKind::Family, found)};
  const std::vector<Cause> causes = find_causes(found, verdicts);
  ASSERT_EQ(causes.size(), 1u);
  const std::string screen =
      first_screen(found, causes, "mine", [](const FailingCase&) { return std::string("x.vyre"); });
  EXPECT_THAT(screen, HasSubstr("\n1. wrong value, `negate` of i32 or `>>` of i32: 1 failure"));
}

TEST(Causes, OneMessageIsOneCauseWhateverRuns) {
  // Three operations share no operator, and two of them were refused with one message but for its numbers.
  const std::string said =
      "no registers left in this unit of the device, and no place to spill them to: 300 wanted";
  std::vector<Found> found;
  std::vector<verify::Verdict> verdicts;
  for (const auto& [name, note] : {std::pair<std::string, std::string>{"mul", "wraps\n" + said},
                                   {"div", said.substr(0, said.find("300")) + "17 wanted"},
                                   {"sub", "another word"}}) {
    const std::string subject = "primitive.math." + name + "@1";
    found.push_back(found_at(subject, subject + ":operands:0:0x5,0x3", verify::Fault::Refused, 0));
    found.back().failing.story.note = note;
    verdicts.push_back(verdict_of(subject, verify::SubjectKind::Operation, found));
  }
  const std::vector<Cause> causes = find_causes(found, verdicts);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].subjects.size(), 2u);
  EXPECT_THAT(causes[0].message,
              testing::MatchesRegex("no registers left .* spill them to: (300|17) wanted"));
  EXPECT_EQ(causes[1].message, "");
  const std::string screen =
      first_screen(found, causes, "mine", [](const FailingCase&) { return std::string(); });
  EXPECT_THAT(screen,
              HasSubstr("\n1. no registers left in this unit of the device, and no plac... (refused): 2 "
                        "failures in 2 subjects"));
}

TEST(Causes, WhatCouldNotBeJudgedSaysWhy) {
  // Three subjects, of which two ended with one message.
  std::vector<verify::Verdict> verdicts(3);
  EXPECT_EQ(unjudged(verdicts), "");
  verdicts[0].error = verdicts[2].error = "B011: it does not come back";
  EXPECT_EQ(
      unjudged(verdicts),
      "FAILED: 2 subjects ended before they were judged\n1. B011: it does not come back (2 subjects)\n");
}

TEST(Causes, AWrongBitEverywhereIsOneCause) {
  std::vector<Found> found;
  std::vector<verify::Verdict> verdicts;
  for (const std::string name : {"add", "sub", "mul", "min", "max", "div", "mod", "gcd", "lcm", "abs_diff"}) {
    const std::string subject = "primitive.math." + name + "@1";
    found.push_back(found_at(subject, subject + ":operands:0:0x5,0x3", verify::Fault::WrongValue, 0x80));
    verdicts.push_back(verdict_of(subject, verify::SubjectKind::Operation, found));
    verdicts.back().failure_count = 1000;
  }
  const std::vector<Cause> causes = find_causes(found, verdicts);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].trait, "bit 7 wrong");
  EXPECT_EQ(causes[0].subjects.size(), 10u);
  EXPECT_EQ(causes[0].failures, 10'000u);
}

}  // namespace
}  // namespace vyre::suite
