// The static analysis of races, on kernels of which a person knows: never wrong, mostly decided, and quick.
#include "verify/race_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string_view>

#include "generate/programs.h"
#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"

namespace vyre::verify {
namespace {

struct Kernel {
  std::string_view name;
  bool races;
  std::string_view buffers, size, body;
};
constexpr Kernel kKernels[] = {
#define VYRE_KERNEL(name, races, buffers, size, body) {#name, races, buffers, size, body},
#include "race_kernels.def"
#undef VYRE_KERNEL
};

check::Checked checked(const Kernel& k) {
  const std::string text =
      fmt::format("program {}({}) workgroup({}) {{ {} }}", k.name, k.buffers, k.size, k.body);
  auto program = text::parse(text);
  EXPECT_TRUE(program.has_value()) << text;
  auto out = check::check(std::move(*program), ops::op_table());
  if (!out) throw std::runtime_error(std::string(k.name) + ": " + out.error().front().message);
  return std::move(*out);
}

/// Whether a witness is one: run again, the reference meets it.
bool replays(const check::Checked& program, const RaceWitness& w) {
  const auto again = replay_race(program, w.buffers, w.groups);
  return again && *again && (*again)->first == w.first && (*again)->second == w.second &&
         w.first.invocation != w.second.invocation &&
         (w.first.workgroup != w.second.workgroup || w.first.interval == w.second.interval) &&
         (w.first.kind == AccessKind::Write || w.second.kind == AccessKind::Write ||
          w.first.kind != w.second.kind);
}

TEST(RaceCheck, ClassicPatternsAreNeverWrongAndMostlyDecided) {
  VYRE_ORACLE(SpecificationTable,
              "race_kernels.def: whether each kernel has a race, by hand from the definition");
  size_t decided = 0, free = 0;
  std::vector<double> milliseconds;
  for (const Kernel& kernel : kKernels) {
    const check::Checked program = checked(kernel);
    timespec begin{}, end{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const RaceVerdict verdict = check_races(program);
    clock_gettime(CLOCK_MONOTONIC, &end);
    milliseconds.push_back(double(end.tv_sec - begin.tv_sec) * 1e3 +
                           double(end.tv_nsec - begin.tv_nsec) / 1e6);
    if (verdict.answer == RaceAnswer::Free) EXPECT_FALSE(kernel.races) << kernel.name;
    if (verdict.answer == RaceAnswer::Race) {
      EXPECT_TRUE(kernel.races) << kernel.name;
      ASSERT_TRUE(verdict.witness) << kernel.name;
      EXPECT_TRUE(replays(program, *verdict.witness)) << kernel.name;
    }
    if (verdict.answer == RaceAnswer::Unknown) {
      EXPECT_FALSE(verdict.reason.empty()) << kernel.name;
      fmt::print("unknown: {} ({}): {}\n", kernel.name, kernel.races ? "races" : "free", verdict.reason);
    } else {
      ++decided;
    }
    free += verdict.answer == RaceAnswer::Free;
    if (milliseconds.back() > 50 || verdict.by_solver > 0)
      fmt::print("{}: {:.1f} ms, {} pairs, {} by a solver\n", kernel.name, milliseconds.back(), verdict.pairs,
                 verdict.by_solver);
  }
  EXPECT_GE(std::size(kKernels), 100u);
  EXPECT_GE(decided * 100, std::size(kKernels) * 80);
  std::ranges::nth_element(milliseconds, milliseconds.begin() + ptrdiff_t(milliseconds.size() / 2));
  fmt::print("{} kernels, {} decided, {} of them free; median {:.2f} ms\n", std::size(kKernels), decided,
             free, milliseconds[milliseconds.size() / 2]);
  RecordProperty("decided", int(decided));
}

/// Of random programs, how many of `count` got which answer.
std::array<size_t, 3> answers(bool racy, uint64_t count) {
  generate::ProgramOptions options = generate::ProgramOptions::small(&ops::op_table());
  options.racy = racy;
  if (racy) options.max_nodes = 64;
  std::array<size_t, 3> out{};
  for (uint64_t k = 0; k < count; ++k) {
    const generate::ProgramCase c = generate::random_program(11, k, options);
    auto program = check::check(c.program, ops::op_table());
    if (!program) continue;
    const RaceVerdict verdict = check_races(*program, {.solver = false});
    // The dispatch of a racy program may have several workgroups along an axis whose ids nobody asks for.
    const uint32_t groups[] = {c.groups.x, c.groups.y, c.groups.z};
    bool of_its_kind = true;
    for (size_t axis = 0; axis < 3; ++axis)
      of_its_kind = of_its_kind && (!verdict.single[axis] || groups[axis] == 1);
    if (racy && of_its_kind) {
      EXPECT_NE(verdict.answer, RaceAnswer::Free) << k << "\n" << text::print(c.program);
    }
    if (verdict.witness) {
      EXPECT_TRUE(replays(*program, *verdict.witness)) << k;
    }
    ++out[size_t(verdict.answer)];
  }
  return out;
}

TEST(RaceCheck, ReplaysFindRacesAndNothingElse) {
  VYRE_ORACLE(Property,
              "random programs have no race in their own dispatch, and racy ones have the one they name");
  for (const bool racy : {false, true}) {
    generate::ProgramOptions options = generate::ProgramOptions::small(&ops::op_table());
    options.racy = racy;
    if (racy) options.max_nodes = 64;
    size_t looked = 0;
    for (uint64_t k = 0; k < 400; ++k) {
      const generate::ProgramCase c = generate::random_program(5, k, options);
      const auto program = check::check(c.program, ops::op_table());
      ASSERT_TRUE(program);
      const auto found = replay_race(*program, c.buffers, c.groups);
      if (!found) continue;
      ++looked;
      ASSERT_EQ(found->has_value(), racy) << k << "\n" << text::print(c.program);
      if (racy) {
        EXPECT_EQ(check::index((*found)->buffer), c.race->buffer) << k;
      }
    }
    EXPECT_GT(looked, 350u);
  }
}

TEST(RaceCheck, NothingWithARaceIsCalledFree) {
  VYRE_ORACLE(Property, "programs that are made around a race (generate/writer_race.cpp) have one");
  const auto racy = answers(true, 1500);
  EXPECT_GT(racy[size_t(RaceAnswer::Race)], 300u);
  const auto others = answers(false, 300);
  fmt::print("racy: {} free, {} race, {} unknown; others: {} free, {} race, {} unknown\n", racy[0], racy[1],
             racy[2], others[0], others[1], others[2]);
}

}  // namespace
}  // namespace vyre::verify
