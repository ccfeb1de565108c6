// Programs and buffers behind a plugin.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <thread>

#include "base/bytes.h"
#include "oracle.h"
#include "support.h"
#include "wire/wire.h"

VYRE_ORACLE(SpecificationTable,
            "include/vyre/backend.h, diag.def and docs/wire-format.md; what each library of plugins/ does; "
            "names and limits by hand");

namespace vyre::backend {
namespace {

using test::checked;
using test::kPlusOne;
using test::log_of_good;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<uint32_t>;

std::unique_ptr<Pipeline> compiled(Backend& backend, std::string_view text) {
  auto pipeline = backend.compile(checked(text));
  EXPECT_TRUE(pipeline) << test::diagnosis(pipeline.error());
  return std::move(pipeline).value();
}

std::span<std::byte> bytes(Words& words) { return std::as_writable_bytes(std::span(words)); }

Result<void> dispatch(Pipeline& pipeline, Words& a, Words& out, layout::Groups groups = {}) {
  const std::array host = {bytes(a), bytes(out)};
  return pipeline.dispatch(host, groups);
}

// ---------------------------------------------------------------------------------------------------------
// What a plugin is given
// ---------------------------------------------------------------------------------------------------------

TEST(Program, IsDescribed) {
  // The program's text, and docs/wire-format.md: bytes 8 to 39 are the digest.
  const auto backend = test::plugin();
  const check::Checked program = checked(R"(
program described(uniform sizes: u32 @9, read wide: u128 @0, read_write half: f16 @4, read_write t: tensor<vec2u32, [4]> @2,
                  workgroup a: u32[3], workgroup b: u64[5]) workgroup(4, 2, 3) {
  a[0] = sizes[0];
})");
  ASSERT_TRUE(backend->compile(program));
  const Log& log = log_of_good();
  const auto expect = [&](size_t i, uint32_t binding, uint32_t access, uint32_t size) {
    EXPECT_EQ(log.bindings[i].binding, binding) << i;
    EXPECT_EQ(log.bindings[i].access, access) << i;
    EXPECT_EQ(log.bindings[i].element_bytes, size) << i;
  };
  ASSERT_EQ(log.bindings.size(), 4u);
  expect(0, 9, VYRE_PLUGIN_UNIFORM, 4);
  expect(1, 0, VYRE_PLUGIN_READ, 16);
  expect(2, 4, VYRE_PLUGIN_READ_WRITE, 2);
  expect(3, 2, VYRE_PLUGIN_READ_WRITE, 8);
  EXPECT_EQ(log.workgroup_bytes, 3u * 4 + 5 * 8);
  EXPECT_THAT(log.workgroup_size, ElementsAre(4, 2, 3));
  const auto decoded = wire::decode(std::as_bytes(std::span(log.wire)));
  ASSERT_TRUE(decoded) << test::diagnosis(decoded.error());
  EXPECT_EQ(decoded->name, "described");
  EXPECT_EQ(log.digest, std::vector<uint8_t>(log.wire.begin() + 8, log.wire.begin() + 40));
}

// That the texts mean the program is for the tests of lowering and for those who compile them:
// examples/backend-plugin is certified.
TEST(Program, IsLoweredToEachForm) {
  const auto backend = test::plugin("forms");
  compiled(*backend, R"(
program summed(read a: u32 @0, read_write out: u32 @1, workgroup w: u32[25]) workgroup(32, 1, 1) {
  w[local_id.x % 25] = 1;
  barrier;
  out[0] = w[0] / a[0];
})");
  const auto& texts = log_of_good().texts;
  EXPECT_THAT(texts.at(VYRE_FORM_KERNEL).text, StartsWith("kernel summed workgroup(32, 1, 1)\n"));
  EXPECT_THAT(texts.at(VYRE_FORM_KERNEL).text, HasSubstr("= div u32"));
  EXPECT_THAT(texts.at(VYRE_FORM_LEGAL).text, StartsWith("legal summed workgroup(32, 1, 1)\n"));
  EXPECT_THAT(texts.at(VYRE_FORM_LEGAL).text, HasSubstr("udiv.raw"));
  EXPECT_THAT(texts.at(VYRE_FORM_LLVM).text, HasSubstr("define void @vyre_kernel(ptr"));
  EXPECT_EQ(texts.at(VYRE_FORM_LLVM).entry, "vyre_kernel");
  EXPECT_GE(texts.at(VYRE_FORM_LLVM).scratch_bytes, 100u);
  const Log::Text& ptx = texts.at(VYRE_FORM_PTX);
  EXPECT_THAT(ptx.text, HasSubstr(".target sm_70"));
  EXPECT_FALSE(ptx.entry.empty());
  EXPECT_THAT(ptx.text, HasSubstr(".entry " + ptx.entry + "("));
  EXPECT_GE(ptx.scratch_bytes, 100u);
  const Log::Text& spirv = texts.at(VYRE_FORM_SPIRV);
  EXPECT_EQ(spirv.status, VYRE_PLUGIN_OK);
  EXPECT_THAT(spirv.text,
              StartsWith(std::string("\x03\x02\x23\x07\x00\x05\x01\x00", 8)));  // magic, version 1.5
  EXPECT_EQ(spirv.text.size() % 4, 0u);
  EXPECT_EQ(spirv.entry, "main");
  EXPECT_EQ(spirv.scratch_bytes, 100u);
  const Log::Text& wgsl = texts.at(VYRE_FORM_WGSL);
  EXPECT_THAT(wgsl.text, HasSubstr("@compute @workgroup_size(32"));
  EXPECT_THAT(wgsl.text, HasSubstr("fn " + wgsl.entry + "("));
  EXPECT_GE(wgsl.scratch_bytes, 100u);
  for (const vyre_form other : {0, 7, 8}) {
    EXPECT_EQ(texts.at(other).status, VYRE_PLUGIN_UNSUPPORTED) << other;
    EXPECT_THAT(texts.at(other).message, HasSubstr(fmt::format("form {}", other)));
  }
}

// A plugin says nothing of its floats, so it gets none.
TEST(Program, GetsFloatsAsIntegers) {
  const auto backend = test::plugin("forms");
  compiled(*backend, R"(
program scaled(read a: f32 @0, read_write out: f32 @1) workgroup(32, 1, 1) {
  let i = invocation_id.x;
  out[i] = fsqrt(a[i] * 1.5 + a[i]) / a[i];
})");
  const auto& texts = log_of_good().texts;
  EXPECT_THAT(texts.at(VYRE_FORM_KERNEL).text, HasSubstr("= fmul f32"));
  for (const char* operation : {"fmul.raw", "fadd.raw", "fdiv.raw", "fsqrt.raw"}) {
    EXPECT_THAT(texts.at(VYRE_FORM_LEGAL).text, Not(HasSubstr(operation)));
  }
  for (const char* operation : {" fmul ", " fadd ", " fdiv ", "llvm.sqrt"}) {
    EXPECT_THAT(texts.at(VYRE_FORM_LLVM).text, Not(HasSubstr(operation)));
  }
  for (const char* operation : {"mul.rn.f32", "add.rn.f32", "div.rn.f32", "sqrt.rn.f32"}) {
    EXPECT_THAT(texts.at(VYRE_FORM_PTX).text, Not(HasSubstr(operation)));
  }
  // OpTypeFloat is instruction 22 and has three words.
  EXPECT_THAT(texts.at(VYRE_FORM_SPIRV).text, Not(HasSubstr(std::string("\x16\x00\x03\x00", 4))));
  // Comments name the types of buffers.
  const std::string wgsl = std::regex_replace(texts.at(VYRE_FORM_WGSL).text, std::regex("//.*"), "");
  EXPECT_THAT(wgsl, HasSubstr("u32"));
  EXPECT_THAT(wgsl, Not(HasSubstr("f32")));
}

TEST(Program, ThatCannotBeLoweredIsReportedByTheHost) {
  const auto backend = test::plugin("unknown form");
  const auto refused = backend->compile(checked(kPlusOne));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B001);
  EXPECT_THAT(refused.error().message, HasSubstr("form 7"));
}

TEST(Program, IsGoneAfterItsCompilation) {
  const auto backend = test::plugin("late");
  compiled(*backend, kPlusOne);
  EXPECT_EQ(log_of_good().late, VYRE_PLUGIN_OK);
  compiled(*backend, kPlusOne);
  EXPECT_EQ(log_of_good().late, VYRE_PLUGIN_FAULT);
}

constexpr std::string_view kBallot = R"(
program ballots(read_write out: vec4u32 @0) workgroup(SIZE, 1, 1) {
  out[0] = subgroup.ballot(1);
})";
std::string ballot(std::string_view size) {
  std::string text(kBallot);
  return text.replace(text.find("SIZE"), 4, size);
}

TEST(Program, ThatDoesNotFitTheDeviceIsRefused) {
  // The limits that the plugin states: 64 invocations, 128 bytes of workgroup memory, and its lanes.
  const auto expect = [](const std::string& mode, const std::string& text, DiagCode code,
                         std::initializer_list<const char*> parts) {
    const auto backend = test::plugin(mode);
    const int before = log_of_good().pipelines;
    const auto refused = backend->compile(checked(text));
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, code) << refused.error().message;
    for (const char* part : parts) EXPECT_THAT(refused.error().message, HasSubstr(part));
    EXPECT_FALSE(refused.error().help.empty());
    EXPECT_EQ(log_of_good().pipelines, before);
  };
  expect("", "program p(read_write out: u32 @0) workgroup(13, 5, 1) { out[0] = 1; }", DiagCode::B003,
         {"65 invocations", "allows 64"});
  expect("", "program p(read_write out: u32 @0, workgroup w: u64[17]) workgroup(1, 1, 1) { out[0] = 1; }",
         DiagCode::B003, {"136 bytes of workgroup memory", "allows 128"});
  expect("", ballot("64"), DiagCode::B002, {"plusone", "subgroup.ballot@1"});
  expect("lanes=8", ballot("12"), DiagCode::B008, {"12 invocations", "subgroups of 8"});
  expect("lanes=0", ballot("64"), DiagCode::B012, {"subgroup size of 0"});
  expect("compile=2", ballot("64"), DiagCode::B012, {"by its own word"});
  EXPECT_TRUE(test::plugin("lanes=8")->compile(checked(ballot("64"))));
}

// ---------------------------------------------------------------------------------------------------------
// Dispatches over host memory
// ---------------------------------------------------------------------------------------------------------

TEST(Dispatch, MovesBuffersThereAndBack) {
  const auto backend = test::plugin();
  const auto pipeline = compiled(*backend, kPlusOne);
  Words a = {1, 0xffffffff, 41}, out = {7, 7, 7, 7};
  const auto done = dispatch(*pipeline, a, out, {2, 3, 4});
  ASSERT_TRUE(done) << test::diagnosis(done.error());
  EXPECT_THAT(out, ElementsAre(2, 0, 42, 7));
  EXPECT_THAT(a, ElementsAre(1, 0xffffffff, 41));
  const Log& log = log_of_good();
  EXPECT_THAT(log.groups, ElementsAre(2, 3, 4));
  ASSERT_EQ(log.ranges.size(), 2u);
  EXPECT_EQ(log.ranges[0].bytes, 12u);
  EXPECT_EQ(log.ranges[0].count, 3u);
  EXPECT_EQ(log.ranges[1].bytes, 16u);
  EXPECT_EQ(log.ranges[1].count, 4u);
}

TEST(Dispatch, ReadsBackWhatProgramsMayWrite) {
  const auto backend = test::plugin();
  const auto pipeline = compiled(*backend, kPlusOne);
  Words a = {1}, out = {0};
  const int before = log_of_good().reads;
  ASSERT_TRUE(dispatch(*pipeline, a, out));
  EXPECT_EQ(log_of_good().reads, before + 1);
}

TEST(Dispatch, TakesEmptyBuffers) {
  const auto backend = test::plugin();
  const auto pipeline = compiled(*backend, kPlusOne);
  Words a, out;
  const int reads = log_of_good().reads, writes = log_of_good().writes;
  ASSERT_TRUE(dispatch(*pipeline, a, out));
  EXPECT_EQ(log_of_good().reads, reads);
  EXPECT_EQ(log_of_good().writes, writes);
  EXPECT_EQ(log_of_good().ranges[0].count, 0u);
}

TEST(Dispatch, AllocatesOnceForManyOfNearlyTheSameSize) {
  const auto backend = test::plugin();
  const auto pipeline = compiled(*backend, kPlusOne);
  const int before = log_of_good().buffers;
  for (uint32_t n = 100; n < 120; ++n) {
    Words a(n, n), out(n, 0);
    ASSERT_TRUE(dispatch(*pipeline, a, out));
    EXPECT_EQ(out, Words(n, n + 1));
  }
  EXPECT_EQ(log_of_good().buffers, before + 2);
  const auto other = compiled(*backend, kPlusOne);
  Words a(110, 5), out(110, 0);
  ASSERT_TRUE(dispatch(*other, a, out));
  EXPECT_EQ(log_of_good().buffers, before + 2) << "pipelines share them";
}

TEST(Dispatch, GivesIdleMemoryBackBeforeItRunsOut) {
  // The mode "memory" has 4096 bytes. 1024 and 1024 lie idle when 2048 and 2048 are wanted, and then 4000.
  const auto backend = test::plugin("memory");
  const auto pipeline = compiled(*backend, kPlusOne);
  for (const uint32_t n : {256u, 512u}) {
    Words a(n, 1), out(n, 0);
    const auto done = dispatch(*pipeline, a, out);
    ASSERT_TRUE(done) << n << test::diagnosis(done.error());
    EXPECT_EQ(out, Words(n, 2));
  }
  ASSERT_TRUE(backend->allocate(0));
  Words a(1000, 1), out(1000, 0);
  const auto refused = dispatch(*pipeline, a, out);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B003);
  EXPECT_EQ(out, Words(1000, 0)) << "a dispatch that was refused has changed nothing";
}

TEST(Dispatch, IsCheckedLikeEveryBackends) {
  const auto backend = test::plugin();
  const auto pipeline = compiled(*backend, kPlusOne);
  Words a(4), out(4);
  const int before = log_of_good().dispatches;
  const auto code = [&](std::initializer_list<std::span<std::byte>> host, layout::Groups groups) {
    const auto refused = pipeline->dispatch(std::vector(host), groups);
    EXPECT_FALSE(refused);
    return refused ? DiagCode::B001 : refused.error().code;
  };
  EXPECT_EQ(code({bytes(a)}, {}), DiagCode::X009);
  EXPECT_EQ(code({bytes(a).first(3), bytes(out)}, {}), DiagCode::X002);
  EXPECT_EQ(code({bytes(a), bytes(a)}, {}), DiagCode::X003);
  EXPECT_EQ(code({bytes(a), bytes(out)}, {0, 1, 1}), DiagCode::X005);
  EXPECT_EQ(log_of_good().dispatches, before);
}

TEST(Dispatch, TurnsStatusesIntoDiagnostics) {
  struct Case {
    const char* mode;
    DiagCode code;
    const char* message;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"compile=1", DiagCode::B001, "plusone: compile: as was asked for"},
           {"compile=2", DiagCode::B012,
            "compile: as was asked for"},  // the program calls nothing of category C
           {"compile=3", DiagCode::B003, "compile: as was asked for"},
           {"compile=5", DiagCode::B012, "compile: as was asked for"},
           {"compile=99", DiagCode::B012, "unknown status 99"},
           {"no pipeline", DiagCode::B012, "gave no pipeline"},
           {"no buffer", DiagCode::B012, "gave no buffer"},
           {"allocate=3", DiagCode::B003, "allocate: as was asked for"},
           {"write=4", DiagCode::B011, "write: as was asked for"},
           {"dispatch=3", DiagCode::B003, "dispatch: as was asked for"},
           {"dispatch=4", DiagCode::B011, "dispatch: as was asked for"},
           {"dispatch=5", DiagCode::B012, "dispatch: as was asked for"},
           {"read=4", DiagCode::B011, "read: as was asked for"},
           {"short write", DiagCode::B012, "wrong size: write moved 11 bytes, and 12 were asked for"},
           {"short read", DiagCode::B012, "wrong size: read moved 0 bytes, and 12 were asked for"}}) {
    const auto backend = test::plugin(c.mode);
    auto pipeline = backend->compile(checked(kPlusOne));
    Words a(3), out(3);
    const Result<void> done = pipeline ? dispatch(**pipeline, a, out) : std::unexpected(pipeline.error());
    ASSERT_FALSE(done) << c.mode;
    EXPECT_EQ(done.error().code, c.code) << c.mode;
    EXPECT_THAT(done.error().message, HasSubstr(c.message)) << c.mode;
    EXPECT_FALSE(done.error().help.empty()) << c.mode;
  }
}

TEST(Dispatch, OfManyThreadsReachesThePluginOneAtATime) {
  const auto backend = test::plugin("slow");
  const int before = log_of_good().overlaps;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto pipeline = compiled(*backend, kPlusOne);
      for (uint32_t i = 0; i < 100; ++i) {
        Words a(8, t * 1000 + i), out(8, 0);
        if (!dispatch(*pipeline, a, out) || out != Words(8, t * 1000 + i + 1)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(log_of_good().overlaps, before);
}

// ---------------------------------------------------------------------------------------------------------
// Buffers that stay on the device
// ---------------------------------------------------------------------------------------------------------

TEST(Resident, BuffersStayBetweenDispatches) {
  const auto backend = test::plugin();
  const auto pipeline = compiled(*backend, kPlusOne);
  auto one = backend->allocate(1024);
  auto two = backend->allocate(1024);
  ASSERT_TRUE(one && two);
  EXPECT_EQ((*one)->bytes(), 1024u);
  EXPECT_TRUE((*one)->host().empty());
  ASSERT_TRUE((*one)->fill(0, 1024, std::byte{0}));
  Words in = {10, 20};
  ASSERT_TRUE((*one)->write(256, bytes(in)));
  // From the first to the second, and back to another place.
  const std::array there = {DeviceRange{one->get(), 256, 8}, DeviceRange{two->get(), 512, 8}};
  const std::array back = {DeviceRange{two->get(), 512, 8}, DeviceRange{one->get(), 768, 8}};
  ASSERT_TRUE(pipeline->dispatch_resident(there, {}));
  EXPECT_EQ(log_of_good().ranges[1].count, 2u);
  ASSERT_TRUE(pipeline->dispatch_resident(back, {}));
  Words out(4);
  ASSERT_TRUE((*one)->read(764, bytes(out)));
  EXPECT_THAT(out, ElementsAre(0, 12, 22, 0));
}

TEST(Resident, RangesAreChecked) {
  const auto backend = test::plugin();
  const auto other = test::plugin();
  const auto pipeline = compiled(*backend, kPlusOne);
  auto one = backend->allocate(1024);
  auto foreign = other->allocate(1024);
  const auto reference = make_reference();
  auto host = reference->allocate(1024);
  ASSERT_TRUE(one && foreign && host);
  const auto code = [&](DeviceRange a, DeviceRange out) {
    const std::array ranges = {a, out};
    const auto refused = pipeline->dispatch_resident(ranges, {});
    EXPECT_FALSE(refused);
    return refused ? DiagCode::B001 : refused.error().code;
  };
  const DeviceRange good = {one->get(), 0, 64};
  EXPECT_EQ(code(good, {one->get(), 128, 64}), DiagCode::B012);   // not a multiple of 256
  EXPECT_EQ(code(good, {one->get(), 768, 260}), DiagCode::B012);  // past the end
  EXPECT_EQ(code(good, {foreign->get(), 0, 64}), DiagCode::B012);
  EXPECT_EQ(code(good, {host->get(), 0, 64}), DiagCode::B012);
  EXPECT_EQ(code(good, {one->get(), 256, 63}), DiagCode::X002);
  EXPECT_EQ(code({one->get(), 0, 260}, {one->get(), 256, 64}), DiagCode::X003);
  EXPECT_FALSE((*one)->write(1020, bytes(*std::make_unique<Words>(2))));
  EXPECT_FALSE((*one)->fill(1025, 0, std::byte{0}));
  Words two(2);
  EXPECT_EQ((*one)->read(UINT64_MAX, bytes(two)).error().code, DiagCode::B012);
}

TEST(Resident, AllocationsKeepTheLimit) {
  const auto backend = test::plugin();
  EXPECT_TRUE(backend->allocate(1 << 20));
  EXPECT_TRUE(backend->allocate(0));
  const auto refused = backend->allocate((1 << 20) + 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, DiagCode::B003);
  EXPECT_THAT(refused.error().message, testing::AllOf(HasSubstr("1048577"), HasSubstr("1048576")));
}

TEST(Resident, TheDeviceIsClosedLast) {
  Log& log = log_of_good();
  const int closed = log.closed, buffers = log.buffers - log.buffers_freed;
  const int pipelines = log.pipelines - log.pipelines_freed;
  auto backend = test::plugin();
  auto pipeline = compiled(*backend, kPlusOne);
  auto buffer = backend->allocate(64);
  Words a(3, 1), out(3);
  ASSERT_TRUE(dispatch(*pipeline, a, out));
  backend.reset();
  EXPECT_EQ(log.closed, closed);
  ASSERT_TRUE(dispatch(*pipeline, a, out));
  pipeline.reset();
  EXPECT_EQ(log.closed, closed);
  buffer->reset();
  EXPECT_EQ(log.closed, closed + 1);
  EXPECT_EQ(log.buffers - log.buffers_freed, buffers);
  EXPECT_EQ(log.pipelines - log.pipelines_freed, pipelines);
}

}  // namespace
}  // namespace vyre::backend
