// What a run says of itself: dispatches, turns, scratch and its guards, however it is made.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "backend/backend.h"
#include "check/module.h"
#include "ops/operation.h"
#include "oracle.h"
#include "plan/pipeline.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable, "docs/spec/pipelines.md: what the pipeline does, by hand");

namespace vyre::plan {
namespace {

// x = x + 1 until it is the limit of the inner loop; the outer one goes on while a word of the caller says
// so.
constexpr std::string_view kText = R"(
program count(read limit: u32 @0, read_write x: u32 @1, read_write go: u32 @2) workgroup(1, 1, 1) {
  x[0] = x[0] + 1;
  go[0] = x[0] < limit[0];
}
pipeline once(read limit: u32 @0, read_write x: u32 @1) {
  scratch go: u32[5];
  repeat 4 while (go[0]) {
    dispatch count(limit, x, go) groups(1);
  }
}
pipeline main(read limit: u32 @0, read_write x: u32 @1, read_write again: u32 @2) {
  scratch pair: u64[3];
  dispatch count(limit, x, go = again) groups(1);
  for i in 0..2 {
    run once(limit, x);
  }
  repeat 3 while (again[1]) {
    repeat 2 while (again[2]) {
      dispatch count(limit, x, go = again) groups(1);
    }
    run once(limit, x);
  }
}
)";

class Notes : public testing::TestWithParam<bool> {
 protected:
  Notes() {
    const auto module = text::parse_module(kText, &ops::op_table()).value();
    const auto checked = check::check(module, ops::op_table()).value();
    executable_.emplace(Executable::make(*backend_, checked, 1).value());
    memory_ = backend_->allocate(1024).value();
  }

  /// x afterwards.
  uint32_t run(uint32_t limit, std::array<uint32_t, 3> again) {
    notes_.timed = GetParam();
    const uint32_t zero = 0;
    EXPECT_TRUE(memory_->write(0, std::as_bytes(std::span(&limit, 1))));
    EXPECT_TRUE(memory_->write(256, std::as_bytes(std::span(&zero, 1))));
    EXPECT_TRUE(memory_->write(512, std::as_bytes(std::span(again))));
    const std::array ranges = {backend::DeviceRange{memory_.get(), 0, 4},
                               backend::DeviceRange{memory_.get(), 256, 4},
                               backend::DeviceRange{memory_.get(), 512, 12}};
    const auto ran = executable_->run(ranges, &notes_);
    EXPECT_TRUE(ran) << ran.error().message;
    uint32_t out = 0;
    EXPECT_TRUE(memory_->read(256, std::as_writable_bytes(std::span(&out, 1))));
    return out;
  }
  uint64_t unfinished() const {
    uint64_t out = 0;
    for (const auto& [place, times] : notes_.unfinished) out += times;
    return out;
  }

  std::unique_ptr<backend::Backend> backend_ = backend::make_reference();
  std::optional<Executable> executable_;
  std::unique_ptr<backend::DeviceBuffer> memory_;
  RunNotes notes_;
};

TEST_P(Notes, CountWhatWasDone) {
  for (const uint32_t guard : {0u, 256u, 100u, 256u}) {
    notes_.guard_bytes = guard;
    // 1; twice once: 3 turns to 4, and 1 to 5, past the limit; then a turn of 1 and 1.
    EXPECT_EQ(run(4, {0, 0, 0}), 7u);
    EXPECT_EQ(notes_.dispatches, 7u);
    EXPECT_EQ(notes_.turns, 3u + 1 + 1 + 1 + 1);
    EXPECT_TRUE(notes_.unfinished.empty());
    // pair with go, once at a time.
    EXPECT_EQ(notes_.scratch_bytes, 24u + 20u);
    EXPECT_EQ(notes_.broken_guards, 0u);
    // A word is looked at before and behind `pair` and the one place of `go`.
    EXPECT_EQ(notes_.guard_words, guard / 4 * 4);
    EXPECT_EQ(notes_.times.empty(), !GetParam());

    // The limit is never reached: once ends with its last turn, and so do the others, whose words stay 1.
    EXPECT_EQ(run(1000, {1, 1, 1}), 1u + 4 + 4 + 3 * (2 + 4));
    EXPECT_EQ(notes_.dispatches, 27u);
    EXPECT_EQ(notes_.turns, 4u + 4 + 3 + 3 * (2 + 4));
    EXPECT_EQ(unfinished(), 1u + 1 + 1 + 3 + 3);

    // The same run once more.
    EXPECT_EQ(run(1000, {1, 1, 1}), 27u);
    EXPECT_EQ(notes_.dispatches, 27u);
    EXPECT_EQ(unfinished(), 9u);
  }
}

TEST_P(Notes, AreGivenOfMemoryOfTheHost) {
  std::array<uint32_t, 1> limit = {4}, x = {0};
  std::array<uint32_t, 3> again = {0, 0, 0};
  const std::array<std::span<std::byte>, 3> host = {std::as_writable_bytes(std::span(limit)),
                                                    std::as_writable_bytes(std::span(x)),
                                                    std::as_writable_bytes(std::span(again))};
  notes_.timed = GetParam();
  for (const uint32_t expected : {7u, 7u + 6}) {  // all of them past the limit: one turn each
    ASSERT_TRUE(executable_->run_host(host, &notes_));
    EXPECT_EQ(x[0], expected);
    EXPECT_EQ(notes_.dispatches, expected == 7 ? 7u : 5u);
    x[0] = expected == 7 ? 8 : 0;
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, Notes, testing::Bool(),
                         [](const auto& info) { return info.param ? "timed" : "together"; });

}  // namespace
}  // namespace vyre::plan
