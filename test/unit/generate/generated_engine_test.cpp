// Engines made by chance: that they are valid, that they do what their references say, and that they are made
// smaller.
#include "generate/generated_engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "backend/native/native.h"
#include "backend/registry/registry.h"
#include "check/module.h"
#include "generate/engine_pieces.h"
#include "ops/operation.h"
#include "opspec/arrays.h"
#include "oracle.h"
#include "plan/pipeline.h"
#include "project_files.h"
#include "ref/plan.h"
#include "text/text.h"

VYRE_ORACLE(CpuReference,
            "src/opspec: the references of the pieces, put together; the faults of these are planted");

namespace vyre::generate {
namespace {

using opspec::Buffers;
constexpr uint64_t kSeed = 20;

std::shared_ptr<const check::CheckedModule> checked(const std::string& text,
                                                    const text::Constants& constants = {}) {
  const auto module = text::parse_module(text, &ops::op_table(), constants);
  if (!module) return ADD_FAILURE() << render(module.error(), nullptr) << text, nullptr;
  auto out = check::check(*module, ops::op_table());
  if (!out) return ADD_FAILURE() << render(out.error().front(), nullptr) << text, nullptr;
  return *out;
}
uint32_t pipeline_of(const check::CheckedModule& module, std::string_view name) {
  for (uint32_t p = 0; p < module.pipelines().size(); ++p)
    if (module.pipelines()[p].pipeline->name == name) return p;
  ADD_FAILURE() << "no pipeline " << name;
  return 0;
}
Buffers small_case(const GeneratedEngine& engine, uint32_t size, uint64_t number = 0) {
  RandomStream random(kSeed + 1, number);
  return engine.generate(random, size);
}

/// How many engines are run; the reference interpreter gets one in eight.
uint64_t engines() {
  const char* chosen = std::getenv("VYRE_ENGINES");
  return chosen == nullptr ? 16 : std::strtoull(chosen, nullptr, 10);
}

/// Runs nothing: adds up what a walk hands over, with all turns of repeats.
class Counter final : public ref::PlanRunner {
 public:
  uint64_t dispatches = 0, scratch_bytes = 0, turns = 0;

  Result<void> run(const ref::Segment& segment, ref::Statements&) override {
    uint64_t times = 1;
    size_t ends = 0;
    for (size_t i = 0; i < segment.steps.size(); ++i) {
      const ref::PlanStep& step = segment.steps[i];
      if (i >= ends) times = 1;
      switch (step.kind) {
        case ref::PlanStep::Kind::Dispatch: dispatches += times; break;
        case ref::PlanStep::Kind::Zero: scratch_bytes += segment.of(step)[0].bytes; break;
        case ref::PlanStep::Kind::Repeat:
          times = step.turns;
          turns += times;
          ends = i + 1 + step.count;
          break;
      }
    }
    return {};
  }
};
Counter counted(const check::CheckedModule& module, std::string_view pipeline, const Buffers& buffers) {
  Counter counter;
  std::vector<ref::PlanParameter> parameters;
  for (const opspec::Buffer& buffer : buffers) parameters.push_back({buffer.size(), {}});
  const auto walked = ref::run_plan(module, pipeline_of(module, pipeline), parameters, {}, counter);
  if (!walked) ADD_FAILURE() << render(walked.error(), nullptr);
  return counter;
}
/// The value of a host expression, as the length of an array of scratch.
uint64_t value_of(const std::string& expression, const Buffers& buffers) {
  const auto module = checked(fmt::format(
      "pipeline measure(read keys: u32 @0, read tags: u32 @1, read other: u32 @2, read_write out: u32 @3, "
      "read_write out_tags: u32 @4, read_write total: u32 @5) {{\n  scratch value: u32[{}];\n}}\n",
      expression));
  return module == nullptr ? 0 : counted(*module, "measure", buffers).scratch_bytes / 4;
}

/// What a run leaves.
class Runs {
 public:
  explicit Runs(std::string_view backend)
      : backend_(backend == "native" ? *backend::make_native({.optimisation = 0}) : *backend::open(backend)) {
  }
  Buffers of(const GeneratedEngine& engine, const Buffers& input, const text::Constants& constants = {}) {
    std::shared_ptr<plan::Executable>& executable =
        known_[fmt::format("{}{}", engine.text, constants.empty() ? 0 : constants.begin()->second)];
    if (executable == nullptr) {
      const auto module = checked(engine.text, constants);
      auto made = plan::Executable::make(*backend_, module, pipeline_of(*module, "main"));
      if (!made) return ADD_FAILURE() << render(made.error(), nullptr), input;
      executable = std::make_shared<plan::Executable>(std::move(*made));
    }
    Buffers out = input;
    const std::vector<std::span<std::byte>> host(out.begin(), out.end());
    const auto ran = executable->run_host(host);
    if (!ran) ADD_FAILURE() << render(ran.error(), nullptr);
    return out;
  }

 private:
  std::unique_ptr<backend::Backend> backend_;
  std::map<std::string, std::shared_ptr<plan::Executable>> known_;
};
Runs& native() {
  static Runs runs("native");
  return runs;
}

std::vector<uint32_t> words(const opspec::Buffer& buffer) { return opspec::elements<uint32_t>(buffer); }

TEST(GeneratedEngines, AreValidCanonicalAndOfTwoToEightStages) {
  VYRE_ORACLE(Property, "the checker, the formatter, and that every row of the tables occurs");
  std::set<std::string, std::less<>> stages, pieces;
  std::set<size_t> lengths;
  for (uint64_t number = 0; number < 300; ++number) {
    const GeneratedEngine engine = make_generated_engine(kSeed, number);
    stages.insert(engine.stages.begin(), engine.stages.end());
    pieces.insert(engine.pieces.begin(), engine.pieces.end());
    lengths.insert(engine.stages.size());
    const auto module = checked(engine.text);
    ASSERT_NE(module, nullptr) << engine.strategy();
    EXPECT_EQ(engine.promises.has(library::Invariant::Termination), engine.text.contains("  repeat "));
    EXPECT_EQ(engine.promises.has(library::Invariant::AtomicLinearizable), engine.text.contains("atomic_"));
    ASSERT_EQ(text::format(engine.text).value_or(""), engine.text);
    ASSERT_EQ(make_generated_engine(kSeed, number).text, engine.text);
    ASSERT_GE(counted(*module, "main", small_case(engine, 9)).dispatches, 2u);
  }
  EXPECT_EQ(lengths, (std::set<size_t>{2, 3, 4, 5, 6, 7, 8}));
  for (const std::string_view stage : engine_stages()) EXPECT_TRUE(stages.contains(stage)) << stage;
  for (const Piece& piece : generate::pieces()) EXPECT_TRUE(pieces.contains(piece.name)) << piece.name;
}

TEST(GeneratedEngines, DeclaredBoundsAreWhatTheWalkCounts) {
  VYRE_ORACLE(Property, "src/ref/plan.h, which counts what a run is made of");
  for (uint64_t number = 0; number < 100; ++number) {
    const GeneratedEngine engine = make_generated_engine(kSeed, number);
    const auto module = checked(engine.text);
    for (const uint32_t size : {0u, 1u, 63u, 64u, 2047u, 2048u, 4097u, 20'000u}) {
      Buffers input = small_case(engine, size);
      if (size == 64)  // of other lengths than cases have
        for (size_t b = 0; b < input.size(); ++b) input[b].resize(4 * ((number + b) % 3));
      const Counter counts = counted(*module, "main", input);
      ASSERT_EQ(value_of(engine.dispatches, input), counts.dispatches) << size << "\n" << engine.text;
      ASSERT_EQ(value_of(engine.scratch_bytes, input), counts.scratch_bytes) << size << "\n" << engine.text;
      ASSERT_EQ(value_of(engine.turns, input), counts.turns) << size << "\n" << engine.text;
    }
  }
}

/// Any engines, and each stage after some that establish what it could destroy.
std::vector<GeneratedEngine> engines_with_facts() {
  std::vector<GeneratedEngine> out;
  for (uint64_t number = 0; number < 300; ++number) out.push_back(make_generated_engine(kSeed, number));
  const std::vector<std::vector<std::string_view>> beginnings = {
      {},       {"sort"},  {"sort", "unique"}, {"sort", "run_length"},
      {"join"}, {"top_k"}, {"compact"},        {"sort", "reverse"}};
  for (const std::vector<std::string_view>& beginning : beginnings)
    for (const std::string_view stage : engine_stages())
      for (uint64_t number = 0; number < 4; ++number) {
        EngineOptions options;
        options.stages = beginning;
        options.stages.push_back(stage);
        out.push_back(make_generated_engine(kSeed, number, options));
        EXPECT_EQ(out.back().stages, std::vector<std::string>(options.stages.begin(), options.stages.end()));
      }
  return out;
}

TEST(GeneratedEngines, ClaimedFactsHoldOfWhatTheReferencesLeave) {
  std::map<std::string, int> claimed;
  for (const GeneratedEngine& engine : engines_with_facts()) {
    for (const uint32_t size : {0u, 1u, 2u, 7u, 40u, 300u}) {
      Buffers buffers = small_case(engine, size, size);
      buffers[3].resize(size_t{4} * 4'000);  // room for all
      buffers[4].resize(size_t{4} * 4'000);
      const std::vector<uint32_t> keys = words(buffers[0]);
      engine.reference(buffers);
      const std::vector<opspec::Record> records = engine.records(buffers);
      ASSERT_EQ(records.size(), engine.needed(buffers));
      std::vector<uint32_t> of_keys, of_tags;
      for (const opspec::Record& record : records) {
        of_keys.push_back(record[0]);
        if (engine.has_tags) of_tags.push_back(record[1]);
      }
      const auto is_set = [](std::vector<uint32_t> x) {
        std::ranges::sort(x);
        return std::ranges::adjacent_find(x) == x.end();
      };
      const auto holds = [&](const char* what, bool claim, bool is) {
        claimed[what] += claim;
        EXPECT_TRUE(!claim || is) << what << ", size " << size << "\n" << engine.text;
      };
      const EngineFacts& facts = engine.facts;
      holds("sorted", facts.sorted, std::ranges::is_sorted(of_keys));
      holds("distinct", facts.distinct, is_set(of_keys));
      holds("ascending", facts.ascending && engine.has_tags, std::ranges::is_sorted(of_tags));
      holds("unique tags", facts.unique_tags && engine.has_tags, is_set(of_tags));
      holds("ordered", engine.promises.has(library::Invariant::Ordered), std::ranges::is_sorted(records));
      std::vector<uint32_t> sorted_keys = keys, sorted_records = of_keys;
      std::ranges::sort(sorted_keys);
      std::ranges::sort(sorted_records);
      holds("permutation", facts.permutation, sorted_keys == sorted_records);
      std::map<uint32_t, uint32_t> last;
      bool stable = true;
      for (const opspec::Record& record : records)
        if (engine.has_tags) stable = stable && std::exchange(last[record[0]], record[1]) <= record[1];
      holds("stable", facts.stable && engine.has_tags, stable);
      if (engine.tagged != nullptr) {
        const std::set<opspec::Record> each(records.begin(), records.end());
        holds("once", true, each.size() == records.size());
      }
      // Outputs of half the size say the same, and have the beginning of it.
      Buffers shorter = buffers;
      engine.shorten(shorter);
      engine.reference(shorter);
      EXPECT_EQ(engine.needed(shorter), records.size());
      const std::vector<opspec::Record> first = engine.records(shorter);
      EXPECT_EQ(first.size(), records.size() / 2);
      EXPECT_TRUE(std::ranges::equal(first, std::span(records).first(first.size())));
    }
  }
  EXPECT_EQ(claimed.size(), 8u);
  for (const auto& [what, times] : claimed) EXPECT_GE(times, 300) << what;
}

TEST(GeneratedEngines, RunAsTheirReferencesSay) {
  for (uint64_t number = 0; number < engines(); ++number) {
    const GeneratedEngine engine = make_generated_engine(kSeed, number);
    for (const uint32_t size : {0u, 1u, 3u, 40u, 300u, 3'000u}) {
      const Buffers input = small_case(engine, size, number);
      Buffers wanted = input;
      engine.reference(wanted);
      ASSERT_EQ(native().of(engine, input), wanted) << "size " << size << "\n" << engine.text;
      // Nothing is written but what is said.
      const std::vector<uint64_t> written = engine.written(wanted);
      for (size_t b = 0; b < input.size(); ++b)
        ASSERT_TRUE(std::ranges::equal(std::span(wanted[b]).subspan(written[b]),
                                       std::span(input[b]).subspan(written[b])));
    }
    // Buffers of any lengths have a meaning too.
    RandomStream random(kSeed + 2, number);
    Buffers any = small_case(engine, 100, number);
    for (opspec::Buffer& buffer : any)
      if (random.chance(2)) buffer.resize(size_t{4} * random.below(150));
    Buffers wanted = any;
    engine.reference(wanted);
    ASSERT_EQ(native().of(engine, any), wanted) << engine.text;
  }
}
TEST(GeneratedEngines, RunOnTheReferenceAsTheirReferencesSay) {
  Runs reference("reference");
  for (uint64_t number = 0; number < engines() / 8; ++number) {
    const GeneratedEngine engine = make_generated_engine(kSeed, number);
    const Buffers input = small_case(engine, 20, number);
    Buffers wanted = input;
    engine.reference(wanted);
    ASSERT_EQ(reference.of(engine, input), wanted) << engine.text;
  }
}
TEST(GeneratedEngines, EachWorkgroupSizeLeavesTheSame) {
  VYRE_ORACLE(Property, "runs that agree");
  for (uint64_t number = 0; number < 10; ++number) {
    const GeneratedEngine engine = make_generated_engine(kSeed, number);
    const Buffers input = small_case(engine, 700, number);
    const Buffers one = native().of(engine, input);
    for (const uint32_t w : {64u, 128u})
      ASSERT_EQ(native().of(engine, input, {{"W", w}}), one) << engine.text;
  }
}

TEST(GeneratedEngines, StagesGoAndNamesStay) {
  VYRE_ORACLE(Property, "what a name gives is what it was made of");
  for (uint64_t number = 0; number < 20; ++number) {
    const GeneratedEngine engine = make_generated_engine(kSeed, number);
    EXPECT_EQ(find_generated_engine("chain", kSeed, number)->text, engine.text);
    for (size_t k = 0; k < engine.kept.size(); ++k) {
      const GeneratedEngine less = without_stage(engine, k);
      ASSERT_NE(checked(less.text), nullptr);
      std::vector<std::string> left = engine.stages;
      left.erase(left.begin() + ptrdiff_t(k));
      EXPECT_EQ(less.stages, left);
      EXPECT_EQ(find_generated_engine(less.strategy(), kSeed, number)->text, less.text);
    }
  }
  for (const char* wrong : {"", "chai", "chain-", "chain-0.", "chain-1.0", "chain-0.0", "chain-8", "chain.0",
                            "chain-0-1", "chain-x", "chain-0x"})
    EXPECT_FALSE(find_generated_engine(wrong, kSeed, 0)) << wrong;
}

// A fault planted in the reference of one piece: the last word of the last buffer that has any is another.
const Piece* faulty = nullptr;
void wrong(Buffers& arguments) {
  opspec::find_operation(faulty->name)->reference(arguments);
  const bool params = faulty->parameters.ends_with(" params"), sole = faulty->parameters == "output params";
  const size_t last = params ? (sole ? 0 : arguments.size() - 2) : arguments.size() - 1;
  if (!arguments[last].empty()) arguments[last].back() ^= std::byte{1};
}
opspec::OperationSpec correct(std::string_view id) { return *opspec::find_operation(id); }

TEST(GeneratedEngines, APlantedFaultComesDownToOneStageAndOneItem) {
  EngineOptions options;
  options.reference = [](std::string_view id) { return id == faulty->name ? wrong : correct(id).reference; };
  for (const std::string_view name :
       {"collection.sort_u32", "collection.gather", "collection.scan_inclusive_add", "collection.reverse",
        "collection.top_k", "collection.segmented_reduce_xor", "collection.hash_find"}) {
    faulty = &piece(name);
    uint32_t found = 0;
    for (uint64_t number = 0; number < 1'000 && found < 1; ++number) {
      const GeneratedEngine engine = make_generated_engine(kSeed, number, options);
      if (!opspec::contains(engine.pieces, std::string(name))) continue;
      const auto fails = [](const GeneratedEngine& candidate, const Buffers& input) {
        Buffers wanted = input;
        candidate.reference(wanted);
        return native().of(candidate, input) != wanted;
      };
      const Buffers input = small_case(engine, 60, number);
      if (!fails(engine, input)) continue;  // a later stage hides it
      ++found;
      const ShrunkEngine small = shrink_engine(engine, input, fails);
      EXPECT_TRUE(fails(small.engine, small.input));
      EXPECT_EQ(small.engine.stages.size(), 1u) << small.engine.text;
      EXPECT_TRUE(opspec::contains(small.engine.pieces, std::string(name))) << name << "\n"
                                                                            << small.engine.text;
      EXPECT_LE(words(small.input[0]).size() + words(small.input[2]).size(), 1u) << small.engine.text;
    }
    EXPECT_EQ(found, 1u) << name;
  }
}

TEST(GeneratedEngines, TwoStandInTheManual) {
  VYRE_ORACLE(Regression, "docs/engines.md, \"Generated engines\", which shows what is generated");
  const auto page = test::file_text("docs/engines.md");
  for (const uint64_t number : {uint64_t{137}, uint64_t{148}}) {
    const GeneratedEngine engine = make_generated_engine(1, number);
    for (const std::string& shown : {engine.text, engine.dispatches, engine.scratch_bytes})
      EXPECT_TRUE(page.contains("```\n" + shown)) << number << "\n" << shown;
  }
}

}  // namespace
}  // namespace vyre::generate
