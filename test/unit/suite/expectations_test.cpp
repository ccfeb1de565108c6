// Expectations: a strict file, and what it waives.
#include "suite/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "docs/expectations.md, and the Gregorian calendar");

namespace vyre::suite {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using verify::Fault;

constexpr Day kDay = 2026y / 11 / 22;
const std::vector<std::string> kSubjects = {"primitive.math.add@1", "primitive.math.sub@1", "ir.atomics",
                                            "ir.loops"};
constexpr std::string_view kWhole = R"([[failure]]
subject = "ir.atomics"
tag = "atomics"
link = "https://example.org/1"
expires = 2026-12-31
)";

Result<std::vector<Expectation>> parsed(std::string_view text) {
  return parse_expectations(Source("known.toml", std::string(text)), kSubjects);
}
std::string refusal(const std::string& text) {
  const Source source("known.toml", text);
  const auto read = parse_expectations(source, kSubjects);
  return read ? "accepted" : render(read.error(), &source);
}
/// The whole entry with a line instead of another one.
std::string with(std::string_view key, std::string_view line) {
  std::string text(kWhole);
  const size_t at = text.find(key);
  return text.replace(at, text.find('\n', at) - at, line);
}

TEST(Expectations, AreReadWhole) {
  const auto read = parsed(std::string("# why\n") + std::string(kWhole) + R"(
[[failure]]
subject = "primitive.math.*"
oracle = "cpu*"
fault = "wrong value"
token = "primitive.math.add@1:random:1:7"
tag = "t"
link = "http://example.org/2"
expires = 2027-01-01
)");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  const Expectation& one = read->at(0);
  EXPECT_EQ(one.subject, "ir.atomics");
  EXPECT_EQ(one.tag, "atomics");
  EXPECT_EQ(one.link, "https://example.org/1");
  EXPECT_EQ(one.expires, 2026y / 12 / 31);
  EXPECT_EQ(one.line, 2u);
  EXPECT_TRUE(one.covers_all());
  const Expectation& other = read->at(1);
  EXPECT_EQ(other.oracle, "cpu*");
  EXPECT_EQ(other.fault, Fault::WrongValue);
  EXPECT_EQ(other.token, "primitive.math.add@1:random:1:7");
  EXPECT_EQ(other.line, 8u);
  EXPECT_FALSE(other.covers_all());
  EXPECT_THAT(*parsed("# nothing is expected\n"), IsEmpty());
}

TEST(Expectations, WhatIsWrongIsNamedWithItsLine) {
  struct Row {
    std::string text, place, message;
  };
  const Row rows[] = {
      {"[[failure]\n", "known.toml:1:", "error[C015]"},
      {"subject = 1\n", "known.toml:1:1:", "'subject' is no list of expectations"},
      {"[failure]\n", "known.toml:1:", "'failure' is no list of expectations"},
      {"failure = [1]\n", "known.toml:1:", "'failure' is no list of expectations"},
      {std::string(kWhole) + "issue = \"x\"\n", "known.toml:6:1:", "an expectation has no 'issue'"},
      {std::string(kWhole) + "tokens = \"x\"\n", "known.toml:6:1:", "did you mean `token`?"},
      {std::string(kWhole) + "tag = \"again\"\n", "known.toml:6:", "error[C015]"},
      {with("subject", ""), "known.toml:1:", "the expectation has no 'subject'"},
      {with("tag", ""), "known.toml:1:", "the expectation has no 'tag'"},
      {with("link", ""), "known.toml:1:", "the expectation has no 'link'"},
      {with("expires", ""), "known.toml:1:", "the expectation has no 'expires'"},
      {with("tag", "tag = \"\""), "known.toml:3:7:", "'tag' wants a text in quotes"},
      {with("tag", "tag = 7"), "known.toml:3:7:", "'tag' wants a text in quotes"},
      {with("link", "link = \"#12\""), "known.toml:4:8:", "'link' is '#12'"},
      {with("link", "link = \"https://\""), "known.toml:4:8:", "wants an address"},
      {with("expires", "expires = \"2026-12-31\""), "known.toml:5:11:", "wants a day without quotes"},
      {with("expires", "expires = 2026-02-30"), "known.toml:5:", "error[C015]"},
      {with("expires", "expires = 2026-12-31T00:00:00Z"), "known.toml:5:11:", "wants a day"},
      {with("tag", "tag = \"t\"\nfault = \"flaky\""), "known.toml:4:9:", "cannot be expected"},
      {with("tag", "tag = \"t\"\nfault = \"wrong\""), "known.toml:4:9:", "which is no fault"},
      {with("subject", "subject = \"ir.atomic\""), "known.toml:2:11:", "did you mean `ir.atomics`?"},
      {with("subject", "subject = \"nothing.*\""), "known.toml:2:11: error[C004]",
       "no subject of the registry matches 'nothing.*'"},
  };
  for (const Row& row : rows) {
    const std::string said = refusal(row.text);
    EXPECT_THAT(said, testing::StartsWith(row.place)) << row.text;
    EXPECT_THAT(said, HasSubstr(row.message)) << row.text;
  }
  EXPECT_EQ(refusal(std::string(kWhole)), "accepted");
}

/// A certificate of one family with failures.
certify::Certificate failing(uint64_t count, std::vector<verify::Failure> kept) {
  verify::Verdict v;
  v.kind = verify::SubjectKind::Family;
  v.subject = "ir.atomics";
  v.parity = {{verify::Oracle::ReferenceInterpreter, {100, 100, count}}};
  v.determinism = {10, 10, 0};
  v.canaries = 1;
  v.failure_count = count;
  v.failures = std::move(kept);
  certify::Certificate c;
  c.verdicts = {v};
  return c;
}
verify::Failure failure(std::string token, Fault fault = Fault::WrongValue) {
  verify::Failure out;
  out.oracle = "reference interpreter";
  out.token = std::move(token);
  out.fault = fault;
  return out;
}
Expectation expectation(std::string tag = "t") {
  return {"ir.*", "", {}, "", std::move(tag), "https://example.org/1", 2026y / 12 / 31, 1};
}

TEST(Expectations, WaiveWhenEveryFailureIsCovered) {
  std::vector<Expectation> two = {expectation("first"), expectation("second")};
  two[0].token = "a";
  two[1].fault = Fault::Crashed;
  auto c = failing(3, {failure("a"), failure("b", Fault::Crashed), failure("c", Fault::Crashed)});
  EXPECT_THAT(apply(two, kDay, c), IsEmpty());
  const certify::Waiver first{"ir.atomics", {}, 1, "first", "https://example.org/1", "2026-12-31"};
  const certify::Waiver second{"ir.atomics", {}, 2, "second", "https://example.org/1", "2026-12-31"};
  EXPECT_THAT(c.waivers, ElementsAre(first, second));
  EXPECT_EQ(c.verdicts[0].parity[0].tally, (verify::Tally{100, 100, 0, 3, 0}));
  EXPECT_EQ(c.verdicts[0].failure_count, 3u);
  EXPECT_TRUE(certify::is_waived(c, c.verdicts[0]));
}

TEST(Expectations, ANewFailureBesideAnOldOneIsNotWaived) {
  Expectation narrow = expectation();
  narrow.token = "a";
  const std::vector<Expectation> one = {narrow};
  for (auto c : {failing(2, {failure("a"), failure("b")}),  // another case
                 failing(17, {failure("a")})}) {            // which the others are is not known
    const auto before = c;
    EXPECT_THAT(apply(one, kDay, c), ElementsAre(HasSubstr("not all of its failures are expected")));
    EXPECT_EQ(c, before);
  }
  Expectation wide = expectation();
  auto many = failing(17, {failure("a")});
  EXPECT_THAT(apply(std::vector{wide}, kDay, many), IsEmpty());
  EXPECT_THAT(many.waivers, ElementsAre(testing::Field(&certify::Waiver::failures, 17u)));
}

TEST(Expectations, FlakyIsNotWaived) {
  auto c = failing(2, {failure("a"), failure("b", Fault::Flaky)});
  const auto before = c;
  EXPECT_THAT(apply(std::vector{expectation()}, kDay, c), ElementsAre(HasSubstr("flaky")));
  EXPECT_EQ(c, before);
  auto brothers = failing(1, {failure("a", Fault::OrderDependent)});
  EXPECT_THAT(apply(std::vector{expectation()}, kDay, brothers), IsEmpty());
  EXPECT_EQ(brothers.waivers.size(), 1u);
}

TEST(Expectations, WaiveThroughTheirLastDay) {
  auto on = failing(1, {failure("a")});
  EXPECT_THAT(apply(std::vector{expectation()}, 2026y / 12 / 31, on), IsEmpty());
  EXPECT_EQ(on.waivers.size(), 1u);
  auto after = failing(1, {failure("a")});
  EXPECT_THAT(apply(std::vector{expectation()}, 2027y / 1 / 1, after),
              ElementsAre(HasSubstr("line 1: ir.* (t, https://example.org/1) expired on 2026-12-31")));
  EXPECT_THAT(after.waivers, IsEmpty());
}

TEST(Expectations, WaiveAKeptCaseThatFailsAgainByItsStory) {
  const auto read = parsed(with("tag", R"(fault = "wrong value"
oracle = "reference*"
token = "ir.atomics:program:1:7"
tag = "t")"));
  ASSERT_TRUE(read) << read.error().message;
  Story story;
  story.subject = "ir.atomics";
  story.fault = "wrong value";
  story.found_by = "parity, by reference interpreter";
  story.token = "ir.atomics:program:1:7";
  EXPECT_TRUE(waives(*read, kDay, story));
  EXPECT_TRUE(waives(*read, 2026y / 12 / 31, story));
  EXPECT_FALSE(waives(*read, 2027y / 1 / 1, story));
  EXPECT_FALSE(waives({}, kDay, story));
  using Member = std::string Story::*;
  struct Row {
    Member member;
    const char* other;
  };
  for (const Row row :
       {Row{&Story::subject, "ir.loops"}, Row{&Story::fault, "crashed"}, Row{&Story::fault, "flaky"},
        Row{&Story::fault, ""}, Row{&Story::found_by, "law, by Commutative"}, Row{&Story::found_by, ""},
        Row{&Story::token, "ir.atomics:program:1:8"}}) {
    Story other = story;
    other.*row.member = row.other;
    EXPECT_FALSE(waives(*read, kDay, other)) << row.other;
  }
}

TEST(Expectations, AnUnexpectedPassIsReported) {
  auto passing = failing(0, {});
  EXPECT_THAT(apply(std::vector{expectation()}, kDay, passing), ElementsAre(HasSubstr("take it out")));
  Expectation elsewhere = expectation();
  elsewhere.subject = "primitive.*";  // was not selected
  EXPECT_THAT(apply(std::vector{elsewhere}, kDay, passing), IsEmpty());
}

TEST(Expectations, WhatBrokeOffIsNotWaived) {
  auto c = failing(1, {failure("a")});
  c.verdicts[0].error = "B003: no memory";
  apply(std::vector{expectation()}, kDay, c);
  EXPECT_THAT(c.waivers, IsEmpty());
}

TEST(Expectations, DaysAreThoseOfTheCalendar) {
  EXPECT_EQ(parse_day("2028-02-29"), 2028y / 2 / 29);
  EXPECT_EQ(text(2028y / 2 / 9), "2028-02-09");
  for (const char* none : {"", "2027-02-29", "2027-13-01", "2027-1-1", "2027-01-01 ", "x", "27-01-01"})
    EXPECT_FALSE(parse_day(none)) << none;
}

}  // namespace
}  // namespace vyre::suite
