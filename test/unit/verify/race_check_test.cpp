// The static analysis of races, on kernels of which a person knows: never wrong, mostly decided, and quick.
#include "verify/race_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/bytes.h"
#include "base/random.h"
#include "generate/programs.h"
#include "ops/operation.h"
#include "oracle.h"
#include "spec/ops.h"
#include "text/text.h"

VYRE_ORACLE(Property,
            "race_kernels.def and the headers of test/races/*.vyre: whether there is a race, by hand from "
            "the definition");

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

double milliseconds_between(const timespec& begin, const timespec& end) {
  return double(end.tv_sec - begin.tv_sec) * 1e3 + double(end.tv_nsec - begin.tv_nsec) / 1e6;
}
double median(std::vector<double>& of) {
  std::ranges::nth_element(of, of.begin() + ptrdiff_t(of.size() / 2));
  return of[of.size() / 2];
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
    milliseconds.push_back(milliseconds_between(begin, end));
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
  fmt::print("{} kernels, {} decided, {} of them free; median {:.2f} ms\n", std::size(kKernels), decided,
             free, median(milliseconds));
  RecordProperty("decided", int(decided));
}

// A file of test/races says whether its own dispatch has a race. A program that is free has none in any; one
// that is not may have it in another dispatch than the file's.
TEST(RaceCheck, TheCorpusIsNeverContradicted) {
  VYRE_ORACLE(SpecificationTable, "the headers of test/races/*.vyre, by hand from the definition");
  namespace fs = std::filesystem;
  std::array<size_t, 3> all{};
  std::vector<double> milliseconds;
  for (const auto& entry : fs::directory_iterator(fs::path(VYRE_SOURCE_DIR) / "test/races")) {
    if (entry.path().extension() != ".vyre") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const bool races = text.find("// race: yes") != std::string::npos;
    ASSERT_TRUE(races || text.find("// race: no") != std::string::npos) << entry.path();
    auto parsed = text::parse(text);
    ASSERT_TRUE(parsed) << entry.path();
    const auto program = check::check(std::move(*parsed), ops::op_table());
    ASSERT_TRUE(program) << entry.path();
    timespec begin{}, end{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const RaceVerdict verdict = check_races(*program);
    clock_gettime(CLOCK_MONOTONIC, &end);
    milliseconds.push_back(milliseconds_between(begin, end));
    ++all[size_t(verdict.answer)];
    if (verdict.answer == RaceAnswer::Free) {
      EXPECT_FALSE(races) << entry.path();
    }
    if (verdict.answer == RaceAnswer::Race) {
      EXPECT_TRUE(replays(*program, *verdict.witness)) << entry.path();
    }
  }
  const size_t files = milliseconds.size();
  EXPECT_GE(files, 100u);
  EXPECT_LE(all[size_t(RaceAnswer::Unknown)] * 100, files * 20);
  fmt::print("{} files: {} free, {} race, {} unknown; median {:.2f} ms\n", files, all[0], all[1], all[2],
             median(milliseconds));
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
    // The dispatch of a racy program may have several workgroups along an axis whose ids are not read.
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

/// Kernels by the thousand whose indices and conditions are sums, bits and comparisons of ids, read-only data
/// and loop counters: close to what is free of races, and mostly not.
class RandomKernel {
 public:
  explicit RandomKernel(uint64_t number) : random_(77, number) {}
  std::string text() {
    constexpr std::string_view kSizes[] = {"4, 1, 1", "2, 2, 1", "8, 1, 1", "2, 2, 2"};
    std::string out = fmt::format(
        "program k(uniform u: u32 @0, read a: u32 @1, read_write o: u32 @2, workgroup t: u32[24]) "
        "workgroup({}) {{\n"
        "let i = invocation_id.x; let l = local_id.x + 2 * local_id.y + 4 * local_id.z; let g = "
        "workgroup_id.x; "
        "let v = {};\n",
        kSizes[random_.below(4)], expression(1));
    const uint32_t statements = 1 + random_.below(4);
    for (uint32_t k = 0; k < statements; ++k) out += statement(true, 2);
    return out + "}\n";
  }

 private:
  std::string name() {
    constexpr std::string_view kNames[] = {"i", "l", "g", "i", "l", "local_id.x", "local_id.y", "v"};
    if (loops_ != 0 && random_.below(3) == 0) return fmt::format("k{}", random_.below(loops_));
    return std::string(kNames[random_.below(8)]);
  }
  std::string expression(uint32_t depth) {
    if (depth == 0 || random_.below(5) == 0) {
      switch (random_.below(7)) {
        case 0: return fmt::format("{}", random_.below(9));
        case 1: return "u[0]";
        case 2: return fmt::format("(a[{}] & 3)", depth == 0 ? "i" : expression(0));
        default: return loops_ == 0 && depth == 1 ? "i" : name();
      }
    }
    constexpr std::string_view kOps[] = {"+", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
    constexpr uint32_t kPowers[] = {1, 2, 4, 8, 3, 5, 16, 24};
    const std::string_view op = kOps[random_.below(11)];
    const bool by_constant = random_.below(3) != 0;
    const std::string right =
        by_constant ? fmt::format("{}", kPowers[random_.below(8)]) : expression(depth - 1);
    return fmt::format("({} {} {})", expression(depth - 1), op, right);
  }
  std::string condition() {
    constexpr std::string_view kOps[] = {"<", "<=", "==", "!=", ">", ">="};
    std::string one = fmt::format("{} {} {}", expression(1), kOps[random_.below(6)], expression(1));
    if (random_.below(5) == 0)
      one = fmt::format("({}) {} ({} < {})", one, random_.below(2) == 0 ? "&&" : "||", name(),
                        random_.below(7));
    return one;
  }
  std::string access() {
    const std::string_view buffer = random_.below(2) == 0 ? "o" : "t";
    switch (random_.below(6)) {
      case 0: return fmt::format("v = v + {}[{}];\n", buffer, expression(2));
      case 1: return fmt::format("let z{} = atomic_add(o[{}], 1);\n", names_++, expression(2));
      default: return fmt::format("{}[{}] = {};\n", buffer, expression(2), expression(1));
    }
  }
  std::string block(bool uniform, uint32_t depth) {
    std::string out = "{\n";
    const uint32_t statements = 1 + random_.below(3);
    for (uint32_t k = 0; k < statements; ++k) out += statement(uniform, depth);
    return out + "}\n";
  }
  std::string statement(bool uniform, uint32_t depth) {
    switch (random_.below(depth == 0 ? 4 : 8)) {
      case 0: return uniform ? "barrier;\n" : access();
      case 4: return fmt::format("if ({}) {}", condition(), block(false, depth - 1));
      case 5: {
        std::string out = fmt::format("if (u[0] > {}) {}", random_.below(4), block(uniform, depth - 1));
        if (random_.below(2) == 0) out += "else " + block(uniform, depth - 1);
        return out;
      }
      case 6:
      case 7: {
        constexpr std::string_view kEnds[] = {"3", "u[1]", "(u[0] & 3)", "2"};
        const std::string end(kEnds[random_.below(4)]);
        const uint32_t counter = loops_++;
        std::string out = fmt::format("for k{} in 0..{} ", counter, end) + block(uniform, depth - 1);
        --loops_;
        return out;
      }
      default: return access();
    }
  }
  RandomStream random_;
  uint32_t loops_ = 0, names_ = 0;
};

TEST(RaceCheck, FreeKernelsHaveNoRaceInAnyDispatch) {
  VYRE_ORACLE(ReferenceInterpreter, "replays of dispatches of every size and input that the test makes");
  const char* const wanted = std::getenv("VYRE_RACE_KERNELS");
  const uint64_t count = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 600;
  size_t valid = 0, dispatches = 0;
  std::array<size_t, 3> all{};
  for (uint64_t k = 0; k < count; ++k) {
    const std::string text = RandomKernel(k).text();
    auto parsed = text::parse(text);
    ASSERT_TRUE(parsed) << text;
    const auto program = check::check(std::move(*parsed), ops::op_table());
    if (!program) continue;  // barriers under control that is not uniform
    ++valid;
    const RaceVerdict verdict = check_races(*program, {.solver = k % 16 == 0, .limits = {.solver = 400'000}});
    ++all[size_t(verdict.answer)];
    if (verdict.answer != RaceAnswer::Free) continue;
    RandomStream random(5, k);
    for (uint32_t run = 0; run < 24; ++run) {
      std::vector<uint32_t> u = {random.below(5), random.below(4)}, a(64), o(run % 3 == 0 ? 512 : 40);
      for (uint32_t& word : a) word = run % 2 == 0 ? random.below(5) : random.next();
      layout::Groups groups;
      groups.x = verdict.single[0] ? 1 : 1 + random.below(5);
      groups.y = verdict.single[1] ? 1 : 1 + random.below(3);
      const auto found = replay_race(*program, {to_bytes(u), to_bytes(a), to_bytes(o)}, groups);
      ASSERT_TRUE(found) << text;
      ASSERT_FALSE(found->has_value()) << text << "race on element " << (*found)->element;
      ++dispatches;
    }
  }
  fmt::print("{} kernels: {} free, {} race, {} unknown; {} dispatches of the free ones\n", valid, all[0],
             all[1], all[2], dispatches);
  EXPECT_GT(all[size_t(RaceAnswer::Free)], valid / 20);
}

TEST(RaceCheck, NothingWithARaceIsCalledFree) {
  const auto racy = answers(true, 1500);
  // Witnesses are those of the detector, too: a replay that it did not confirm would be unknown.
  EXPECT_GT(racy[size_t(RaceAnswer::Race)], 1400u);
  const auto others = answers(false, 300);
  fmt::print("racy: {} free, {} race, {} unknown; others: {} free, {} race, {} unknown\n", racy[0], racy[1],
             racy[2], others[0], others[1], others[2]);
}

}  // namespace
}  // namespace vyre::verify
