// Barriers that diverge, in programs that check() would refuse: against traces that each invocation makes by
// itself.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/random.h"
#include "check/unchecked.h"
#include "oracle.h"
#include "ref/explore.h"
#include "ref/schedules.h"
#include "run_text.h"

VYRE_ORACLE(SpecificationTable, "check/unchecked.h, and schedules counted by hand");

namespace vyre::ref {
namespace {

using testing::HasSubstr;

check::Watchable watchable(std::string_view text) {
  auto program = text::parse(text);
  EXPECT_TRUE(program) << text;
  auto out = check::check_but_barriers(*std::move(program), {});
  EXPECT_TRUE(out) << all_messages(out.error()) << text;
  return *std::move(out);
}

/// What looking for races says of one workgroup, where a is given and out has one word an invocation.
Result<RaceFindings> look(const check::Checked& program, Words a) {
  Words out(a.size());
  const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(a)),
                                                  std::as_writable_bytes(std::span(out))};
  return find_races(program, host, {1, 1, 1}, {});
}

constexpr std::string_view kHead =
    "program p(read a: u32 @0, read_write out: u32 @1) workgroup({}, 1, 1) {{\n  let x = a[local_id.x];\n";

/// A random body, and the barriers that an invocation passes which read x.
class Body {
 public:
  explicit Body(uint64_t number) : random_(5, number) { block(0); }
  const std::string& text() const { return text_; }
  /// Lines of barriers, in order.
  std::vector<uint32_t> trace(uint32_t x) const {
    std::vector<uint32_t> out;
    walk(statements_, x, out);
    return out;
  }

 private:
  struct Statement {
    enum class Kind { Barrier, Return, If, Loop } kind{};
    uint32_t line = 0, limit = 0;
    std::vector<Statement> body, orelse;
  };
  void line(std::string_view what) {
    text_ += std::string(what) + "\n";
    ++line_;
  }
  std::vector<Statement> statements(uint32_t depth) {
    std::vector<Statement> out;
    const uint32_t count = 1 + random_.next() % 3;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t pick = random_.next() % 8;
      if (depth >= 3 || pick < 3) {
        out.push_back({.kind = Statement::Kind::Barrier, .line = line_});
        line("barrier;");
      } else if (pick == 3 && depth > 0) {
        out.push_back({.kind = Statement::Kind::Return});
        line("return;");
        return out;  // nothing may stand behind it
      } else if (pick < 6) {
        Statement s{.kind = Statement::Kind::If, .limit = uint32_t(random_.next() % 3)};
        line(fmt::format("if (x > {}) {{", s.limit));
        s.body = statements(depth + 1);
        if (random_.next() % 2 == 0) {
          line("} else {");
          s.orelse = statements(depth + 1);
        }
        line("}");
        out.push_back(std::move(s));
      } else {
        Statement s{.kind = Statement::Kind::Loop};
        line(fmt::format("for r{} in 0..x {{", line_));
        s.body = statements(depth + 1);
        line("}");
        out.push_back(std::move(s));
      }
    }
    return out;
  }
  void block(uint32_t depth) { statements_ = statements(depth); }
  /// False once it has returned.
  static bool walk(const std::vector<Statement>& block, uint32_t x, std::vector<uint32_t>& out) {
    for (const Statement& s : block) {
      switch (s.kind) {
        case Statement::Kind::Barrier: out.push_back(s.line); break;
        case Statement::Kind::Return: return false;
        case Statement::Kind::If:
          if (!walk(x > s.limit ? s.body : s.orelse, x, out)) return false;
          break;
        case Statement::Kind::Loop:
          for (uint32_t r = 0; r < x; ++r) {
            if (!walk(s.body, x, out)) return false;
          }
          break;
      }
    }
    return true;
  }

  RandomStream random_;
  std::string text_;
  uint32_t line_ = 3;
  std::vector<Statement> statements_;
};

TEST(Divergence, IsWhereTracesFirstDiffer) {
  VYRE_ORACLE(Property,
              "what each invocation passes depends on its own input alone: traces written down one by one");
  uint32_t diverged = 0, uniform = 0, ended = 0;
  for (uint64_t n = 0; n < 3'000; ++n) {
    const Body body(n);
    RandomStream random(6, n);
    const uint32_t members = 2 + random.next() % 3;
    Words a(members);
    for (uint32_t& x : a) x = random.next() % 3;
    if (n % 4 == 0) std::ranges::fill(a, a[0]);
    const std::string text = fmt::format(fmt::runtime(kHead), members) + body.text() + "}\n";
    const check::Watchable program = watchable(text);
    const auto found = look(program.checked, a);

    std::vector<std::vector<uint32_t>> traces;
    for (const uint32_t x : a) traces.push_back(body.trace(x));
    const bool same = std::ranges::all_of(traces, [&](const auto& t) { return t == traces[0]; });
    ASSERT_EQ(found.has_value(), same) << text;
    if (same) {
      ++uniform;
      EXPECT_TRUE(found->races.empty());
      continue;
    }
    ++diverged;
    // The first place at which not all have the same barrier; who waits there, and who does not.
    size_t at = 0;
    const auto here = [&](uint32_t i) { return at < traces[i].size() ? traces[i][at] : 0; };
    const auto agree = [&] {
      for (uint32_t i = 1; i < members; ++i)
        if (here(i) != here(0)) return false;
      return true;
    };
    while (agree()) ++at;
    uint32_t waiting = 0, other = 0;
    while (here(waiting) == 0) ++waiting;
    while (here(other) == here(waiting)) ++other;
    ended += here(other) == 0;
    const Diag& diag = found.error();
    EXPECT_EQ(diag.code, DiagCode::X016);
    EXPECT_THAT(diag.message,
                HasSubstr(fmt::format(
                    "invocation {},0,0 of workgroup 0 waits at this barrier, and invocation {},0,0 of "
                    "workgroup 0 {}",
                    waiting, other, here(other) == 0 ? "has ended" : "waits elsewhere")))
        << text;
    const Source source("t", text);
    const std::string rendered = render(diag, &source);
    EXPECT_THAT(rendered, HasSubstr(fmt::format("t:{}:", here(waiting)))) << text;
    if (here(other) != 0) {
      EXPECT_THAT(rendered, HasSubstr(fmt::format("t:{}:1: note: invocation {},0,0", here(other), other)))
          << text;
    }
  }
  EXPECT_GT(diverged, 800u);
  EXPECT_GT(uniform, 800u);
  EXPECT_GT(ended, 100u);
  EXPECT_GT(diverged - ended, 100u);
}

TEST(Divergence, AcceptedProgramsHaveNoneToWatch) {
  VYRE_ORACLE(Property,
              "what check() accepts, check_but_barriers() accepts without a word, and the other way round");
  uint32_t accepted = 0;
  for (uint64_t n = 0; n < 1'000; ++n) {
    const std::string text = fmt::format(fmt::runtime(kHead), 2) + Body(n).text() + "}\n";
    auto program = text::parse(text);
    ASSERT_TRUE(program);
    const bool strict = check::check(*program, {}).has_value();
    EXPECT_EQ(watchable(text).divergent.empty(), strict) << text;
    accepted += strict;
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_LT(accepted, 900u);
}

TEST(Divergence, MayHangOnTheOrderOfAtomics) {
  // Of two that take tickets one gets the first; found in every schedule.
  const auto found = look(watchable(R"(program p(read a: u32 @0, read_write out: u32 @1) workgroup(2, 1, 1) {
  let ticket = atomic_add(out[0], 1);
  if (ticket == a[local_id.x]) {
    barrier;
  }
})")
                              .checked,
                          {0, 1});
  // In order 0 gets 0 and 1 gets 1, so both wait; reversed neither does; mixed orders are one of the two.
  ASSERT_TRUE(found) << found.error().message;
  const auto other = look(watchable(R"(program p(read a: u32 @0, read_write out: u32 @1) workgroup(3, 1, 1) {
  let ticket = atomic_add(out[0], 1);
  if (ticket == a[local_id.x]) {
    barrier;
  }
})")
                              .checked,
                          {0, 1, 2});
  // With three, an order that only swaps two of them leaves the third alone at the barrier.
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, DiagCode::X016);
}

TEST(Divergence, OtherRulesStay) {
  auto program = text::parse("program p(read_write out: u32 @0) workgroup(2, 1, 1) {\n  out[0] = 1.0;\n}");
  ASSERT_TRUE(program);
  EXPECT_FALSE(check::check_but_barriers(*std::move(program), {}));
}

}  // namespace
}  // namespace vyre::ref
