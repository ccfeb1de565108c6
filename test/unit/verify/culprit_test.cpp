// CulpritSearch: a backend that goes wrong in one way at one input, in each way there is; the culprit is
// known by construction, and no other case may be named.
#include "verify/culprit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "base/bytes.h"
#include "generate/cases.h"
#include "ops/operation.h"
#include "oracle.h"
#include "verify/examine.h"
#include "verify/operation.h"
#include "worker/breach.h"

VYRE_ORACLE(
    SpecificationTable,
    "planted, so known by construction: what the backend's script says, and the limits that it states");

namespace vyre::verify {
namespace {

constexpr uint64_t kSeed = 5;
constexpr uint64_t kCulprit = 1'234;   // of the random cases of the subject
constexpr uint64_t kEarlier = 31'992;  // of the edge256 cases, which run before: some faults need it
constexpr char kSubject[] = "primitive.math.add@1";

enum class Mode : uint8_t {
  None,
  Dies,
  Hangs,
  LosesTheDevice,
  NeverComesBack,
  BreaksTheContract,
  RefusesIt,
  RefusesMany,
  Wrong,
  Unwritten,
  Partial,
  Neighbour,
  Stale,
  DiesAfterAnother,
  Garbage,
  Flaky,
  Guard,
  Late,
  OnlyLargeWorkgroups,
  DiesOfMany,
  LeavesLastOfMany,
};

std::array<uint32_t, 2> operands_of(uint64_t number,
                                    generate::Strategy strategy = generate::Strategy::Random) {
  const ops::Operation& add = *ops::find_operation("primitive.math.add");
  std::array<uint32_t, 2> out{};
  uint32_t* columns[] = {&out[0], &out[1]};
  generate::Cases(add, strategy, kSeed).fill(number, 1, columns);
  return out;
}

// Adds, but for its one fault. What restart() forgets is what a new process would not have.
class Scripted final : public backend::Backend {
 public:
  explicit Scripted(Mode mode)
      : mode_(mode),
        culprits_(operands_of(kCulprit)),
        earlier_(operands_of(kEarlier, generate::Strategy::Edge256)) {}

  class Adds final : public backend::Pipeline {
   public:
    Adds(Scripted& of, uint32_t workgroup) : of_(of), workgroup_(workgroup) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups) override {
      return of_.add(host, workgroup_);
    }

   private:
    Scripted& of_;
    uint32_t workgroup_;
  };

  backend::Identity identity() const override { return {"scripted", "none", "none", "0"}; }
  backend::Limits limits() const override { return {}; }
  bool isolated() const override { return true; }
  Result<void> restart() override {
    ++restarts;
    process_ = {};
    return {};
  }
  Result<void> drain() override {
    if (!process_.late) return {};
    process_ = {};
    return std::unexpected(worker::make_breach(worker::Breach::Late, "of a script"));
  }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    if (program.program().name != "elementwise") return known(program);
    return std::make_unique<Adds>(*this, program.program().workgroup_size[0]);
  }

  size_t restarts = 0;

 private:
  struct Process {
    std::vector<uint32_t> answers;  // of the dispatch before
    bool met_the_earlier = false;
    bool late = false;
  };

  Result<std::unique_ptr<backend::Pipeline>> known(const check::Checked& program) {
    if (mode_ == Mode::NeverComesBack) return lost();
    return reference_->compile(program);
  }
  std::unexpected<Diag> lost() const {
    return std::unexpected(make_diag(DiagCode::B011, Span::none(), "the device is gone"));
  }

  Result<void> add(std::span<const std::span<std::byte>> host, uint32_t workgroup) {
    const size_t n = host[0].size() / 4;
    std::vector<uint32_t> out(n);
    size_t culprit = n;
    const bool after_another = process_.met_the_earlier;
    for (size_t i = 0; i < n; ++i) {
      const std::array<uint32_t, 2> in = {load_u32(host[0].data() + 4 * i), load_u32(host[1].data() + 4 * i)};
      out[i] = in[0] + in[1];
      if (in == culprits_) culprit = i;
      process_.met_the_earlier |= in == earlier_;
    }
    std::byte* const to = host[2].data();
    const auto write = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) store_u32(to + 4 * i, out[i]);
    };
    if (mode_ == Mode::RefusesMany && n > 100) {
      return std::unexpected(make_diag(DiagCode::B003, Span::none(), "too many"));
    }
    if (mode_ == Mode::DiesOfMany && n > 700)
      return std::unexpected(make_diag(DiagCode::B009, Span::none(), "as it was made to"));
    if (mode_ == Mode::LeavesLastOfMany && n > 700) {
      write(0, n - 1);
      return {};
    }
    if (mode_ == Mode::Flaky && chance_() % 40'000 < n) out[chance_() % n] ^= 8;
    if (culprit < n) {
      const auto fail = [](DiagCode code) {
        return std::unexpected(make_diag(code, Span::none(), "as it was made to"));
      };
      switch (mode_) {
        case Mode::None:
        case Mode::RefusesMany:
        case Mode::DiesOfMany:
        case Mode::LeavesLastOfMany:
        case Mode::Flaky: break;
        case Mode::Dies: return fail(DiagCode::B009);
        case Mode::Hangs: return fail(DiagCode::B010);
        case Mode::LosesTheDevice:
        case Mode::NeverComesBack: return lost();
        case Mode::BreaksTheContract: return fail(DiagCode::B012);
        case Mode::RefusesIt: return fail(DiagCode::B003);
        case Mode::Wrong: out[culprit] ^= 1; break;
        case Mode::Unwritten:
          write(0, culprit);
          write(culprit + 1, n);
          return {};
        case Mode::Partial: write(0, n / 2); return {};
        case Mode::Neighbour:
          if (culprit + 1 < n) out[culprit + 1] ^= 0x40;
          break;
        case Mode::Stale:
          if (!process_.answers.empty())
            out[culprit] = process_.answers[culprit % process_.answers.size()] + 1;
          break;
        case Mode::DiesAfterAnother:
          if (after_another) return fail(DiagCode::B009);
          break;
        case Mode::Garbage:
          for (uint32_t& word : out) word = ~word;
          break;
        case Mode::Guard: store_u32(to + 4 * n, 7); break;
        case Mode::Late: process_.late = true; break;
        case Mode::OnlyLargeWorkgroups: break;
      }
    }
    if (mode_ == Mode::OnlyLargeWorkgroups && workgroup == 1024) {
      for (uint32_t& word : out) word += 3;
    }
    process_.answers = out;
    write(0, n);
    return {};
  }

  Mode mode_;
  std::array<uint32_t, 2> culprits_, earlier_;
  Process process_;
  std::mt19937 chance_{7};
  std::unique_ptr<backend::Backend> reference_ = backend::make_reference();
};

Verdict verdict_of(Mode mode, Scripted* given = nullptr) {
  Scripted own(mode);
  OperationPlan plan = operation_plan(Strength::Quick);
  plan.definition_cases = 16;
  plan.laws = false;
  return check_operation(given != nullptr ? *given : own, *ops::find_operation("primitive.math.add"), plan,
                         kSeed, {});
}

std::string token_of(uint64_t number) { return print(Token{kSubject, "random", kSeed, number, {}}); }
std::vector<uint32_t> input_of(uint64_t number) {
  const auto operands = operands_of(number);
  return {operands.begin(), operands.end()};
}

// A driver that dies in its third group, whatever is in it: one finding with the number, and few processes.
TEST(CulpritSearch, WhatAnyCasesDoIsTheirNumbers) {
  // The script: which cases the device dies of.
  Scripted backend(Mode::DiesOfMany);
  const Verdict verdict = verdict_of(Mode::DiesOfMany, &backend);
  ASSERT_EQ(verdict.failures.size(), 1u);
  EXPECT_EQ(verdict.failures[0].fault, Fault::Crashed);
  EXPECT_NE(verdict.failures[0].note.find("any 701 cases of one dispatch do it, and no 700"),
            std::string::npos)
      << verdict.failures[0].note;
  EXPECT_NE(verdict.error, "");
  EXPECT_LT(backend.restarts, 100u);
}

// The same of answers: the last is never written, where there are so many.
TEST(CulpritSearch, WhatIsWrongOfAnyCasesIsTheirNumbersToo) {
  const Verdict verdict = verdict_of(Mode::LeavesLastOfMany);
  ASSERT_FALSE(verdict.failures.empty());
  EXPECT_EQ(verdict.failures[0].fault, Fault::NotWritten);
  EXPECT_NE(verdict.failures[0].note.find("any 701 cases of one dispatch do it, and no 700"),
            std::string::npos)
      << verdict.failures[0].note;
}

struct Case {
  Mode mode;
  const char* name;
  Fault fault;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class AFault : public testing::TestWithParam<Case> {};

TEST_P(AFault, HasTheOneCaseThatShowsItAsCulprit) {
  const Verdict verdict = verdict_of(GetParam().mode);
  EXPECT_EQ(verdict.error, "");
  ASSERT_EQ(verdict.failures.size(), 1u);
  const Failure& failure = verdict.failures[0];
  EXPECT_EQ(text(failure.fault), text(GetParam().fault)) << failure.note;
  EXPECT_EQ(failure.token.substr(0, failure.token.find('=')), token_of(kCulprit)) << failure.note;
  EXPECT_EQ(verdict.failure_count, 1u);
  uint64_t failed = verdict.determinism.failed;
  for (const OracleCases& oracle : verdict.parity) failed += oracle.tally.failed;
  EXPECT_EQ(failed, 1u);
  // A wrong value is shrunk to one that fails as well, which is the culprit where no other does.
  EXPECT_EQ(failure.input, input_of(kCulprit));
  EXPECT_EQ(failure.history.empty(), GetParam().fault != Fault::OrderDependent);
}

INSTANTIATE_TEST_SUITE_P(
    Alone, AFault,
    testing::Values(
        Case{Mode::Dies, "dies", Fault::Crashed}, Case{Mode::Hangs, "hangs", Fault::Hung},
        Case{Mode::LosesTheDevice, "loses_the_device", Fault::LostDevice},
        Case{Mode::BreaksTheContract, "breaks_the_contract", Fault::BrokeContract},
        Case{Mode::RefusesIt, "refuses_it", Fault::Refused}, Case{Mode::Wrong, "wrong", Fault::WrongValue},
        Case{Mode::Unwritten, "unwritten", Fault::NotWritten},
        Case{Mode::Partial, "partial", Fault::NotWritten}, Case{Mode::Garbage, "garbage", Fault::WrongValue},
        Case{Mode::Guard, "guard", Fault::WroteOutside}, Case{Mode::Late, "late", Fault::LateWrite},
        Case{Mode::Neighbour, "neighbour", Fault::OrderDependent},
        Case{Mode::Stale, "stale", Fault::OrderDependent},
        Case{Mode::DiesAfterAnother, "dies_after_another", Fault::OrderDependent}),
    [](const auto& info) { return std::string(info.param.name); });

// Without its fault it is right, so the tests above fail for the right reason.
TEST(CulpritSearch, NoCaseIsNamedWithoutAFault) {
  for (const Mode mode : {Mode::None, Mode::RefusesMany}) {
    const Verdict verdict = verdict_of(mode);
    EXPECT_EQ(verdict.error, "");
    EXPECT_EQ(verdict.failure_count, 0u);
    for (const OracleCases& oracle : verdict.parity) EXPECT_TRUE(oracle.tally.whole());
    EXPECT_TRUE(verdict.determinism.whole());
  }
}

TEST(CulpritSearch, NoCaseIsNamedWhenTheDeviceStaysAway) {
  // Issue: after a lost device a known answer comes before a culprit is named.
  const Verdict verdict = verdict_of(Mode::NeverComesBack);
  EXPECT_EQ(verdict.failure_count, 0u);
  EXPECT_TRUE(verdict.error.starts_with("B011")) << verdict.error;
  EXPECT_NE(verdict.error.find("does not come back"), std::string::npos);
}

TEST(CulpritSearch, ChanceIsCalledChance) {
  // The script: which answers chance strikes has nothing to do with their inputs.
  const Verdict verdict = verdict_of(Mode::Flaky);
  ASSERT_FALSE(verdict.failures.empty());
  for (const Failure& failure : verdict.failures) {
    EXPECT_EQ(text(failure.fault), text(Fault::Flaky)) << failure.note;
    ASSERT_EQ(failure.expected.size(), 1u);
    EXPECT_EQ(failure.expected[0], failure.input[0] + failure.input[1]);
    EXPECT_EQ(failure.actual[0], failure.expected[0] ^ 8);
  }
}

TEST(CulpritSearch, WhoSpoilsItsNeighbourIsNamedAndTheNeighbourToo) {
  // The script: the culprit's neighbour is wrong, whichever it is.
  const Verdict verdict = verdict_of(Mode::Neighbour);
  ASSERT_EQ(verdict.failures.size(), 1u);
  // Which neighbour was left when the others were taken away does not matter; it came after the culprit.
  const Failure& failure = verdict.failures[0];
  ASSERT_EQ(failure.history.size(), 1u);
  const auto neighbour = parse_token(failure.history[0]);
  ASSERT_TRUE(neighbour);
  EXPECT_GT(neighbour->index, kCulprit);
  EXPECT_NE(failure.note.find(failure.history[0]), std::string::npos) << failure.note;
  EXPECT_TRUE(failure.token.ends_with(fmt::format("=1234+{}", neighbour->index))) << failure.token;
}

TEST(CulpritSearch, WhatTheCulpritNeedsBeforeItIsNamed) {
  // The script: both cases are needed, the earlier one first.
  const Verdict verdict = verdict_of(Mode::DiesAfterAnother);
  ASSERT_EQ(verdict.failures.size(), 1u);
  EXPECT_EQ(verdict.failures[0].history, std::vector{std::string("primitive.math.add@1:edge256:5:31992")});
  EXPECT_TRUE(verdict.failures[0].token.ends_with("=edge256.31992,1234")) << verdict.failures[0].token;
}

TEST(CulpritSearch, AWorkgroupThatIsClaimedAndWrongIsAFalseClaim) {
  // The limits, which say 1024, and the script, which is right in smaller workgroups.
  const Verdict verdict = verdict_of(Mode::OnlyLargeWorkgroups);
  ASSERT_FALSE(verdict.failures.empty());
  EXPECT_EQ(text(verdict.failures[0].fault), text(Fault::FalseClaim));
}

TEST(CulpritSearch, WhatGoesRightCostsNoProcess) {
  // A dispatch costs a process now and then, not one a slice.
  Scripted scripted(Mode::None);
  verdict_of(Mode::None, &scripted);
  EXPECT_EQ(scripted.restarts, 1u);
}

}  // namespace
}  // namespace vyre::verify
