#include "backend/native/native.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <ctime>

#include "check/module.h"
#include "oracle.h"
#include "project_files.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "backend.h and diag.def; closed forms by hand");

#if defined(__SANITIZE_ADDRESS__)
#define VYRE_TEST_UNDER_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VYRE_TEST_UNDER_ASAN
#endif
#endif

namespace vyre::backend {
namespace {

using test::Buffers;
using test::checked;
using test::inputs;

std::unique_ptr<Backend> native(int level, unsigned threads) {
  auto backend = make_native({.optimisation = level, .threads = threads});
  EXPECT_TRUE(backend) << test::diagnosis(backend.error());
  return std::move(*backend);
}

TEST(Native, EveryWorkgroupSizeHasItsLanes) {
  // Closed forms, written here: lane j of n sees the value that lane n - 1 - j stored.
  const auto backend = native(2, 2);
  for (const uint32_t size :
       {1u, 2u, 3u, 7u, 8u, 9u, 31u, 32u, 33u, 64u, 100u, 255u, 256u, 511u, 1000u, 1023u, 1024u}) {
    const std::string n = std::to_string(size);
    const auto program = checked("program p(read_write out: u32 @0, workgroup t: u32[" + n + "]) workgroup(" +
                                 n + ", 1, 1) { t[local_id.x] = local_id.x * 3 + workgroup_id.x; barrier;" +
                                 " out[invocation_id.x] = t[" + n + " - 1 - local_id.x]; }");
    const auto pipeline = backend->compile(program);
    ASSERT_TRUE(pipeline);
    Buffers out = {std::vector<uint32_t>(size * 3)};
    out = test::pipeline_result(**pipeline, out, {3, 1, 1});
    for (uint32_t i = 0; i < size * 3; ++i) {
      ASSERT_EQ(out[0][i], (size - 1 - i % size) * 3 + i / size) << "size " << size << ", element " << i;
    }
  }
}

TEST(Native, ManyThreadsLoseNothing) {
  VYRE_ORACLE(CpuReference,
              "the sum of all inputs, by a loop in C++; and that each of 2^22 elements was visited once");
  const auto program = checked(R"(
program p(read a: u32 @0, read_write total: u32 @1, read_write seen: u32 @2) workgroup(64, 1, 1) {
  let i = invocation_id.x + invocation_id.y * 65536;
  let old = atomic_add(total[0], a[i]);
  seen[i] = seen[i] + 1;
})");
  constexpr uint32_t kCount = 1u << 22;
  Buffers buffers = inputs({kCount, 1, kCount}, 5);
  uint32_t expected = buffers[1][0];
  for (const uint32_t v : buffers[0]) expected += v;
  const std::vector<uint32_t> seen = buffers[2];
  const auto pipeline = native(2, 4)->compile(program);
  ASSERT_TRUE(pipeline);
  buffers = test::pipeline_result(**pipeline, std::move(buffers), {1024, 64, 1});
  EXPECT_EQ(buffers[1][0], expected);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(buffers[2][i], seen[i] + 1) << i;
}

TEST(Native, BuffersMayStandAtAnyAddress) {
  VYRE_ORACLE(ReferenceInterpreter, "the same program on aligned buffers of the reference");
  const auto program = checked(test::file_text("test/compare/straight-line.vyre"));
  const auto pipeline = native(0, 1)->compile(program);
  ASSERT_TRUE(pipeline);
  const Buffers before = inputs({130, 150, 192}, 3);
  const Buffers expected = test::reference_result(program, before, {3, 1, 1});
  std::vector<Bytes> odd;
  std::vector<std::span<std::byte>> host;
  for (const auto& words : before) {
    Bytes& bytes = odd.emplace_back(words.size() * 4 + 1);
    std::memcpy(bytes.data() + 1, words.data(), words.size() * 4);
  }
  for (Bytes& bytes : odd) host.push_back(std::span(bytes).subspan(1));
  ASSERT_TRUE((*pipeline)->dispatch(host, {3, 1, 1}));
  EXPECT_EQ(to_words(host[2]), expected[2]);
}

TEST(Native, NothingIsWrittenAroundABuffer) {
  VYRE_ORACLE(Property,
              "what a store out of bounds would touch: the words around each buffer must keep their pattern");
  const auto program = checked(R"(
program p(read_write a: u32 @0, read_write e: u32 @1) workgroup(64, 1, 1) {
  let i = invocation_id.x;
  a[i] = 1;
  a[0 - i] = 2;
  e[i] = 3;
  let x = atomic_add(a[i + 10], 4);
  let y = atomic_exchange(e[i], 5);
})");
  for (const int level : {0, 2}) {
    const auto pipeline = native(level, 1)->compile(program);
    ASSERT_TRUE(pipeline);
    std::vector<uint32_t> memory(300, 0xabababab);
    const auto words = std::span(memory);
    std::vector<std::span<std::byte>> host = {std::as_writable_bytes(words.subspan(100, 20)),
                                              std::as_writable_bytes(words.subspan(200, 0))};
    ASSERT_TRUE((*pipeline)->dispatch(host, {2, 1, 1}));
    for (size_t i = 0; i < memory.size(); ++i) {
      if (i < 100 || i >= 120) ASSERT_EQ(memory[i], 0xababababu) << i;
    }
    EXPECT_NE(memory[101], 0xababababu);
  }
}

TEST(Native, RefusesWhatBindRefuses) {
  const auto program = checked("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 1; }");
  const auto pipeline = native(0, 1)->compile(program);
  ASSERT_TRUE(pipeline);
  Buffers out = {{0}};
  const auto none = (*pipeline)->dispatch({}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, DiagCode::X009);
  const auto zero = (*pipeline)->dispatch(test::spans(out), {0, 1, 1});
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().code, DiagCode::X005);
}

#ifndef VYRE_TEST_UNDER_ASAN  // which reserves most of the address space
TEST(Native, MemoryThatIsNotThereIsAResourceExceeded) {
  // diag.def, and the operating system, which is set to give no more memory.
  const auto program = checked(
      "program p(read_write out: u32 @0, workgroup w: u32[16777216]) workgroup(1, 1, 1)"
      " { w[0] = 1; barrier; out[0] = w[0]; }");
  const auto pipeline = native(0, 1)->compile(program);
  ASSERT_TRUE(pipeline);
  Buffers out = {{7}};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit none{.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
  const auto done = (*pipeline)->dispatch(test::spans(out), {});
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, DiagCode::B003);
  EXPECT_EQ(out[0][0], 7u);
  ASSERT_TRUE((*pipeline)->dispatch(test::spans(out), {}));
  EXPECT_EQ(out[0][0], 1u);
}
#endif

// Harnesses compile 10^5 random programs: they need at least 300 a second on one core. Measured in processor
// time, since a test machine is seldom idle; the rate is printed.
TEST(Native, BatchesCompileFast) {
  VYRE_ORACLE(Property, "backend.h and diag.def");
  static const spec::OpTable no_operations;
  std::vector<std::shared_ptr<const check::CheckedModule>> modules;
  std::vector<const check::Checked*> pointers;
  for (const auto& file : test::files_of("test/compare")) {
    auto module = check::check(*text::parse_module(test::file_text(file)), no_operations);
    ASSERT_TRUE(module) << file << test::diagnosis(module.error().front());
    modules.push_back(std::move(*module));
  }
  for (int copy = 0; copy < 10; ++copy) {
    for (const auto& module : modules) pointers.push_back(module->programs()[0].get());
  }
  const auto backend = native(0, 1);
  const std::clock_t start = std::clock();
  const auto pipelines = backend->compile_batch(pointers);
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  const double rate = double(pointers.size()) / seconds;
  std::printf("compiled %zu programs at %.0f a second\n", pointers.size(), rate);
  for (const auto& p : pipelines) ASSERT_TRUE(p);
#ifndef VYRE_TEST_UNDER_ASAN  // which slows vyre's own part
  EXPECT_GT(rate, 300);
#endif
}

// A program of this size would take minutes in the whole pipeline.
TEST(Native, ALargeProgramCompilesInReasonableTime) {
  VYRE_ORACLE(CpuReference, "the recurrence, in C++");
  std::string text = "program p(read a: u32 @0, read_write out: u32 @1) workgroup(1, 1, 1) { let x = 1;";
  uint32_t expected = 1;
  const Buffers a = inputs({16}, 4);
  for (uint32_t k = 0; k < 20'000; ++k) {
    text += " x = (x * 3) ^ a[(x + " + std::to_string(k) + ") & 15];";
    expected = expected * 3 ^ a[0][(expected + k) & 15];
  }
  const auto pipeline = native(2, 1)->compile(checked(text + " out[0] = x; }"));
  ASSERT_TRUE(pipeline);
  EXPECT_EQ(test::pipeline_result(**pipeline, {a[0], {0}}, {})[1][0], expected);
}

TEST(Native, SaysWhoItIs) {
  const Identity id = native(2, 3)->identity();
  EXPECT_EQ(id.name, "native");
  EXPECT_NE(id.device.find("3 threads"), std::string::npos) << id.device;
  EXPECT_EQ(id.driver.substr(0, 8), "LLVM 19.");
  EXPECT_EQ(native(2, 1)->limits().max_invocations_per_group, 1024u);
}

}  // namespace
}  // namespace vyre::backend
