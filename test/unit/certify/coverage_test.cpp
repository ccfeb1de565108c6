// Coverage in certificates: what of shapes was run is kept, shown, and refused where it does not add up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "certify/certificate.h"
#include "certify/console.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "by hand: what docs/certificate.md and docs/shapes.md say");

namespace vyre::certify {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A certificate with one verdict: 10 cases of shapes.
Certificate with_shapes() {
  Certificate c;
  c.vyre = "0.1.0", c.backend = "native", c.device = "cpu", c.driver = "llvm";
  c.registry = {.digest = std::string(64, '1'), .operations = 1, .families = 1};
  c.selection = "*";
  verify::Verdict v;
  v.kind = verify::SubjectKind::Family;
  v.subject = "ir.shapes";
  v.parity = {{verify::Oracle::CpuReference, {10, 10, 0}}};
  v.leaves = {{verify::Oracle::CpuReference, "program", 0, {10, 10, 0}, ""}};
  v.coverage.factors = {{"workgroup", {{"64", 7}, {"97", 3}}}, {"storage buffers", {{"8", 10}, {"9", 0}}}};
  v.coverage.tuples = {{1, 3, 3}, {2, 2, 2}};
  v.coverage.infeasible = 5;
  c.verdicts = {v};
  return c;
}

TEST(Coverage, IsKeptAndShown) {
  const Certificate c = with_shapes();
  const auto again = parse(print(c));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, c);
  const std::string text = report(c, {"native", {}, 0});
  EXPECT_THAT(
      text, HasSubstr("ir.shapes: 2 factors, 3 of 3 levels, 2 of 2 2-tuples of levels; 5 no case can have"));
  EXPECT_THAT(text, HasSubstr("workgroup: 64: 7; 97: 3"));
  EXPECT_THAT(text, HasSubstr("storage buffers: 8: 10; 9: not applicable"));
  Certificate none = c;
  none.verdicts[0].coverage = {};
  EXPECT_THAT(report(none, {"native", {}, 0}), Not(HasSubstr("2-tuples")));
}

TEST(Coverage, IsRefusedWhereItDoesNotAddUp) {
  // Each change makes the coverage one that no run has.
  const auto refused = [](const std::function<void(verify::Verdict&)>& change, std::string_view why) {
    Certificate c = with_shapes();
    change(c.verdicts[0]);
    const auto result = parse(print(c));
    ASSERT_FALSE(result.has_value()) << why;
    EXPECT_EQ(result.error().code, DiagCode::C002);
    EXPECT_THAT(result.error().message, HasSubstr(std::string(why)));
  };
  refused([](verify::Verdict& v) { v.coverage.tuples[1].covered = 1; },
          "of tuples of 2 levels 1 are covered");
  refused([](verify::Verdict& v) { v.coverage.tuples[0].strength = 2; }, "of tuples of 2 levels");
  refused([](verify::Verdict& v) { v.coverage.factors[0].levels[0].cases = 8; },
          "11 cases of the factor workgroup");
  refused([](verify::Verdict& v) { v.coverage.tuples.clear(); }, "no factors or no tuples");
  refused([](verify::Verdict& v) { v.kind = verify::SubjectKind::Operation; }, "an operation has coverage");
}

}  // namespace
}  // namespace vyre::certify
