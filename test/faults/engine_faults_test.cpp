// Planted faults of engines: each changes what some operation of the library leaves, or the counts or the
// guards of its runs; without one nothing changes.
#include "engine_faults.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/native/native.h"
#include "check/module.h"
#include "ops/operation.h"
#include "opspec/opspec.h"
#include "oracle.h"
#include "plan/pipeline.h"

VYRE_ORACLE(
    Property,
    "engine_faults.def: a fault is where the bytes, counts or guards are not those of the right backend");

namespace vyre::faults {
namespace {

/// What distinguishes two runs.
struct Seen {
  opspec::Buffers buffers;
  uint64_t dispatches = 0, turns = 0, unfinished = 0, broken_guards = 0;
  bool operator==(const Seen&) const = default;
};

/// Operations on a backend, each over memory of its own that it keeps.
class Runs {
 public:
  explicit Runs(std::unique_ptr<backend::Backend> backend) : backend_(std::move(backend)) {}

  Seen run(const std::string& id, const opspec::Buffers& input) {
    One& one = at(id);
    uint64_t size = 0;
    for (const opspec::Buffer& buffer : input) size += aligned(buffer.size());
    if (one.memory == nullptr || one.memory->bytes() < size)
      one.memory = backend_->allocate(2 * size).value();
    std::vector<backend::DeviceRange> ranges;
    uint64_t offset = 0;
    for (const opspec::Buffer& buffer : input) {
      EXPECT_TRUE(one.memory->write(offset, buffer));
      ranges.push_back({one.memory.get(), offset, buffer.size()});
      offset += aligned(buffer.size());
    }
    plan::RunNotes notes;
    notes.guard_bytes = 256;
    const auto ran = one.executable.run(ranges, &notes);
    EXPECT_TRUE(ran) << id << ": " << ran.error().message;
    Seen out{.buffers = input,
             .dispatches = notes.dispatches,
             .turns = notes.turns,
             .broken_guards = notes.broken_guards};
    for (const auto& [place, times] : notes.unfinished) out.unfinished += times;
    EXPECT_TRUE(notes.scratch_bytes == 0 || notes.guard_words > 0) << id;
    for (size_t i = 0; i < input.size(); ++i) EXPECT_TRUE(one.memory->read(ranges[i].offset, out.buffers[i]));
    return out;
  }

 private:
  struct One {
    plan::Executable executable;
    std::unique_ptr<backend::DeviceBuffer> memory;
  };
  static uint64_t aligned(uint64_t bytes) { return (bytes + 255) / 256 * 256 + 256; }

  One& at(const std::string& id) {
    const auto found = all_.find(id);
    if (found != all_.end()) return found->second;
    const ir::Module& text = *ops::op_table().find_module(id, 1);
    auto module = check::check(text, ops::op_table()).value();
    const auto main = std::ranges::find(text.pipelines, "main", &ir::Pipeline::name);
    auto made = plan::Executable::make(*backend_, std::move(module), uint32_t(main - text.pipelines.begin()));
    return all_.emplace(id, One{std::move(made).value(), nullptr}).first->second;
  }

  std::unique_ptr<backend::Backend> backend_;
  std::map<std::string, One> all_;  // goes before the backend
};

std::unique_ptr<backend::Backend> native() {
  return backend::make_native({.optimisation = 0, .threads = 1}).value();
}

/// Elements or vertices of the cases.
constexpr uint32_t kSizes[] = {300, 37, 1200};

opspec::Buffers case_of(const std::string& id, uint64_t number, uint32_t size) {
  return opspec::make_case(*opspec::find_operation(id), 28, number, size);
}

/// Where a fault shows: an operation, and one that runs between two runs of it.
struct Where {
  EngineFault fault;
  std::string id;
  std::string between = "collection.iota";
  uint32_t runs = 1;
  std::optional<uint32_t> size = std::nullopt;
};

/// How many of these runs are others than on the right backend.
uint32_t differences(const Where& where, EngineFault fault) {
  Runs right(native()), wrong(make_engine_fault(fault, native()));
  uint32_t out = 0;
  const auto both = [&](const std::string& id, const opspec::Buffers& input) {
    out += right.run(id, input) == wrong.run(id, input) ? 0 : 1;
  };
  for (uint32_t k = 0; k < where.runs; ++k) {
    for (const uint32_t size : kSizes) both(where.id, case_of(where.id, k, where.size.value_or(size)));
    both(where.between, case_of(where.between, k, 20));
    both(where.id, case_of(where.id, k, where.size.value_or(kSizes[0])));
  }
  return out;
}

const Where kWhere[] = {
    {EngineFault::StaleScratch, "graph.bfs"},
    {EngineFault::DispatchSkipped, "graph.bfs", "collection.iota", 30},
    {EngineFault::OrderSwapped, "graph.bfs"},
    {EngineFault::StaleArguments, "graph.bfs"},
    {EngineFault::WorkgroupLost, "collection.iota", "collection.reverse", 1, 600'000},
    {EngineFault::TurnMissing, "graph.bfs"},
    {EngineFault::WordIgnored, "graph.topological_levels"},
    {EngineFault::WriteBehind, "graph.bfs"},
    {EngineFault::AtomicLost, "graph.topological_levels"},
    {EngineFault::HistoryInScratch, "graph.bfs"},
};

class AnEngineFault : public testing::TestWithParam<Where> {};

TEST_P(AnEngineFault, IsSeen) {
  EXPECT_GT(differences(GetParam(), GetParam().fault), 0u) << kEngineFaults[size_t(GetParam().fault)].meaning;
}

INSTANTIATE_TEST_SUITE_P(Ledger, AnEngineFault, testing::ValuesIn(kWhere), [](const auto& info) {
  return std::string(kEngineFaults[size_t(info.param.fault)].name);
});

TEST(NoEngineFault, IsSeen) {
  for (const char* id : {"graph.bfs", "graph.topological_levels", "collection.iota"})
    EXPECT_EQ(differences({.fault = EngineFault::None, .id = id}, EngineFault::None), 0u) << id;
}

TEST(EngineFaults, EachIsPlanted) {
  ASSERT_EQ(std::size(kWhere), kEngineFaults.size());
  for (size_t i = 0; i < kEngineFaults.size(); ++i) EXPECT_EQ(kWhere[i].fault, kEngineFaults[i].fault);
}

}  // namespace
}  // namespace vyre::faults
