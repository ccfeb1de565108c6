// An engine of two buffers of a word, with what it does worked out by hand: for the tests of what runs
// engines.
//
// Its program adds one to the word of a buffer and puts it into the other; there and back is a turn of a
// repeat that ends when the word in between is zero, and that repeat stands in another one.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "backend/backend.h"
#include "base/bytes.h"

namespace vyre::test {

inline constexpr std::string_view kAddOne =
    "program add_one(read from: u32 @3, read_write to: u32 @5) workgroup(1, 1, 1) { to[0] = from[0] + 1; }";

class EngineByHand {
 public:
  EngineByHand(backend::Backend& backend, backend::Pipeline& add_one)
      : add_one_(add_one), memory_(std::move(*backend.allocate(1024))) {
    const std::array all = {range(kX), range(kY)};
    there_ = {all[0], all[1]};
    back_ = {all[1], all[0]};
  }

  backend::DeviceRange range(uint64_t at) const { return {memory_.get(), at, 4}; }
  void set(uint64_t at, uint32_t value) {
    ASSERT_TRUE(memory_->write(at, std::as_bytes(std::span(&value, 1))));
  }
  uint32_t get(uint64_t at) {
    std::array<std::byte, 4> word{};
    EXPECT_TRUE(memory_->read(at, word));
    return load_u32(word.data());
  }

  /// x = 0; at most 3 turns { at most 10 turns { y = x + 1; x = y + 1; until y is 0 } until z is 0 }.
  std::vector<backend::Command> commands(bool begins_with_zero) const {
    using Kind = backend::Command::Kind;
    std::vector<backend::Command> out;
    if (begins_with_zero) out.push_back({.kind = Kind::Zero, .range = range(kX)});
    out.push_back({.kind = Kind::Repeat, .range = range(kZ), .turns = 3, .count = 3, .statements = 5});
    out.push_back({.kind = Kind::Repeat, .range = range(kY), .turns = 10, .count = 2});
    out.push_back({.kind = Kind::Dispatch, .step = {&add_one_, there_, {}}});
    out.push_back({.kind = Kind::Dispatch, .step = {&add_one_, back_, {}}});
    return out;
  }

  static void expect(const backend::Taken& taken, uint64_t turns, uint64_t unfinished) {
    EXPECT_EQ(taken.turns, turns);
    EXPECT_EQ(taken.unfinished, unfinished);
  }

  /// The cases that any backend has to get right.
  void judge(backend::Backend& backend) {
    std::array<backend::Taken, 2> taken = {};
    set(kX, 99), set(kZ, 7);
    // 0 to 60 by twos, and never a zero in between.
    ASSERT_TRUE(backend.dispatch_engine(commands(true), taken, 1'000));
    EXPECT_EQ(get(kX), 60u);
    EXPECT_EQ(get(kY), 59u);
    expect(taken[0], 3, 1);
    expect(taken[1], 30, 3);

    // -3 -2 -1 0: the first execution ends with its second turn, and the others do not.
    const auto recorded = backend.record(commands(false));
    ASSERT_TRUE(recorded);
    taken = {};
    set(kX, 0xfffffffd);
    ASSERT_TRUE((*recorded)->run(taken, 1'000));
    EXPECT_EQ(get(kX), 41u);
    expect(taken[0], 3, 1);
    expect(taken[1], 22, 2);

    // Once more, until the outer word is zero: one turn.
    taken = {};
    set(kX, 0xfffffffd), set(kZ, 0);
    ASSERT_TRUE((*recorded)->run(taken, 1'000));
    EXPECT_EQ(get(kX), 1u);
    expect(taken[0], 1, 0);
    expect(taken[1], 2, 0);

    // Without counts.
    set(kX, 0xfffffffd);
    ASSERT_TRUE((*recorded)->run({}, 1'000));
    EXPECT_EQ(get(kX), 1u);

    // 5 + 2 + 5 + 3 statements are there, and the fourth turn of the inner repeat wants another.
    taken = {};
    set(kX, 0xfffffffd), set(kZ, 7);
    ASSERT_TRUE((*recorded)->run(taken, 15));
    EXPECT_EQ(get(kX), 7u);
    expect(taken[0], 2, 0);
    expect(taken[1], 6, 0);

    // A word beyond its buffer is zero.
    auto commands_of_one = commands(false);
    commands_of_one[1].looks = false;
    commands_of_one[0].looks = false;
    taken = {};
    set(kX, 5);
    ASSERT_TRUE(backend.dispatch_engine(commands_of_one, taken, 1'000));
    EXPECT_EQ(get(kX), 7u);
    expect(taken[0], 1, 0);
    expect(taken[1], 1, 0);

    // In lanes, beside another one: both as they are alone.
    EngineByHand other(backend, add_one_);
    std::vector<backend::Command> lanes;
    for (const auto& its : {commands(true), other.commands(false)}) {
      lanes.push_back({.kind = backend::Command::Kind::Lane, .count = uint32_t(its.size())});
      lanes.insert(lanes.end(), its.begin(), its.end());
    }
    std::array<backend::Taken, 4> of_both = {};
    set(kX, 99), set(kZ, 7);
    other.set(kX, 0xfffffffd), other.set(kZ, 7);
    ASSERT_TRUE(backend.dispatch_engine(lanes, of_both, 1'000));
    EXPECT_EQ(get(kX), 60u);
    EXPECT_EQ(other.get(kX), 41u);
    expect(of_both[0], 3, 1);
    expect(of_both[1], 30, 3);
    expect(of_both[2], 3, 1);
    expect(of_both[3], 22, 2);
  }

  static constexpr uint64_t kX = 0, kY = 256, kZ = 512;  // where in the memory

 private:
  backend::Pipeline& add_one_;
  std::unique_ptr<backend::DeviceBuffer> memory_;
  std::array<backend::DeviceRange, 2> there_, back_;
};

}  // namespace vyre::test
