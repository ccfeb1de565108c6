// The suite: selections, progress, interruption, and that a certificate does not depend on how the work was
// spread.
#include "suite/suite.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <mutex>
#include <set>
#include <thread>

#include "backend/native/native.h"
#include "base/names.h"
#include "operation_files.h"
#include "oracle.h"
#include "suite/progress.h"
#include "suite/replay.h"
#include "verify/shape_factors.h"

VYRE_ORACLE(SpecificationTable,
            "docs/adding-an-op.md, docs/commands.md, explain C003 and C007, and counts by hand");

namespace vyre::suite {
namespace {

TEST(Select, Globs) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("primitive.*.add", "primitive.math.add"));
  EXPECT_TRUE(matches("*.sh?", "primitive.bitwise.shl"));
  EXPECT_TRUE(matches("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(matches("*.sh?", "primitive.bitwise.sh"));
  EXPECT_FALSE(matches("add", "primitive.math.add"));
  EXPECT_FALSE(matches("", "x"));
  EXPECT_FALSE(matches("a*b", "a-b-c"));
  // Cost is a product, not a power.
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*b", std::string(2'000, 'a')));
}

TEST(Select, FindsTheOperations) {
  EXPECT_EQ(select("*")->operations.size(),
            operation_files::primitives() + operation_files::float_operations());
  EXPECT_EQ(select("primitive.*")->operations.size(), operation_files::primitives());
  EXPECT_EQ(select("primitive.bitwise.rot?")->operations.size(), 2u);
  EXPECT_EQ(select("*")->over_buffers.size(), library::entries().size());
  EXPECT_EQ(select("hash.xxh*")->over_buffers.size(), 2u);
  EXPECT_TRUE(select("hash.*")->operations.empty());
  EXPECT_TRUE(select("*approx", true)->over_buffers.empty());
  const auto none = select("nothing.*");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, DiagCode::C004);
}

Plan small_plan() {
  Plan plan;
  plan.strength = verify::Strength::Quick;
  plan.selection = "primitive.math.s*";
  plan.families = std::vector{verify::Family::Casts, verify::Family::Loops};
  plan.operation_plan = verify::OperationPlan{100, 1'000, 500, false, 2'000, 1'000};
  plan.operation_plan->laws = false;
  plan.family_plan = verify::FamilyPlan{200, 1, 0};
  return plan;
}

// The device's name says how many threads the backend itself has, so that is the same in both.
TEST(Run, IsAPureFunctionOfPlanAndBackend) {
  VYRE_ORACLE(Property,
              "\"a pure function of the verdicts\" (design, the harness): two runs, one subject after the "
              "other and four side by side whatever the machine has, agree in every byte of the certificate");
  std::string texts[2];
  for (const int k : {0, 1}) {
    const int side_by_side = k == 0 ? 1 : 4;
    const auto backend = backend::make_native({.optimisation = 0, .threads = 2});
    ASSERT_TRUE(backend.has_value());
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, size_t(side_by_side));
    tbb::task_arena arena(side_by_side);
    std::mutex mutex;
    std::set<std::thread::id> judges;
    const auto watch = [&](const Progress&) {
      const std::lock_guard lock(mutex);
      judges.insert(std::this_thread::get_id());
    };
    const auto run = arena.execute([&] { return suite::run(**backend, small_plan(), watch, nullptr); });
    ASSERT_TRUE(run.has_value());
    EXPECT_EQ(judges.size() > 1, side_by_side > 1) << judges.size() << " threads";
    texts[k] = certify::print(run->certificate);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_TRUE(certify::parse(texts[0]).has_value());
}

TEST(Run, DoesNotDependOnTheNumberOfWorkers) {
  VYRE_ORACLE(Property, "the same; here each thread has a backend of its own");
  std::string texts[2];
  for (const unsigned workers : {1u, 3u}) {
    std::atomic<unsigned> opened = 0;
    const Opener open = [&]() -> Result<std::unique_ptr<backend::Backend>> {
      ++opened;
      VYRE_TRY(backend, backend::make_native({.optimisation = 0}));
      return std::move(backend);
    };
    std::atomic<unsigned> judging = 99;
    std::vector<unsigned> seen;
    const auto watch = [&](const Progress&) { seen.push_back(judging); };
    const auto run = suite::run(open, workers, small_plan(), watch, nullptr, &judging);
    ASSERT_TRUE(run.has_value());
    EXPECT_EQ(opened, workers);
    // None is out of work while there are more subjects than workers; in the end all are.
    EXPECT_EQ(seen.front(), workers);
    EXPECT_EQ(judging, 0u);
    texts[workers == 1 ? 0 : 1] = certify::print(run->certificate);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Run, BeginsWithWhatIsLongest) {
  // 55 casts of integers in two pipelines each are more programs to compile than 4 random ones, and anything
  // that compiles many is longer than some thousand evaluations.
  Plan plan = small_plan();
  plan.families = std::vector{verify::Family::Programs, verify::Family::Casts};
  plan.family_plan = verify::FamilyPlan{20, 1, 4};
  std::vector<std::string> order;
  const auto watch = [&](const Progress& progress) {
    if (order.empty() || order.back() != progress.subject) order.emplace_back(progress.subject);
  };
  const Opener open = []() -> Result<std::unique_ptr<backend::Backend>> {
    VYRE_TRY(backend, backend::make_native({.optimisation = 0}));
    return std::move(backend);
  };
  ASSERT_TRUE(suite::run(open, 1, plan, watch, nullptr).has_value());
  ASSERT_GE(order.size(), 3u);
  EXPECT_EQ(order.front(), "ir.casts");
  EXPECT_EQ(order[1], "ir.programs");
}

TEST(Run, EndsWhenABackendDoesNotOpen) {
  // What opening answers is the run's error, whichever thread it is that opened.
  for (const unsigned missing : {1u, 2u}) {
    std::atomic<unsigned> opened = 0;
    const Opener open = [&]() -> Result<std::unique_ptr<backend::Backend>> {
      if (++opened == missing) return std::unexpected(make_diag(DiagCode::B001, Span::none(), "gone"));
      VYRE_TRY(backend, backend::make_native({.optimisation = 0}));
      return std::move(backend);
    };
    const auto run = suite::run(open, 2, small_plan(), {}, nullptr);
    ASSERT_FALSE(run.has_value());
    EXPECT_EQ(run.error().code, DiagCode::B001);
  }
}

TEST(Complete, NothingMayBeLeftOut) {
  VYRE_ORACLE(
      Property,
      "the registry says what there is to judge; a certificate from which something is gone is refused");
  certify::Certificate whole;
  whole.registry = certify::this_registry();
  whole.selection = "primitive.math.s*";
  const auto operations = select(whole.selection);
  ASSERT_TRUE(operations.has_value());
  for (const ops::Operation* op : operations->operations) {
    verify::Verdict& v = whole.verdicts.emplace_back();
    v.kind = verify::SubjectKind::Operation;
    v.subject = verify::subject_of(op->id, op->version);
    for (const spec::Law& law : op->laws) v.laws.push_back({spec::to_string(law), true, {}});
    for (const spec::Denial& d : op->denied) v.laws.push_back({spec::to_string(d.law), false, {}});
    for (const auto& c : op->classes) v.classes.push_back({std::string(c.name), 1});
    v.boundaries = uint32_t(op->boundaries.size());
    uint64_t cases = 0;
    for (const verify::Task& task :
         verify::tasks_of(*op, verify::operation_plan(whole.strength), whole.seed)) {
      if (task.kind == verify::Task::Kind::Cases) cases += task.count;
    }
    v.parity = {{verify::Oracle::SpecificationTable, {op->rows.size(), 0, 0}},
                {verify::Oracle::CpuReference, {cases, 0, 0}}};
  }
  for (const verify::Part& part : verify::all_parts()) {
    if (part.track != verify::Track::Integer) continue;  // nothing of the other was selected
    verify::Verdict& v = whole.verdicts.emplace_back();
    v.kind = verify::SubjectKind::Family;
    v.subject = verify::info(part.family).text;
    // That these are the sizes that a run has is for Families.HaveTheSizeThatIsPlanned (verify).
    const verify::FamilySize size = verify::size_of(part, verify::family_plan(whole.strength), whole.seed);
    v.parity = size.parity;
    v.determinism.planned = size.repeated;
    v.operators = size.operators;
    v.shapes = size.shapes;
    v.laws = size.laws;
    if (part.family == verify::Family::Shapes) {
      const uint32_t strength = verify::shape_strength(whole.strength);
      v.coverage = verify::coverage_of(*verify::shape_plan(strength, whole.seed), strength);
    }
  }
  const auto family = [&](verify::Family wanted) {
    return size_t(std::ranges::find(whole.verdicts, verify::info(wanted).text, &verify::Verdict::subject) -
                  whole.verdicts.begin());
  };
  const size_t casts = family(verify::Family::Casts), loops = family(verify::Family::Loops),
               operators = family(verify::Family::Operators),
               planted_laws = family(verify::Family::PlantedLaws),
               programs = family(verify::Family::Programs);
  ASSERT_TRUE(expect_complete(whole).has_value()) << expect_complete(whole).error().message;

  certify::Certificate part = whole;
  part.verdicts.resize(operations->operations.size());
  part.family_selection = "none";
  EXPECT_TRUE(expect_complete(part).has_value()) << "of families nothing was asked";

  const std::vector<std::pair<const char*, std::function<void(certify::Certificate&)>>> spoilers = {
      {"families that were asked", [](auto& c) { c.family_selection = "ir.casts"; }},
      {"families that were not asked", [](auto& c) { c.family_selection = "none"; }},
      {"an operation", [](auto& c) { c.verdicts.erase(c.verdicts.begin()); }},
      {"a family", [](auto& c) { c.verdicts.pop_back(); }},
      {"a family twice", [](auto& c) { c.verdicts.push_back(c.verdicts.back()); }},
      {"the track of a family", [](auto& c) { c.verdicts.back().track = verify::Track::Float; }},
      {"a law", [](auto& c) { c.verdicts[0].laws.pop_back(); }},
      {"all laws", [](auto& c) { c.verdicts[0].laws.clear(); }},
      {"a claim turned denial", [](auto& c) { c.verdicts[0].laws[0].claimed ^= true; }},
      {"a class", [](auto& c) { c.verdicts[0].classes.pop_back(); }},
      {"a row", [](auto& c) { --c.verdicts[0].parity[0].tally.planned; }},
      {"a case", [](auto& c) { --c.verdicts[0].parity[1].tally.planned; }},
      {"an oracle", [](auto& c) { c.verdicts[0].parity.pop_back(); }},
      {"a boundary value", [](auto& c) { --c.verdicts[0].boundaries; }},
      {"a larger selection", [](auto& c) { c.selection = "*"; }},
      {"a case of a family", [=](auto& c) { --c.verdicts[casts].parity[1].tally.planned; }},
      {"a row of a family", [=](auto& c) { --c.verdicts[casts].parity[0].tally.planned; }},
      {"an operator of a family", [=](auto& c) { --c.verdicts[casts].operators; }},
      {"a program of a family", [=](auto& c) { --c.verdicts[loops].parity[0].tally.planned; }},
      {"a random program", [=](auto& c) { --c.verdicts[programs].parity[0].tally.planned; }},
      {"a shape of a family", [=](auto& c) { --c.verdicts[loops].shapes; }},
      {"repetitions of a family", [=](auto& c) { --c.verdicts[loops].determinism.planned; }},
      {"a planted law", [=](auto& c) { --c.verdicts[planted_laws].parity[0].tally.planned; }},
      {"a law of an operator", [=](auto& c) { c.verdicts[operators].laws.pop_back(); }},
      {"an oracle of a family", [=](auto& c) { c.verdicts[casts].parity.pop_back(); }},
      {"one that judges nothing", [=](auto& c) { c.verdicts[loops].parity.push_back({}); }},
      {"what is planned at full", [](auto& c) { c.strength = verify::Strength::Full; }},
  };
  for (const auto& [name, spoil] : spoilers) {
    certify::Certificate less = whole;
    spoil(less);
    const auto result = expect_complete(less);
    ASSERT_FALSE(result.has_value()) << name;
    EXPECT_EQ(result.error().code, DiagCode::C002) << name;
  }
}

TEST(Run, StopsWithoutACertificate) {
  const auto backend = backend::make_native({.optimisation = 0});
  ASSERT_TRUE(backend.has_value());
  std::atomic<bool> stop = false;
  size_t seen = 0;
  const auto run = suite::run(
      **backend, small_plan(),
      [&](const Progress& p) {
        stop = true;
        seen += p.expected > 0;
      },
      &stop);
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().code, DiagCode::C007);
  EXPECT_GT(seen, 0u);
}

TEST(Select, FindsTheFamilies) {
  const auto operations = select("*");
  ASSERT_TRUE(operations.has_value());
  const auto of = [&](std::string_view pattern) { return select_parts(*operations, pattern); };
  EXPECT_EQ(of("ir.barriers")->size(), 1u);
  EXPECT_EQ(of("ir.casts")->size(), 2u);
  EXPECT_EQ(of("none")->size(), 0u);
  EXPECT_GT(of("*")->size(), 16u);
  const auto unknown = of("ir.barrier");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, DiagCode::C004);
  EXPECT_NE(unknown.error().help.find("ir.barriers"), std::string::npos) << unknown.error().help;
}

TEST(Progress, IsALineEveryTenSecondsInALog) {
  // A clock of seconds, of which the tenth and the twentieth are due.
  double now = 0;
  std::string log, terminal;
  {
    ProgressLine line(false, [&] { return now; }, [&](const std::string& text) { log += text; });
    ProgressLine shown(true, [&] { return now; }, [&](const std::string& text) { terminal += text; });
    const Watch watch = line.watch(), other = shown.watch();
    for (uint64_t second = 0; second < 25; ++second) {
      now = double(second);
      watch({"ir.casts", second * 2'000'000, second, 50, second / 10, 3});
      other({"ir.casts", second * 2'000'000, second, 50, second / 10, 3});
    }
  }
  EXPECT_EQ(log,
            " 20 %  1/3 subjects  20,000,000 cases  2.0 M/s  40 s left  ir.casts\n"
            " 40 %  2/3 subjects  40,000,000 cases  2.0 M/s  30 s left  ir.casts\n");
  EXPECT_EQ(std::ranges::count(terminal, '\n'), 0);
  EXPECT_EQ(std::ranges::count(terminal, '\r'), 25);
}

TEST(Progress, SaysRateAndTimeLeft) {
  const std::string line = progress_line({"primitive.math.gcd@1", 50'000'000, 1'000, 2'000, 12, 51}, 10);
  EXPECT_EQ(line, " 50 %  12/51 subjects  5.0 M/s  10 s left  primitive.math.gcd@1");
}

TEST(Replay, RefusesWhatItCannotFind) {
  const auto backend = backend::make_reference();
  for (const char* token :
       {"primitive.math.nothing@1:random:1:1", "primitive.math.add@1:nothing:1:1",
        "primitive.math.add@1:rows:1:4000", "primitive.math.add@1:law:99:0x1",
        "primitive.math.add@1:law:0:0x1", "ir.nothing:program:1:1", "ir.barriers:random:1:1",
        "ir.operators/nothing.u32:random:1:1", "ir.casts:program:1:1", "primitive.math.add@1:whole:1:1",
        "primitive.math.add@1:boundary:1:99"}) {
    const auto result = replay(token, *backend);
    ASSERT_FALSE(result.has_value()) << token;
    EXPECT_EQ(result.error().code, DiagCode::C003) << token;
  }
}

TEST(Replay, PassesOnTheReference) {
  VYRE_ORACLE(ReferenceInterpreter, "the reference is right by definition");
  const auto backend = backend::make_reference();
  for (const char* token :
       {"primitive.math.add@1:rows:1:0", "primitive.math.add@1:law:0:0x1,0x2", "ir.loops:program:1:3",
        "ir.operators/shr.i32:rows:1:0", "ir.atomics/atomic_add.u32:rows:1:1"}) {
    const auto result = replay(token, *backend);
    ASSERT_TRUE(result.has_value()) << token << ": " << result.error().message;
    EXPECT_FALSE(result->fails) << result->report;
  }
}

}  // namespace
}  // namespace vyre::suite
