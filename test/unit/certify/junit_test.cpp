// JUnit XML: valid for every verdict and for whatever bytes a backend says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "certify/console.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "test/conform/junit.xsd, and XML 1.0, \"Characters\", by xmllint; UTF-8, RFC 3629");

namespace vyre::certify {
namespace {

using testing::HasSubstr;
using testing::Not;
using verify::Fault;
using verify::Verdict;

Verdict family(std::string name, verify::Tally tally) {
  Verdict v;
  v.kind = verify::SubjectKind::Family;
  v.subject = std::move(name);
  v.parity = {{verify::Oracle::ReferenceInterpreter, tally}};
  v.determinism = {4, 4, 0};
  v.canaries = 1;
  v.failure_count = tally.failed + tally.waived;
  for (uint64_t k = 0; k < v.failure_count; ++k) {
    verify::Failure failure;
    failure.token = v.subject + ":program:1:" + std::to_string(k);
    v.failures.push_back(std::move(failure));
  }
  return v;
}

/// Passing, failing, flaky, waived, and with cases that are unsupported, some and all.
Certificate every_standing() {
  Certificate c;
  c.backend = "native";
  c.verdicts = {family("ir.loops", {10, 10, 0}),          family("ir.memory", {10, 10, 2}),
                family("ir.control", {10, 10, 1}),        family("ir.atomics", {10, 10, 0, 3}),
                family("ir.subgroups", {10, 7, 0, 0, 3}), family("ir.subgroups", {10, 0, 0, 0, 10})};
  c.verdicts[5].track = verify::Track::Float;
  c.verdicts[2].failures[0].fault = Fault::Flaky;
  c.waivers = {{"ir.atomics", {}, 3, "tag", "https://example.org/?a=1&b=\"2\"", "2026-12-31"}};
  return c;
}

/// What the schema says of a text: 0 for what is valid.
int validate(const std::string& xml) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "vyre-junit.xml";
  std::ofstream(file, std::ios::binary) << xml;
  const std::string command =
      "xmllint --noout --schema " VYRE_SOURCE_DIR "/test/conform/junit.xsd " + file.string() + " 2>&1";
  const int status = std::system(command.c_str());
  std::filesystem::remove(file);
  return status;
}

TEST(Junit, IsValidForEveryVerdict) {
  const std::string xml = junit(every_standing(), {"native", {}, 1.5});
  EXPECT_EQ(validate(xml), 0) << xml;
  EXPECT_THAT(xml, HasSubstr("tests=\"6\" failures=\"2\" errors=\"0\" skipped=\"2\" time=\"1.500\""));
  EXPECT_THAT(xml, HasSubstr("name=\"ir.loops\" time=\"0.000\"/>"));
  EXPECT_THAT(xml, HasSubstr("type=\"FAILED\""));
  EXPECT_THAT(xml, HasSubstr("type=\"FLAKY\""));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"waived: 3 failures, tag until 2026-12-31: "
                             "https://example.org/?a=1&amp;b=&quot;2&quot;\"/>"));
  EXPECT_THAT(xml, HasSubstr("3 cases are unsupported"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"10 cases are unsupported"));
}

// covers: LV-09
TEST(Junit, APromiseIsACaseOfItsOwn) {
  VYRE_ORACLE(Property, "an engine with a promise that was kept, one that was broken");
  Certificate c;
  c.backend = "native";
  Verdict v = family("engine.sort@1", {10, 10, 0});
  v.kind = verify::SubjectKind::GeneratedEngines;
  v.invariants = {{"Ordered", "records", {8, 8, 0}}, {"Bounded", "guard words", {8, 8, 3}}};
  v.failure_count = 3;
  verify::Failure failure;
  failure.check = verify::Check::Invariant;
  failure.fault = Fault::Invariant;
  failure.oracle = "Bounded";
  failure.token = "engine.sort@1:Bounded-n3:1:2";
  v.failures = {failure};
  c.verdicts = {v};
  const ReportOptions options{"native", {}, 0};
  const std::string xml = junit(c, options);
  EXPECT_EQ(validate(xml), 0) << xml;
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(xml, HasSubstr("name=\"engine.sort@1\" time=\"0.000\"/>"));
  EXPECT_THAT(xml, HasSubstr("name=\"engine.sort@1: Ordered\" time=\"0.000\"/>"));
  EXPECT_THAT(xml,
              HasSubstr("name=\"engine.sort@1: Bounded\" time=\"0.000\">\n    <failure message=\"Bounded: 3 "
                        "of 8 failed\" type=\"PROMISES FAILED\">"));
  EXPECT_THAT(xml, HasSubstr("vyre-conform replay engine.sort@1:Bounded-n3:1:2 --backend native"));
  // As many are kept as the console says.
  EXPECT_THAT(report(c, options), HasSubstr("1 of 2 promises of engines kept"));

  // What is wrong besides is not said of promises, and the other way round.
  failure.check = verify::Check::Parity;
  failure.token = "engine.sort@1:cases:1:7";
  c.verdicts[0].parity[0].tally.failed = 1;
  c.verdicts[0].failures.push_back(failure);
  c.verdicts[0].failure_count = 4;
  const std::string both = junit(c, options);
  EXPECT_THAT(both, HasSubstr("failures=\"2\""));
  EXPECT_LT(both.find("engine.sort@1:cases:1:7"), both.find("engine.sort@1: Ordered"));
  EXPECT_GT(both.find("engine.sort@1:Bounded-n3:1:2"), both.find("engine.sort@1: Bounded"));

  // Waived, both are skipped.
  for (verify::Tally* tally : {&c.verdicts[0].parity[0].tally, &c.verdicts[0].invariants[1].cases})
    tally->waived = std::exchange(tally->failed, 0);
  c.waivers = {{"engine.sort@1", {}, 4, "tag", "https://example.org", "2026-12-31"}};
  EXPECT_THAT(junit(c, options), HasSubstr("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"2\""));
}

/// Of many failures the console shows a few, and one of each promise.
TEST(Junit, TheConsoleHasATokenOfEachPromise) {
  VYRE_ORACLE(Property, "ten failures of one promise, and then one of another");
  Certificate c;
  c.backend = "native";
  Verdict v = family("engine.sort@1", {10, 10, 0});
  v.kind = verify::SubjectKind::GeneratedEngines;
  v.invariants = {{"Ordered", "records", {20, 20, 10}}, {"Bounded", "guard words", {8, 8, 1}}};
  v.failure_count = 11;
  for (int k = 0; k < 11; ++k) {
    verify::Failure failure;
    failure.check = verify::Check::Invariant;
    failure.oracle = k < 10 ? "Ordered" : "Bounded";
    failure.token = "engine.sort@1:" + failure.oracle + ":1:" + std::to_string(k);
    v.failures.push_back(std::move(failure));
  }
  c.verdicts = {v};
  const std::string text = report(c, {"native", {}, 0});
  EXPECT_THAT(text, HasSubstr("engine.sort@1:Ordered:1:3"));
  EXPECT_THAT(text, Not(HasSubstr("engine.sort@1:Ordered:1:4")));
  EXPECT_THAT(text, HasSubstr("engine.sort@1:Bounded:1:10"));
  EXPECT_THAT(text, HasSubstr("and 6 more, in the certificate (--out)"));
}

TEST(Junit, TheSchemaRefusesWhatIsNone) {
  VYRE_ORACLE(Property, "a schema that takes everything would show nothing");
  const std::string good = junit(every_standing(), {"native", {}, 0});
  ASSERT_EQ(validate(good), 0);
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_NE(validate(changed("tests=\"6\"", "tests=\"six\"")), 0);
  EXPECT_NE(validate(changed("classname=\"family\" ", "")), 0);
  EXPECT_NE(validate(changed("ir.memory", "ir.loops")), 0);
  EXPECT_NE(validate(changed("<skipped ", "<waived ")), 0);
  EXPECT_NE(validate(changed("</testsuite>", "")), 0);
}

TEST(Junit, WhateverABackendSaysIsXml) {
  const std::string hostile[] = {
      "\"quotes\" 'and' <tags> & ]]> <![CDATA[ <!-- &amp; &#0;",
      std::string("\0\x01\x08\x0b\x0c\x0e\x1f\x7f", 8),
      "\t\r\n",
      "\xff\xfe\x80 \xc0\xaf \xe0\x80\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xc3",  // no UTF-8
      "\xef\xbf\xbe \xef\xbf\xbf",  // U+FFFE, U+FFFF: no characters
      "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
  };
  for (const std::string& bytes : hostile) {
    Certificate c = every_standing();
    c.backend = "b" + bytes;
    for (Verdict& v : c.verdicts) {
      v.subject += bytes;
      for (verify::Failure& f : v.failures) f.note = f.oracle = f.token = bytes;
    }
    c.waivers[0].subject += bytes;
    c.waivers[0].tag = bytes;
    c.verdicts[1].error = "B003: " + bytes;
    const std::string xml = junit(c, {bytes, {}, 0});
    EXPECT_EQ(validate(xml), 0) << xml;
  }
  Certificate c = every_standing();
  c.verdicts[1].failures[0].note =
      "a\x01"
      "b \xc3\xa9 \xc3";
  const std::string xml = junit(c, {"native", {}, 0});
  EXPECT_THAT(xml, HasSubstr("a\xef\xbf\xbd"
                             "b \xc3\xa9 \xef\xbf\xbd"));
}

}  // namespace
}  // namespace vyre::certify
