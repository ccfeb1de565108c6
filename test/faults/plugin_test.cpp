// The fault-injecting backend itself: each mode is wrong in its own way and in no other, so a judge that
// names another culprit is wrong.
#include <gtest/gtest.h>

#include "backend/registry/registry.h"
#include "base/random.h"
#include "faults.h"
#include "ops/operation.h"
#include "oracle.h"
#include "support.h"
#include "text/text.h"
#include "worker/worker.h"

VYRE_ORACLE(CpuReference, "|a - b| in 64 bits");

namespace vyre::faults {
namespace {

using Words = std::vector<uint32_t>;

constexpr size_t kCases = 300;
constexpr size_t kAt = 137;  // of the trigger
constexpr uint32_t kUnwritten = 0x5a5a5a5a;

constexpr std::string_view kProgram =
    "program distances(read a: u32 @0, read b: u32 @1, read_write out: u32 @2) workgroup(64, 1, 1) {\n"
    "  let i = invocation_id.x;\n"
    "  if (i < len(a)) {\n"
    "    out[i] = primitive.math.abs_diff(a[i], b[i]);\n"
    "  }\n"
    "}\n";
constexpr std::string_view kSubgroupProgram =
    "program lanes(read_write out: u32 @0) workgroup(32, 1, 1) {\n"
    "  out[invocation_id.x] = subgroup.reduce_add(1);\n"
    "}\n";
constexpr std::string_view kWideProgram =
    "program wide(read_write out: u32 @0) workgroup(1024, 1, 1) {\n"
    "  out[invocation_id.x] = 1;\n"
    "}\n";

check::Checked checked(std::string_view text) {
  auto program = text::parse(text);
  EXPECT_TRUE(program);
  auto out = check::check(std::move(program).value(), ops::op_table());
  EXPECT_TRUE(out) << out.error().front().message;
  return std::move(out).value();
}

/// Operands that trigger no fault, and what native must answer.
struct Dispatch {
  explicit Dispatch(uint64_t seed, size_t cases = kCases) : a(cases), b(cases), out(cases + 1, kUnwritten) {
    for (size_t i = 0; i < cases; ++i) {
      const auto words = philox(seed, i, 0);
      a[i] = words[0];
      b[i] = words[1];
    }
  }
  void set_trigger() {
    a[kAt] = kTrigger[0];
    b[kAt] = kTrigger[1];
  }
  Words expected() const {
    Words all;
    for (size_t i = 0; i < a.size(); ++i) {
      const int64_t difference = int64_t{a[i]} - int64_t{b[i]};
      all.push_back(uint32_t(difference < 0 ? -difference : difference));
    }
    all.push_back(kUnwritten);
    return all;
  }
  /// Places of `out` that are not what they must be.
  std::vector<size_t> wrong() const {
    const Words right = expected();
    std::vector<size_t> places;
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] != right[i]) places.push_back(i);
    }
    return places;
  }

  Words a, b, out;
};

class Machine {
 public:
  explicit Machine(Mode mode) {
    auto opened = backend::open(spec_of(mode));
    if (!opened) throw std::runtime_error(opened.error().message);
    backend_ = std::move(opened).value();
    prepare();
  }
  explicit Machine(const worker::Options& options) {
    auto opened = worker::make_worker(options);
    if (!opened) throw std::runtime_error(opened.error().message);
    backend_ = std::move(opened).value();
    prepare();
  }
  backend::Backend& backend() { return *backend_; }
  Result<void> run(Dispatch& d) {
    const std::array host = {std::as_writable_bytes(std::span(d.a)), std::as_writable_bytes(std::span(d.b)),
                             std::as_writable_bytes(std::span(d.out))};
    return pipeline_->dispatch(host, {uint32_t((d.a.size() + 63) / 64), 1, 1});
  }
  /// The code of the refusal of a dispatch with the trigger.
  std::optional<DiagCode> refusal_of_trigger() {
    Dispatch d(7);
    d.set_trigger();
    const auto ran = run(d);
    return ran ? std::nullopt : std::optional(ran.error().code);
  }

 private:
  void prepare() {
    auto pipeline = backend_->compile(checked(kProgram));
    if (!pipeline) throw std::runtime_error(pipeline.error().message);
    pipeline_ = std::move(pipeline).value();
  }
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<backend::Pipeline> pipeline_;
};

/// What is wrong after a dispatch with the trigger, which came after one without.
std::vector<size_t> wrong_with_trigger(Mode mode) {
  Machine machine(mode);
  Dispatch before(1), with(2);
  with.set_trigger();
  EXPECT_TRUE(machine.run(before));
  EXPECT_EQ(before.wrong(), std::vector<size_t>());
  EXPECT_TRUE(machine.run(with));
  return with.wrong();
}

std::vector<size_t> from_to(size_t first, size_t end) {
  std::vector<size_t> out;
  for (size_t i = first; i < end; ++i) out.push_back(i);
  return out;
}

TEST(Plugin, IsRightWithoutItsTrigger) {
  for (const ModeInfo& m : kModes) {
    if (m.mode == Mode::LawsNotValues) continue;  // which needs no trigger
    SCOPED_TRACE(m.text);
    Machine machine(m.mode);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      Dispatch d(seed);
      ASSERT_TRUE(machine.run(d));
      // Flaky may strike, with odds of 10^-3 in all.
      if (m.mode != Mode::Flaky) EXPECT_EQ(d.wrong(), std::vector<size_t>());
    }
  }
}

TEST(Plugin, CorruptsWhatItsModeSaysAndNothingElse) {
  EXPECT_EQ(wrong_with_trigger(Mode::None), std::vector<size_t>());
  EXPECT_EQ(wrong_with_trigger(Mode::WrongValue), std::vector<size_t>{kAt});
  EXPECT_EQ(wrong_with_trigger(Mode::Neighbour), std::vector<size_t>{kAt + 1});
  EXPECT_EQ(wrong_with_trigger(Mode::PartialWrite), from_to(kAt, kCases));
  EXPECT_EQ(wrong_with_trigger(Mode::Garbage), from_to(0, kCases));
  EXPECT_EQ(wrong_with_trigger(Mode::Stale), std::vector<size_t>{kAt});
  EXPECT_EQ(wrong_with_trigger(Mode::WritesOutside), std::vector<size_t>{kCases});
  EXPECT_EQ(wrong_with_trigger(Mode::Crowded), std::vector<size_t>());
}

TEST(Plugin, StaleAnswersAreThoseOfTheDispatchBefore) {
  Machine machine(Mode::Stale);
  Dispatch alone(2), before(1), with(2);
  alone.set_trigger();
  with.set_trigger();
  ASSERT_TRUE(machine.run(alone));
  EXPECT_EQ(alone.wrong(), std::vector<size_t>());
  ASSERT_TRUE(machine.run(before));
  ASSERT_TRUE(machine.run(with));
  EXPECT_EQ(with.out[kAt], before.expected()[kAt]);
}

TEST(Plugin, LeavesUnwrittenWhatItDoesNotWrite) {
  Machine machine(Mode::PartialWrite);
  Dispatch d(2);
  d.set_trigger();
  ASSERT_TRUE(machine.run(d));
  EXPECT_EQ(std::ranges::count(d.out, kUnwritten), ptrdiff_t(kCases + 1 - kAt));
}

TEST(Plugin, RefusesWhatItsModeSays) {
  EXPECT_EQ(Machine(Mode::OutOfMemory).refusal_of_trigger(), DiagCode::B003);
  EXPECT_EQ(Machine(Mode::WrongSize).refusal_of_trigger(), DiagCode::B012);
  Machine lost(Mode::DeviceLost);
  EXPECT_EQ(lost.refusal_of_trigger(), DiagCode::B011);
  Dispatch innocent(1);
  const auto after = lost.run(innocent);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, DiagCode::B011);

  Machine crowded(Mode::Crowded);
  Dispatch fits(1, kRoom), too_many(1, kRoom + 1);
  EXPECT_TRUE(crowded.run(fits));
  const auto refused = crowded.run(too_many);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B003);
}

TEST(Plugin, ClaimsWhatItLacks) {
  Machine right(Mode::None), subgroups(Mode::FalseClaim), workgroup(Mode::FalseWorkgroup);
  for (const spec::IntrinsicInfo& intrinsic : spec::kIntrinsics) {
    EXPECT_FALSE(right.backend().has(intrinsic.intrinsic));
    EXPECT_TRUE(subgroups.backend().has(intrinsic.intrinsic));
  }
  EXPECT_FALSE(subgroups.backend().compile(checked(kSubgroupProgram)));
  EXPECT_EQ(workgroup.backend().limits().max_invocations_per_group,
            right.backend().limits().max_invocations_per_group);
  EXPECT_TRUE(right.backend().compile(checked(kWideProgram)));
  EXPECT_FALSE(workgroup.backend().compile(checked(kWideProgram)));
}

TEST(Plugin, KeepsTheLawsOfAnotherFunction) {
  for (uint64_t i = 0; i < 10'000; ++i) {
    const auto words = philox(3, i, 0);
    const uint32_t a = words[0], b = words[1];
    EXPECT_EQ(lawful_and_wrong(a, b), lawful_and_wrong(b, a));
    EXPECT_EQ(lawful_and_wrong(a, 0), a);
    EXPECT_EQ(lawful_and_wrong(a, a), 0u);
  }
  Machine machine(Mode::LawsNotValues);
  Dispatch d(1);
  ASSERT_TRUE(machine.run(d));
  EXPECT_GT(d.wrong().size(), kCases / 2);
}

TEST(Plugin, DiesInAProcessOfItsOwn) {
  EXPECT_EQ(Machine(worker_options(Mode::Segfault)).refusal_of_trigger(), DiagCode::B009);
  EXPECT_EQ(Machine(worker_options(Mode::Abort)).refusal_of_trigger(), DiagCode::B009);
  EXPECT_EQ(Machine(worker_options(Mode::Hang)).refusal_of_trigger(), DiagCode::B010);
}

TEST(Plugin, WritesLate) {
  Machine machine(worker_options(Mode::LateWrite));
  Dispatch d(2);
  d.set_trigger();
  ASSERT_TRUE(machine.run(d));
  EXPECT_EQ(d.wrong(), std::vector<size_t>());
  const auto drained = machine.backend().drain();
  ASSERT_FALSE(drained);
  EXPECT_EQ(worker::breach_of(drained.error()), worker::Breach::Late);
}

// A Poisson distribution of mean 100: further away has odds below 10^-8.
TEST(Chance, StrikesOnceInAMillion) {
  const Words operand(1'000'000);
  Chance chance;
  size_t struck = 0;
  for (int round = 0; round < 100; ++round) {
    Words out(operand.size());
    chance.strike({operand, operand, out});
    struck += operand.size() - size_t(std::ranges::count(out, 0u));
  }
  EXPECT_GT(struck, 45u);
  EXPECT_LT(struck, 165u);
}

TEST(Plugin, RefusesAnUnknownFaultWithTheList) {
  const auto opened = backend::open(std::string(VYRE_FAULT_PLUGIN) + "?nothing");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, DiagCode::B001);
  EXPECT_NE(opened.error().help.find("late_write"), std::string::npos);
}

}  // namespace
}  // namespace vyre::faults
