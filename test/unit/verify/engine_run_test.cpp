// Pipelines dispatch by dispatch: they leave what a whole run leaves, and what is seen of each dispatch is
// what it did.
#include "verify/engine_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "atomic_watch.h"
#include "backend/registry/registry.h"
#include "library/library.h"
#include "native.h"
#include "ops/operation.h"
#include "oracle.h"
#include "plan/pipeline.h"
#include "text/text.h"

VYRE_ORACLE(
    SpecificationTable,
    "worked out by hand from the text of each pipeline (docs/spec/pipelines.md); where a fault was planted, "
    "the dispatch that it was planted in");

namespace vyre::verify {
namespace {

std::shared_ptr<const check::CheckedModule> module_of(std::string_view text) {
  auto parsed = text::parse_module(text, &ops::op_table());
  if (!parsed) throw std::runtime_error(parsed.error().message);
  auto checked = check::check(std::move(*parsed), ops::op_table());
  if (!checked) throw std::runtime_error(checked.error().front().message);
  return *checked;
}

uint32_t number_of(const check::CheckedModule& module, std::string_view pipeline) {
  const auto& all = module.module().pipelines;
  return uint32_t(std::ranges::find(all, pipeline, &ir::Pipeline::name) - all.begin());
}

template <class T>
T taken(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

Bytes words(std::initializer_list<uint32_t> list) { return to_bytes(std::vector<uint32_t>(list)); }

/// Halves a word until it is zero, and counts the turns; three scratch arrays, two of them at one time.
constexpr std::string_view kHalves = R"(
program halve(read_write state: u32 @0, read_write turns: u32 @1) workgroup(1, 1, 1) {
  let half = state[0] / 2;
  state[0] = half;
  turns[0] = turns[0] + 1;
}

program move(read from: u32 @0, uniform what: u32 @1, read_write to: u32 @2) workgroup(4, 1, 1) {
  let i = invocation_id.x;
  to[i] = from[i] + what[0];
}

pipeline copy(read from: u32 @0, uniform what: u32 @1, read_write to: u32 @2) {
  scratch between: u32[len(from)];
  dispatch move(from, what, to = between) groups(1);
  dispatch move(from = between, what, to) groups(1);
}

pipeline main(read values: u32 @0, uniform most: u32 @1, read_write out: u32 @2) {
  scratch state: u32[4];
  run copy(from = values, what = [0], to = state);
  scratch after: u32[2];
  repeat most[0] while (state[0]) {
    dispatch halve(state, turns = after) groups(1);
  }
  run copy(from = after, what = [10], to = out);
}
)";

TEST(EngineRun, EachDispatchIsSeenInItsPlace) {
  const auto module = module_of(kHalves);
  StageRun run = taken(StageRun::make(native(), module, number_of(*module, "main")));
  std::vector<std::string> seen;
  std::vector<uint32_t> halves;
  const StageReport report =
      taken(run.run({words({9, 0, 0, 0}), words({7}), words({1, 2, 3})}, [&](const SeenDispatch& dispatch) {
        EXPECT_EQ(dispatch.stage.ordinal, seen.size());
        seen.push_back(run.text(dispatch.stage));
        EXPECT_EQ(dispatch.broken, 0u);
        EXPECT_EQ(dispatch.history, nullptr);
        const std::string& name = dispatch.program.program().name;
        if (name == "halve") halves.push_back(load_u32(dispatch.after[0].data()));
        if (name == "move") EXPECT_TRUE(std::ranges::equal(dispatch.before[0], dispatch.after[0]));
      }));
  // 9 is 4, 2, 1 and 0 after four turns.
  EXPECT_EQ(halves, (std::vector<uint32_t>{4, 2, 1, 0}));
  const std::vector<std::string> names = {"copy 1: move",  "copy 2: move",  "main 4: halve", "main 4: halve",
                                          "main 4: halve", "main 4: halve", "copy 1: move",  "copy 2: move"};
  EXPECT_EQ(seen, names);
  EXPECT_EQ(report.buffers, (opspec::Buffers{words({9, 0, 0, 0}), words({7}), words({24, 20, 10})}));
  EXPECT_EQ(report.dispatches, 8u);
  EXPECT_EQ(report.turns, 4u);
  ASSERT_EQ(report.repeats.size(), 1u);
  EXPECT_TRUE(report.repeats[0].ended);
  EXPECT_EQ(report.repeats[0].turns, 4u);
  EXPECT_EQ(report.repeats[0].most, 7u);
  // state with between of 4 words; then state, after and between of 2.
  EXPECT_EQ(report.scratch_bytes, 32u);
  EXPECT_EQ(report.broken + report.stray, 0u);
  EXPECT_GT(report.guard_words, 0u);
  ASSERT_NE(report.last_writer(2, 0), nullptr);
  EXPECT_EQ(report.last_writer(2, 0)->ordinal, 7u);
  EXPECT_EQ(report.last_writer(0, 0), nullptr);
}

TEST(EngineRun, ARepeatThatRunsOutOfTurnsIsNotEndedByItsWord) {
  const auto module = module_of(kHalves);
  StageRun run = taken(StageRun::make(native(), module, number_of(*module, "main")));
  for (const uint32_t most : {3, 4}) {
    const StageReport report = taken(run.run({words({9, 0, 0, 0}), words({most}), words({1, 2, 3})}));
    EXPECT_EQ(report.turns, most);
    EXPECT_EQ(report.repeats.at(0).ended, most == 4);
  }
}

/// A backend of which one dispatch writes where it must not: the native one, which then turns a byte.
class Stray final : public backend::Backend {
 public:
  /// The byte at `offset` from the begin of what the program binds to `buffer`, after its dispatch `number`.
  Stray(std::string_view program, size_t buffer, int64_t offset, uint32_t number)
      : program_(program), buffer_(buffer), offset_(offset), number_(number) {}

  backend::Identity identity() const override { return {"stray", "", "", ""}; }
  backend::Limits limits() const override { return native().limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(compiled, native().compile(program));
    if (program.program().name != program_) return std::move(compiled);
    return std::make_unique<Dispatches>(*this, std::move(compiled));
  }

 private:
  class Dispatches final : public backend::Pipeline {
   public:
    Dispatches(Stray& of, std::unique_ptr<backend::Pipeline> inner) : of_(of), inner_(std::move(inner)) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      VYRE_CHECK(inner_->dispatch(host, groups));
      if (of_.number_-- == 0) host[of_.buffer_].data()[of_.offset_] ^= std::byte{4};
      return {};
    }

   private:
    Stray& of_;
    std::unique_ptr<backend::Pipeline> inner_;
  };
  std::string program_;
  size_t buffer_;
  int64_t offset_;
  uint32_t number_;
};

TEST(EngineRun, ADispatchThatWritesBesideItsBuffersIsFound) {
  const auto module = module_of(kHalves);
  struct Planted {
    std::string_view program;
    size_t buffer;  // of the program
    int64_t offset;
    uint32_t number;   // of its dispatches
    uint64_t ordinal;  // of those of the run
  };
  // state has 16 bytes, after 8, values 16, out 12.
  for (const Planted& p : {Planted{"halve", 0, -1, 0, 2},
                           {"halve", 0, 16, 2, 4},
                           {"halve", 1, 8, 3, 5},
                           {"halve", 1, -256, 1, 3},
                           {"move", 0, 16, 0, 0},
                           {"move", 2, 12 + 255, 3, 7}}) {
    Stray backend(p.program, p.buffer, p.offset, p.number);
    StageRun run = taken(StageRun::make(backend, module, number_of(*module, "main")));
    std::vector<uint64_t> broken;
    const StageReport report =
        taken(run.run({words({9, 0, 0, 0}), words({7}), words({1, 2, 3})},
                      [&](const SeenDispatch& dispatch) { broken.push_back(dispatch.broken); }));
    ASSERT_EQ(broken.size(), 8u);
    for (uint64_t ordinal = 0; ordinal < 8; ++ordinal)
      EXPECT_EQ(broken[ordinal], ordinal == p.ordinal ? 1u : 0u) << p.program << ' ' << p.offset;
    // What was beside a buffer stays there until the end.
    EXPECT_EQ(report.broken, 1u);
    EXPECT_EQ(report.buffers[2], words({24, 20, 10}));
  }
}

/// The native backend, whose largest buffer is small: it says so, and has no more.
class Small final : public backend::Backend {
 public:
  Small(uint64_t said, uint64_t most) : said_(said), most_(most) {}
  backend::Identity identity() const override { return {"small", "", "", ""}; }
  backend::Limits limits() const override {
    backend::Limits limits = native().limits();
    limits.max_buffer_bytes = said_;
    return limits;
  }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    return native().compile(program);
  }
  Result<std::unique_ptr<backend::DeviceBuffer>> allocate(uint64_t bytes) override {
    asked = std::max(asked, bytes);
    if (bytes > most_)
      return std::unexpected(make_diag(DiagCode::B003, Span::none(), "too large", "ask for less"));
    return native().allocate(bytes);
  }
  uint64_t asked = 0;

 private:
  uint64_t said_, most_;
};

TEST(EngineRun, WhatFitsTheDeviceIsNotAskedForTwice) {
  const auto module = module_of(kHalves);
  const auto run_on = [&](Small& backend) {
    StageRun run = taken(StageRun::make(backend, module, number_of(*module, "main")));
    return run.run({words({9, 0, 0, 0}), words({7}), words({1, 2, 3})});
  };
  Small ample(uint64_t{1} << 40, UINT64_MAX), frugal(0, UINT64_MAX);
  ASSERT_TRUE(run_on(ample));
  ASSERT_TRUE(run_on(frugal));
  EXPECT_GT(ample.asked, frugal.asked);
  // A device with just what the run has.
  Small tight(frugal.asked, frugal.asked);
  const auto report = run_on(tight);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->buffers[2], words({24, 20, 10}));
}

TEST(EngineRun, TheDispatchThatWroteAWrongWordIsNamed) {
  const auto module = module_of(kHalves);
  Stray backend("move", 2, 4, 3);  // out[1], in the last dispatch
  StageRun run = taken(StageRun::make(backend, module, number_of(*module, "main")));
  const StageReport report = taken(run.run({words({9, 0, 0, 0}), words({7}), words({1, 2, 3})}));
  EXPECT_EQ(report.buffers[2], words({24, 20 ^ 4, 10}));
  ASSERT_NE(report.last_writer(2, 1), nullptr);
  EXPECT_EQ(run.text(*report.last_writer(2, 1)), "copy 2: move");
}

TEST(EngineRun, ADispatchThatWritesIntoAnotherBufferIsFound) {
  const auto module = module_of(kHalves);
  struct Planted {
    std::string_view program;
    size_t buffer;
    uint32_t number;
    uint64_t ordinal;
  };
  // What move reads, and the uniform words that it is given.
  for (const Planted& p : {Planted{"move", 0, 0, 0}, {"move", 1, 2, 6}}) {
    Stray backend(p.program, p.buffer, 0, p.number);
    StageRun run = taken(StageRun::make(backend, module, number_of(*module, "main")));
    std::vector<uint64_t> stray;
    const StageReport report =
        taken(run.run({words({9, 0, 0, 0}), words({7}), words({1, 2, 3})},
                      [&](const SeenDispatch& dispatch) { stray.push_back(dispatch.stray); }));
    for (uint64_t ordinal = 0; ordinal < 8; ++ordinal)
      EXPECT_EQ(stray.at(ordinal), ordinal == p.ordinal ? 1u : 0u) << p.program << ' ' << ordinal;
    EXPECT_EQ(report.stray, 1u);
    EXPECT_EQ(report.broken, 0u);
  }
}

/// An addition that a second run of the dispatch would make twice.
constexpr std::string_view kAdds = R"(
program add(read_write sums: u32 @0) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  let old = atomic_add(sums[i % 3], i);
}

pipeline main(read_write sums: u32 @0) {
  scratch others: u32[3];
  dispatch add(sums = others) groups(1);
  dispatch add(sums) groups(3);
}
)";

TEST(EngineRun, AHistoryWithoutRoomIsRecordedAgainFromTheSameContents) {
  const auto module = module_of(kAdds);
  StageRun run =
      taken(StageRun::make(native(), module, number_of(*module, "main"), {.record = true, .events = 1}));
  std::vector<uint64_t> events;
  const StageReport report = taken(run.run({words({5, 6, 7})}, [&](const SeenDispatch& dispatch) {
    events.push_back(dispatch.history->events);
    EXPECT_TRUE(dispatch.history->complete(dispatch.history->kept.size()));
    EXPECT_EQ(judge_atomics(dispatch.program, dispatch.before, dispatch.after, *dispatch.history).ordered,
              Ordered::Yes);
  }));
  EXPECT_EQ(events, (std::vector<uint64_t>{64, 192}));
  // Of 0 to 191 those that are 0, 1 and 2 modulo 3, 64 of each.
  EXPECT_EQ(report.buffers[0], words({5 + 6048, 6 + 6112, 7 + 6176}));
  EXPECT_EQ(report.stray, 0u);
}

/// Two dispatches over one parameter, of which each writes words of its own.
constexpr std::string_view kWriters = R"(
program evens(read_write out: u32 @0) workgroup(4, 1, 1) {
  out[invocation_id.x * 2] = 7;
}

program threes(read_write out: u32 @0) workgroup(4, 1, 1) {
  out[invocation_id.x * 3] = 7 + invocation_id.x;
}

pipeline main(read_write out: u32 @0) {
  dispatch evens(out) groups(1);
  dispatch threes(out) groups(1);
}
)";

TEST(EngineRun, TheLastDispatchThatChangedAWordIsItsWriter) {
  const auto module = module_of(kWriters);
  StageRun run = taken(StageRun::make(native(), module, number_of(*module, "main")));
  const StageReport report = taken(run.run({Bytes(32)}));
  // Words 0, 2, 4, 6 are 7; then 0, 3, 6 are 7, 8, 9, of which 0 changes nothing.
  const std::vector<int> wanted = {0, -1, 0, 1, 0, -1, 1, -1};
  for (size_t word = 0; word < wanted.size(); ++word) {
    const Stage* stage = report.last_writer(0, word);
    EXPECT_EQ(stage == nullptr ? -1 : int(stage->ordinal), wanted[word]) << word;
  }
}

struct Listed {
  uint64_t texts = 0, dispatches = 0, events = 0;
};

/// A case of an operation on a backend, its atomics recorded: the result is the reference's, every history
/// has an order, and where invocations run in order it lists exactly the atomics that there are.
void record_case(backend::Backend& backend, bool in_order, const opspec::OperationSpec& operation,
                 const std::shared_ptr<const check::CheckedModule>& module, uint32_t size, Listed& listed) {
  StageRun run =
      taken(StageRun::make(backend, module, number_of(*module, "main"), {.record = true, .events = 64}));
  const opspec::Buffers input = opspec::make_case(operation, 28, 1, size);
  opspec::Buffers wanted = input;
  operation.reference(wanted);
  const StageReport report = taken(run.run(input, [&](const SeenDispatch& dispatch) {
    ASSERT_EQ(dispatch.history != nullptr, has_atomics(dispatch.program));
    if (dispatch.history == nullptr) return;
    const AtomicVerdict verdict =
        judge_atomics(dispatch.program, dispatch.before, dispatch.after, *dispatch.history);
    EXPECT_EQ(verdict.ordered, Ordered::Yes)
        << operation.id << ", " << run.text(dispatch.stage) << ": " << verdict.reason;
    ++listed.dispatches;
    listed.events += verdict.events;
    if (!in_order) return;
    std::vector<Bytes> before;
    for (const BufferBytes& buffer : dispatch.before) before.emplace_back(buffer.begin(), buffer.end());
    EXPECT_EQ(atomics_of(*dispatch.history).size(),
              atomics_in_order(dispatch.program, std::move(before), dispatch.stage.groups).size())
        << operation.id;
  }));
  EXPECT_EQ(report.buffers, wanted) << operation.id;
  EXPECT_EQ(report.broken + report.stray, 0u);
}

TEST(EngineRun, EveryTextOfTheLibraryWithAtomicsIsRecorded) {
  VYRE_ORACLE(ReferenceInterpreter,
              "its evaluator over a memory that writes atomics down; results: src/opspec");
  // What the optimiser makes of recordings is for the random programs to see.
  const auto reference = backend::make_reference();
  const char* chosen = std::getenv("VYRE_BACKEND");
  const auto compiled =
      chosen == nullptr ? *backend::make_native({.optimisation = 0}) : taken(backend::open(chosen));
  Listed listed;
  for (const library::Entry& entry : library::entries()) {
    const opspec::OperationSpec* operation = opspec::find_operation(entry.id);
    const ir::Module* text = ops::op_table().find_module(entry.id, 1);
    ASSERT_NE(text, nullptr);
    if (operation == nullptr) continue;
    const auto module = *check::check(*text, ops::op_table());
    const auto reached = plan::programs_of(*module, number_of(*module, "main"));
    if (std::ranges::none_of(reached, [&](uint32_t p) { return has_atomics(*module->programs()[p]); }))
      continue;
    ++listed.texts;
    // As many buffers as every device of WebGPU can bind; the history is one of them.
    constexpr size_t kBuffersOfAnyDevice = 8;
    if (library::find_engine(entry.id) != nullptr)
      for (const uint32_t p : reached) {
        const check::Checked& program = *module->programs()[p];
        EXPECT_LE(program.bound_buffers().size() + has_atomics(program), kBuffersOfAnyDevice)
            << entry.id << ", " << program.program().name;
      }
    record_case(*reference, true, *operation, module, 3, listed);
    record_case(*compiled, false, *operation, module, 40, listed);
  }
  EXPECT_GE(listed.texts, 38u);
  EXPECT_GT(listed.events, 1'000u);
  RecordProperty("texts", int(listed.texts));
  RecordProperty("events", int(listed.events));
}

}  // namespace
}  // namespace vyre::verify
