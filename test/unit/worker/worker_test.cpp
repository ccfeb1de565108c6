#include "worker/worker.h"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "../engine_by_hand.h"
#include "faulty.h"
#include "lower/raw.h"
#include "oracle.h"
#include "project_programs.h"
#include "spec/intrinsics.h"
#include "support.h"
#include "worker/process.h"

VYRE_ORACLE(SpecificationTable,
            "worker.h, backend.h and layout.h; the programs' own text, worked out by hand");

namespace vyre::worker {
namespace {

TEST(Worker, AnswersAsItsBackendDoes) {
  const auto worker = open_worker(options_for("reference"));
  const auto plain = backend::open("reference");
  ASSERT_TRUE(plain);
  EXPECT_EQ(worker->identity().name, (*plain)->identity().name);
  EXPECT_EQ(worker->identity().device, (*plain)->identity().device);
  EXPECT_EQ(worker->identity().driver, (*plain)->identity().driver);
  EXPECT_EQ(worker->identity().version, (*plain)->identity().version);
  EXPECT_EQ(worker->identity().kind, spec::DeviceKind::Cpu);
  EXPECT_EQ(worker->limits().max_buffer_bytes, (*plain)->limits().max_buffer_bytes);
  EXPECT_EQ(worker->limits().max_workgroup_bytes, (*plain)->limits().max_workgroup_bytes);
  EXPECT_EQ(worker->convention(), (*plain)->convention());
  const auto floats = worker->floats();
  ASSERT_TRUE(floats) << floats.error().message;
  EXPECT_EQ(floats->line(), (*plain)->floats()->line());
  EXPECT_TRUE(worker->isolated());
  EXPECT_FALSE((*plain)->isolated());
}

TEST(Worker, DoesFloatsInTheFormThatIsAsked) {
  for (const backend::FloatForm form : {backend::FloatForm::Native, backend::FloatForm::Composed}) {
    Options options = options_for("native");
    options.backend_options.floats = form;
    const auto floats = open_worker(options)->floats();
    ASSERT_TRUE(floats) << floats.error().message;
    EXPECT_EQ(floats->form, backend::text(form));
    EXPECT_EQ(floats->native.empty(), form == backend::FloatForm::Composed);
    // Each raw operator on floats but three: no target promises to round 1 / sqrt(a) right, and what GPUs
    // have for BF16 is not asked of others.
    EXPECT_EQ(ptrdiff_t(floats->native.size() + floats->composed.size()) + 3,
              std::ranges::count(lower::kRawOps, true, &lower::RawOpInfo::is_float));
  }
}

TEST(Worker, Dispatches) {
  const auto worker = open_worker(options_for("reference"));
  const auto pipeline = worker->compile(doubling());
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  for (const size_t n : {1u, 100u, 3u, 64u, 100'000u, 2u}) expect_right(**pipeline, 7, n);
}

TEST(Worker, DispatchesInPlace) {
  // worker.h: buffers made in the memory that both see give what copied ones do, and what dispatch() refuses
  // is refused before anything is copied out.
  const auto worker = open_worker(options_for("reference"));
  const auto compiled = worker->compile(doubling());
  ASSERT_TRUE(compiled) << compiled.error().message;
  auto* const pipeline = dynamic_cast<InPlacePipeline*>(compiled->get());
  ASSERT_NE(pipeline, nullptr);
  for (const size_t n : {1u, 100u, 3u, 100'000u, 2u}) {
    const std::vector<uint64_t> sizes = {4 * n, 4 * n};
    const auto fill = [&](std::span<const std::span<std::byte>> shared) {
      ASSERT_EQ(shared.size(), 2u);
      for (const auto buffer : shared) ASSERT_EQ(buffer.size(), 4 * n);
      for (size_t i = 0; i < n; ++i) store_u32(shared[0].data() + 4 * i, i == 0 ? 7 : uint32_t(i));
      std::ranges::fill(shared[1], std::byte(0xab));
    };
    Bytes out;
    const auto copy_out = [&](std::span<const std::span<std::byte>> shared) {
      out.assign(shared[1].begin(), shared[1].end());
    };
    const auto done = pipeline->dispatch_in_place(sizes, {uint32_t((n + 63) / 64), 1, 1}, fill, copy_out);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(to_words(out), doubled(7, n));

    Bytes odd(4 * n + 1), whole(4 * n);
    const std::vector<std::span<std::byte>> host = {odd, whole};
    const auto refused = (*compiled)->dispatch(host, {1, 1, 1});
    const std::vector<uint64_t> odd_sizes = {4 * n + 1, 4 * n};
    const auto also = pipeline->dispatch_in_place(
        odd_sizes, {1, 1, 1}, [](auto) {}, [](auto) { ADD_FAILURE() << "copied out"; });
    ASSERT_FALSE(refused);
    ASSERT_FALSE(also);
    EXPECT_EQ(also.error().code, refused.error().code);
    EXPECT_EQ(also.error().message, refused.error().message);
  }
}

// The worker prints what the test asks for, and a parent quotes what a worker printed before it died.
TEST(Worker, SaysHowManyCoresMayBeUsed) {
  unsigned cores = 5;
  Options options = options_for("faulty:cores");
  options.cores = [&] { return cores; };
  const auto worker = open_worker(options);
  const auto pipeline = worker->compile(doubling());
  ASSERT_TRUE(pipeline);
  expect_right(**pipeline);
  cores = 2;
  expect_right(**pipeline);
  expect_right(**pipeline);
  const Doubled died = run_doubling(**pipeline, kExit3);
  ASSERT_FALSE(died.outcome);
  EXPECT_THAT(died.outcome.error().message, ::testing::EndsWith("it printed last: cores 5 / cores 2"));
}

TEST(Worker, CompilesABatch) {
  const auto worker = open_worker(options_for("native"));
  std::vector<check::Checked> programs;
  for (int k = 0; k < 20; ++k) {
    programs.push_back(
        checked("program p(read x: u32 @0, read_write y: u32 @1) workgroup(64, 1, 1) {\n"
                "  y[invocation_id.x] = x[invocation_id.x] * " +
                std::to_string(k) + ";\n}\n"));
  }
  std::vector<const check::Checked*> pointers;
  for (const auto& program : programs) pointers.push_back(&program);
  auto pipelines = worker->compile_batch(pointers);
  ASSERT_EQ(pipelines.size(), 20u);
  for (uint32_t k = 0; k < 20; k += 3) {
    ASSERT_TRUE(pipelines[k]) << pipelines[k].error().message;
    if (k == 9) pipelines[8] = std::unexpected(Diag{});  // released in the middle
    const Doubled result = run_doubling(**pipelines[k], 5, 3);
    ASSERT_TRUE(result.outcome);
    EXPECT_EQ(result.y, (std::vector<uint32_t>{5 * k, k, 2 * k}));
  }
  EXPECT_TRUE(worker->compile_batch({}).empty());
}

constexpr std::string_view kBallot =
    "program b(read x: u32 @0, read_write y: u32 @1) workgroup(32, 1, 1) {\n"
    "  y[local_id.x] = subgroup.any(x[local_id.x]);\n"
    "}\n";

TEST(Worker, RefusesAnIntrinsicWhereTheTextHasIt) {
  // backend.h, compile(): B002 for an operation of category C that a backend lacks; the position is that of
  // the call in the text above.
  const auto worker = open_worker(options_for("reference"));
  EXPECT_FALSE(worker->has(spec::Intrinsic::SubgroupAny));
  const auto pipeline = worker->compile(checked(kBallot));
  ASSERT_FALSE(pipeline);
  EXPECT_EQ(pipeline.error().code, DiagCode::B002);
  EXPECT_EQ(pipeline.error().span.begin, kBallot.find("subgroup.any"));
}

TEST(Worker, PassesOnWhatABackendHas) {
  const auto worker = open_worker(options_for("faulty"));
  for (size_t i = 0; i < spec::kIntrinsicCount; ++i) {
    const auto intrinsic = static_cast<spec::Intrinsic>(i);
    EXPECT_EQ(worker->has(intrinsic), intrinsic == spec::Intrinsic::SubgroupAny);
  }
}

TEST(Worker, ChecksBindingsWhereTheTextIsKnown) {
  const auto worker = open_worker(options_for("reference"));
  const auto pipeline = worker->compile(doubling());
  ASSERT_TRUE(pipeline);
  Bytes in(6), out(8);
  const std::vector<std::span<std::byte>> host = {in, out};
  const auto done = (*pipeline)->dispatch(host, {1, 1, 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, DiagCode::X002);
  EXPECT_TRUE(done.error().span.known());
}

TEST(Worker, ShowsCode) {
  const auto worker = open_worker(options_for("faulty"));
  const auto pipeline = worker->compile(doubling());
  ASSERT_TRUE(pipeline);
  const auto code = (*pipeline)->code();
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->form, "llvm");
  EXPECT_EQ(code->text, std::string(100'000, 'x'));
}

TEST(Worker, KeepsMemoryOnTheDevice) {
  const auto worker = open_worker(options_for("native"));
  const auto pipeline = worker->compile(doubling());
  ASSERT_TRUE(pipeline);
  auto x = worker->allocate(1024);
  auto y = worker->allocate(1024);
  ASSERT_TRUE(x && y);
  EXPECT_EQ((*x)->bytes(), 1024u);
  EXPECT_TRUE((*x)->host().empty());
  ASSERT_TRUE((*y)->fill(0, 1024, std::byte(0x11)));
  ASSERT_TRUE((*x)->write(256, to_bytes(std::vector<uint32_t>{1, 2, 3, 4})));
  const std::vector<backend::DeviceRange> ranges = {{x->get(), 256, 16}, {y->get(), 512, 16}};
  ASSERT_TRUE((*pipeline)->dispatch_resident(ranges, {1, 1, 1}));
  Bytes read(24);
  ASSERT_TRUE((*y)->read(508, read));
  EXPECT_EQ(to_words(read), (std::vector<uint32_t>{0x11111111, 2, 4, 6, 8, 0x11111111}));

  for (const auto& outside : {(*x)->write(1020, to_bytes(std::vector<uint32_t>{1, 2})),
                              (*x)->read(1025, read), (*x)->fill(1, 1024, std::byte(0))}) {
    ASSERT_FALSE(outside);
    EXPECT_EQ(outside.error().code, DiagCode::B012);
  }
  const std::vector<backend::DeviceRange> crooked = {{x->get(), 4, 16}, {y->get(), 512, 16}};
  EXPECT_EQ((*pipeline)->dispatch_resident(crooked, {1, 1, 1}).error().code, DiagCode::B012);
  const auto other = open_worker(options_for("native"));
  const auto foreign = other->allocate(1024);
  const std::vector<backend::DeviceRange> mixed = {{foreign->get(), 0, 16}, {y->get(), 512, 16}};
  EXPECT_EQ((*pipeline)->dispatch_resident(mixed, {1, 1, 1}).error().code, DiagCode::B012);

  ASSERT_TRUE(worker->restart());
  ASSERT_TRUE((*x)->write(256, to_bytes(std::vector<uint32_t>{7, 7, 7, 7})));
  ASSERT_TRUE((*pipeline)->dispatch_resident(ranges, {1, 1, 1}));
  ASSERT_TRUE((*y)->read(512, std::span(read).first(16)));
  EXPECT_EQ(to_words(std::span(read).first(16)), (std::vector<uint32_t>{14, 14, 14, 14}));
}

TEST(Worker, RunsEngines) {
  for (const char* name : {"native", "reference"}) {
    const auto worker = open_worker(options_for(name)), other = open_worker(options_for(name));
    const auto add_one = vyre::test::checked(vyre::test::kAddOne);
    const auto pipeline = worker->compile(add_one), foreign = other->compile(add_one);
    ASSERT_TRUE(pipeline && foreign);
    vyre::test::EngineByHand engine(*worker, **pipeline);
    engine.judge(*worker);
    // A new process compiles again, and has memory of the same names.
    ASSERT_TRUE(worker->restart());
    engine.judge(*worker);
    const vyre::test::EngineByHand elsewhere(*other, **pipeline), mixed(*worker, **foreign);
    for (const auto& commands : {elsewhere.commands(true), mixed.commands(false)}) {
      const auto refused = worker->record(commands);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, DiagCode::B012);
    }
  }
}

// Larger than what is copied at a time, and of no round size.
TEST(Worker, CopiesLargeBuffersInParts) {
  const auto worker = open_worker(options_for("reference"));
  const size_t n = (size_t{64} << 20) + 12345;
  const auto buffer = worker->allocate(n);
  ASSERT_TRUE(buffer);
  Bytes in(n), out(n);
  for (size_t i = 0; i < n; ++i) in[i] = std::byte(i * 2654435761u >> 13);
  ASSERT_TRUE((*buffer)->write(0, in));
  ASSERT_TRUE((*buffer)->read(0, out));
  EXPECT_TRUE(in == out);
}

size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator all(folder);
  return size_t(std::distance(begin(all), end(all)));
}
/// Whether some child of this process, dead or alive, is not waited for.
bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

TEST(Worker, LeavesNothingBehind) {
  const size_t files = entries_of("/proc/self/fd");
  const auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    size_t shared = 0;
    for (std::string line; std::getline(maps, line);) shared += line.contains("vyre-worker");
    return shared;
  };
  EXPECT_FALSE(has_children());
  {
    const auto worker = open_worker(options_for("faulty"));
    const auto pipeline = worker->compile(doubling());
    ASSERT_TRUE(pipeline);
    expect_right(**pipeline);
    const size_t open_files = entries_of("/proc/self/fd");
    for (uint32_t i = 0; i < 200; ++i) {
      if (i % 4 == 0)
        EXPECT_TRUE(worker->restart());
      else
        EXPECT_FALSE(run_doubling(**pipeline, i % 4 == 1   ? kExit3
                                              : i % 4 == 2 ? kWriteBehind
                                                           : kLoseDevice)
                         .outcome);
      expect_right(**pipeline);
      ASSERT_EQ(entries_of("/proc/self/fd"), open_files) << i;
      ASSERT_LE(mappings(), 4u) << i;
    }
  }
  EXPECT_EQ(entries_of("/proc/self/fd"), files);
  EXPECT_EQ(mappings(), 0u);
  EXPECT_FALSE(has_children());
}

// Workers of several threads, some of which die all the time, do not disturb one another; and one worker may
// be used by several threads.
TEST(Worker, WorksInThreads) {
  const auto shared = open_worker(options_for("reference"));
  std::vector<std::jthread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([t, &shared] {
      const auto own = open_worker(options_for("faulty"));
      const auto pipeline = own->compile(doubling());
      const auto common = shared->compile(doubling());
      ASSERT_TRUE(pipeline && common);
      for (uint32_t i = 0; i < 15; ++i) {
        if (t % 2 == 0) EXPECT_EQ(run_doubling(**pipeline, kAbort).outcome.error().code, DiagCode::B009);
        expect_right(**pipeline, t * 1000 + i, 1000 + t);
        expect_right(**common, t * 1000 + i, 1000 + t);
      }
    });
  }
}

// A worker lives on when the thread that started it has ended.
TEST(Worker, OutlivesTheThreadThatStartedIt) {
  std::unique_ptr<backend::Backend> worker;
  std::jthread([&] { worker = open_worker(options_for("reference")); }).join();
  const auto pipeline = worker->compile(doubling());
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  expect_right(**pipeline);
}

/// The processes with this parent that wait or run; /proc/PID/stat is "pid (name) state parent ...".
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    std::istringstream rest(line.substr(line.rfind(')') + 1));
    char state = 0;
    pid_t its_parent = 0;
    rest >> state >> its_parent;
    if (its_parent == parent && state != 'Z') out.push_back(std::stoi(line));
  }
  return out;
}
bool is_alive(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  return std::getline(file, line) && line.substr(line.rfind(')') + 2, 1) != "Z";
}
template <typename Condition>
bool comes_true(Condition condition) {
  const Deadline until = Clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (Clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

TEST(Worker, DiesWithItsParent) {
  auto parent = Process::start("/proc/self/exe", {"hang-with-a-worker"});
  ASSERT_TRUE(parent) << parent.error().message;
  std::vector<pid_t> workers;
  ASSERT_TRUE(comes_true([&] { return !(workers = children_of((*parent)->pid())).empty(); }));
  ASSERT_EQ(workers.size(), 1u);
  EXPECT_TRUE(is_alive(workers.front()));
  parent->reset();  // killed
  EXPECT_TRUE(comes_true([&] { return !is_alive(workers.front()); }));
}

}  // namespace
}  // namespace vyre::worker
