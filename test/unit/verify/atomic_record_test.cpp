// Recordings of programs with atomics: they leave the bytes that the originals leave, list every atomic that
// ran, and what did not happen one at a time is refused.
#include "verify/atomic_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <regex>

#include "atomic_watch.h"
#include "backend/backend.h"
#include "generate/programs.h"
#include "native.h"
#include "ops/operation.h"
#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(ReferenceInterpreter,
            "what the original leaves there, and its atomics as a memory of the evaluator sees them");

namespace vyre::verify {
namespace {

using spec::Op;

auto key(const RecordedEvent& e) {
  // A value to compare with is of compare-exchange alone.
  const uint32_t expected = e.event.op == Op::AtomicCompareExchange ? e.event.expected : 0;
  return std::tuple(e.buffer, e.element, e.event.op, e.event.value, expected, e.event.saw,
                    e.event.invocation);
}

bool same(const std::vector<RecordedEvent>& a, const std::vector<RecordedEvent>& b) {
  return std::ranges::equal(a, b, {}, key, key);
}

struct Left {
  std::vector<Bytes> buffers;
  RecordedHistory history;
};

/// What a recording leaves of these buffers.
Left run_recorded(backend::Backend& backend, const check::Checked& recording, std::vector<Bytes> buffers,
                  layout::Groups groups, uint64_t room = 20'000) {
  buffers.emplace_back(history_words(room) * 4);
  const auto compiled = *backend.compile(recording);
  const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const auto done = compiled->dispatch(host, groups);
  if (!done) throw std::runtime_error(done.error().message);
  RecordedHistory history = events_of(buffers.back());
  buffers.pop_back();
  return {std::move(buffers), std::move(history)};
}

std::vector<Bytes> run_original(backend::Backend& backend, const check::Checked& program,
                                std::vector<Bytes> buffers, layout::Groups groups) {
  const auto compiled = *backend.compile(program);
  const std::vector<std::span<std::byte>> host(buffers.begin(), buffers.end());
  const auto done = compiled->dispatch(host, groups);
  if (!done) throw std::runtime_error(done.error().message);
  return buffers;
}

AtomicVerdict judged(const check::Checked& program, const std::vector<Bytes>& before,
                     const std::vector<Bytes>& after, const RecordedHistory& history) {
  const std::vector<BufferBytes> first(before.begin(), before.end()), last(after.begin(), after.end());
  return judge_atomics(program, first, last, history);
}

struct Counts {
  uint64_t programs = 0, events = 0, nested = 0;
};

/// One program with its input: on the reference event by event, on the native backend as a set.
void compare(const check::Checked& program, const std::vector<Bytes>& input, layout::Groups groups,
             Counts& counts) {
  const auto recorded = Recorded::of(program);
  ASSERT_TRUE(recorded) << recorded.error().message;
  const check::Checked& recording = recorded->program();
  ASSERT_EQ(recording.bound_buffers().size(), program.bound_buffers().size() + 1);
  std::vector<RecordedEvent> wanted = atomics_in_order(program, input, groups);
  ++counts.programs;
  counts.events += wanted.size();
  const auto reference = backend::make_reference();
  const std::vector<Bytes> bytes = run_original(*reference, program, input, groups);
  const Left left = run_recorded(*reference, recording, input, groups);
  ASSERT_EQ(left.buffers, bytes) << text::print(recording.program());
  ASSERT_TRUE(same(atomics_of(left.history), wanted)) << text::print(recording.program());
  const AtomicVerdict verdict = judged(program, input, left.buffers, left.history);
  ASSERT_EQ(verdict.ordered, Ordered::Yes) << verdict.reason << '\n' << text::print(program.program());
  ASSERT_EQ(verdict.events, left.history.kept.size());

  const Left compiled = run_recorded(native(), recording, input, groups);
  ASSERT_EQ(compiled.buffers, bytes) << text::print(recording.program());
  ASSERT_EQ(atomics_of(compiled.history).size(), wanted.size());
  const AtomicVerdict other = judged(program, input, compiled.buffers, compiled.history);
  ASSERT_EQ(other.ordered, Ordered::Yes) << other.reason << '\n' << text::print(program.program());
}

TEST(AtomicRecord, RandomProgramsLeaveTheirBytesAndListEveryAtomic) {
  generate::ProgramOptions options = generate::ProgramOptions::small(&ops::op_table());
  options.max_nodes = 60;
  options.additions = true;
  Counts counts;
  for (uint64_t index = 0; counts.programs < 60; ++index) {
    const generate::ProgramCase c = generate::random_program(28, index, options);
    const auto program = check::check(c.program, ops::op_table());
    ASSERT_TRUE(program);
    if (c.approximate || !has_atomics(*program)) continue;
    compare(*program, c.buffers, c.groups, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.events, 500u);
}

check::Checked parsed(std::string_view program) {
  auto parsed = text::parse(program);
  if (!parsed) throw std::runtime_error(parsed.error().message);
  auto checked = check::check(std::move(*parsed), ops::op_table());
  if (!checked) throw std::runtime_error(checked.error().front().message);
  return std::move(*checked);
}

/// Every place where an atomic can stand, loads of the same word before and behind it, and names that the
/// recording would like to have.
constexpr std::string_view kEveryPlace = R"(
program every_place(read_write history: u32 @0, read_write other: u32 @7) workgroup(4, 2, 1) {
  let invocation = invocation_id.x + invocation_id.y * 4;
  let x = history[invocation] + atomic_add(history[invocation], 5) * 3 + history[invocation];
  let sum = select(atomic_max(history[invocation], x) < 9, x, atomic_xor(history[invocation], 7));
  if (atomic_exchange(history[(atomic_add(history[invocation], 0) & 0) + invocation], 40) > 3) {
    history[invocation] = atomic_and(history[invocation], 12) + history[invocation];
  } else {
    other[invocation] = atomic_or(other[invocation], 1 << invocation);
  }
  for i in atomic_min(other[invocation], 2)..atomic_add(other[invocation], 1) + 4 {
    sum = sum * 3 + atomic_compare_exchange(other[invocation], atomic_add(history[invocation], 1) % 3, i);
  }
  let beyond = atomic_add(other[invocation + 1000], 3);
  let shared = atomic_add(other[8], 1);
  history[invocation] = sum + beyond;
}
)";

constexpr std::string_view kCount = R"(
program count(read values: u32 @0, read_write bins: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  if (i < len(values)) {
    let old = atomic_add(bins[values[i]], i % 3 + 1);
  }
}
)";

TEST(AtomicRecord, EveryPlaceOfAnAtomicKeepsTheOrderOfEvaluation) {
  const check::Checked program = parsed(kEveryPlace);
  Counts counts;
  compare(program, {to_bytes(std::vector<uint32_t>{9, 8, 7, 6, 5, 4, 3, 2}), Bytes(36)}, {}, counts);
  EXPECT_GT(counts.events, 8u * 10);
}

TEST(AtomicRecord, ARecordingHasNoRace) {
  const auto detector = backend::make_reference({.detect_races = true});
  const check::Checked places = parsed(kEveryPlace), count = parsed(kCount);
  const std::vector<Bytes> few = {Bytes(32), Bytes(36)}, bins = {Bytes(64), Bytes(16)};
  for (const auto& [program, input] : {std::pair(&places, &few), {&count, &bins}}) {
    const auto recorded = *Recorded::of(*program);
    EXPECT_EQ(run_recorded(*detector, recorded.program(), *input, {}, 500).buffers,
              run_original(native(), *program, *input, {}));
  }
}

TEST(AtomicRecord, AHistoryThatIsTooShortSaysHowLongItWouldBe) {
  const check::Checked program = parsed(kEveryPlace);
  const auto recorded = *Recorded::of(program);
  const std::vector<Bytes> input = {Bytes(32), Bytes(36)};
  const Left whole = run_recorded(native(), recorded.program(), input, {});
  ASSERT_GT(whole.history.events, 20u);
  for (const uint64_t room : {0, 1, 20}) {
    const Left left = run_recorded(native(), recorded.program(), input, {}, room);
    EXPECT_EQ(left.buffers, whole.buffers);
    EXPECT_EQ(left.history.events, whole.history.events);
    EXPECT_EQ(left.history.kept.size(), room);
    EXPECT_FALSE(left.history.complete(room));
    EXPECT_EQ(judged(program, input, left.buffers, left.history).ordered, Ordered::Undecided);
  }
}

struct Counted {
  check::Checked program = parsed(kCount);
  std::vector<Bytes> before = {{}, to_bytes(std::vector<uint32_t>{3, 0, 0, 7})};
  layout::Groups groups{4, 1, 1};
  Left left;

  Counted() {
    std::vector<uint32_t> values;
    for (uint32_t i = 0; i < 200; ++i) values.push_back(i * i % 3);
    before[0] = to_bytes(values);
    left = run_recorded(native(), Recorded::of(program)->program(), before, groups);
  }
  AtomicVerdict verdict(const RecordedHistory& history) const {
    return judged(program, before, left.buffers, history);
  }
};

TEST(AtomicRecord, WhatIsChangedInAHistoryIsRefused) {
  VYRE_ORACLE(SpecificationTable,
              "a fault was planted in the history of 200 additions, none of them of zero");
  const Counted counted;
  ASSERT_EQ(counted.verdict(counted.left.history).ordered, Ordered::Yes);
  ASSERT_EQ(counted.left.history.kept.size(), 200u);
  const auto refused = [&](const std::function<void(RecordedHistory&)>& plant) {
    RecordedHistory planted = counted.left.history;
    plant(planted);
    const AtomicVerdict verdict = counted.verdict(planted);
    EXPECT_FALSE(verdict.ordered != Ordered::No || verdict.reason.empty());
    return verdict.reason;
  };
  for (size_t k = 0; k < 200; k += 7) {
    EXPECT_TRUE(refused([&](RecordedHistory& h) { ++h.kept[k].event.saw; }).starts_with("bins["));
    refused([&](RecordedHistory& h) { ++h.kept[k].event.value; });
    refused([&](RecordedHistory& h) { h.kept[k].event.op = Op::AtomicExchange; });
    refused([&](RecordedHistory& h) { h.kept[k].element = 3; });
    refused([&](RecordedHistory& h) { h.kept[k].buffer = check::BufferId{0}; });
    refused([&](RecordedHistory& h) { h.kept[k].element = 4; });  // beyond the end, and it saw something
    refused([&](RecordedHistory& h) { h.kept.push_back(h.kept[k]), ++h.events; });
    refused([&](RecordedHistory& h) { h.kept.erase(h.kept.begin() + ptrdiff_t(k)), --h.events; });
  }
}

TEST(AtomicRecord, AWordThatNoEventChangedIsAsItWas) {
  VYRE_ORACLE(SpecificationTable, "a fault was planted: a word that another one wrote");
  Counted counted;
  counted.left.buffers[1][12] = std::byte{8};
  EXPECT_EQ(counted.verdict(counted.left.history).reason,
            "bins[3], 0x7 before and 0x8 after, was changed by no event");
}

TEST(AtomicRecord, APlaceWithoutAnEventIsRefused) {
  VYRE_ORACLE(SpecificationTable, "a fault was planted: a history whose counter is one ahead");
  const Counted counted;
  const RecordedHistory history = events_of(to_bytes(std::vector<uint32_t>{1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(counted.verdict(history).reason, "place 0 of 1 in the history has no event");
}

TEST(AtomicRecord, ALoadAnAdditionAndAStoreLoseUpdatesAndAreRefused) {
  VYRE_ORACLE(SpecificationTable,
              "a fault was planted: an atomic as three accesses, between which others come");
  const Counted counted;
  const std::string recording = text::print(Recorded::of(counted.program)->program().program());
  const std::regex atomic(R"(let (saw\w*) = atomic_add\((bins\[\w+\]), (\w+)\);)");
  ASSERT_TRUE(std::regex_search(recording, atomic)) << recording;
  const check::Checked torn =
      parsed(std::regex_replace(recording, atomic, "let $1 = $2;\n    $2 = $1 + $3;"));
  uint32_t lost = 0, in_order = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    // The reference with another order of all accesses each time.
    const auto backend = backend::make_reference({.schedule = seed});
    std::vector<uint32_t> few(24);
    std::vector<Bytes> before = {to_bytes(few), Bytes(16)};
    const Left left = run_recorded(*backend, torn, before, {});
    const AtomicVerdict verdict = judged(counted.program, before, left.buffers, left.history);
    // 24 additions of 1, 2, 3, 1, ...: what is there is their sum, or some were lost.
    const bool whole = load_u32(left.buffers[1].data()) == 48;
    EXPECT_TRUE(whole || verdict.ordered == Ordered::No) << seed;
    lost += verdict.ordered == Ordered::No;

    const Left right = run_recorded(*backend, Recorded::of(counted.program)->program(), before, {});
    in_order += judged(counted.program, before, right.buffers, right.history).ordered == Ordered::Yes;
  }
  EXPECT_EQ(lost, 8u);
  EXPECT_EQ(in_order, 8u);
}

TEST(AtomicRecord, AStoreBesideAnAtomicOfAnotherInvocationHasNoOrder) {
  VYRE_ORACLE(SpecificationTable,
              "data races, docs/races.md: a barrier orders a workgroup, nothing orders two");
  constexpr std::string_view kText =
      "program p(read_write bins: u32 @0) workgroup(4, 2, 1) { bins[0] = 1; ORDER let old = "
      "atomic_add(bins[0], 1); }";
  const auto with = [&](std::string_view order) {
    return parsed(std::regex_replace(std::string(kText), std::regex("ORDER"), std::string(order)));
  };
  const check::Checked bare = with(""), ordered = with("barrier;");
  // In two workgroups side by side, rows of 8: 0 and 8 are of the left one, 4 is of the right one.
  const auto found = [&](const check::Checked& program, uint32_t storing, uint32_t other, bool stores = true,
                         uint32_t element = 0) {
    RecordedHistory history{.events = 2};
    for (const uint32_t invocation : {storing, other})
      history.kept.push_back({.element = element,
                              .store = stores && invocation == storing,
                              .event = {.op = Op::AtomicAdd, .value = 1, .invocation = invocation}});
    const Bytes bins(4);
    const std::vector<BufferBytes> buffers = {bins};
    return unordered_store(program, {2, 1, 1}, buffers, history).value_or("");
  };
  EXPECT_EQ(found(bare, 0, 8), "bins[0] is stored to by invocation 0, and invocation 8 changes it too");
  EXPECT_EQ(found(bare, 8, 8), "");
  EXPECT_EQ(found(bare, 0, 8, false), "");
  EXPECT_EQ(found(bare, 0, 8, true, 1), "") << "out of bounds";
  EXPECT_EQ(found(ordered, 0, 8), "");
  EXPECT_EQ(found(ordered, 12, 4), "");
  EXPECT_EQ(found(ordered, 0, 4), "bins[0] is stored to by invocation 0, and invocation 4 changes it too");
}

}  // namespace
}  // namespace vyre::verify
