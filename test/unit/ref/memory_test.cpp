// Memory: bounds, truth values, workgroup memory, atomics.
#include <algorithm>

#include "oracle.h"
#include "run_text.h"

VYRE_ORACLE(
    SpecificationTable,
    "semantics, \"Memory\", ir-types, \"Bytes Layout\", and vyre-conform-spec, \"Atomic Operations\"");

namespace vyre::ref {
namespace {

/// Runs over the middle of a longer piece of memory and checks that what lies around it stays.
class Guarded {
 public:
  explicit Guarded(Words words) : size_(words.size()), memory_(words.size() + 2 * kGuard, kPoison) {
    std::ranges::copy(words, memory_.begin() + kGuard);
  }
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(memory_).subspan(kGuard, size_)); }
  Words words() const { return {memory_.begin() + kGuard, memory_.end() - kGuard}; }
  bool guards_hold() const {
    const auto poisoned = [](uint32_t word) { return word == kPoison; };
    return std::ranges::all_of(std::span(memory_).first(kGuard), poisoned) &&
           std::ranges::all_of(std::span(memory_).last(kGuard), poisoned);
  }

 private:
  static constexpr size_t kGuard = 64;
  size_t size_;
  Words memory_;
};

// Indices whose byte offset is just outside, or would be inside if the multiplication by 4 wrapped.
const Words kOutside = {3,          4,          5,          0x3fffffff, 0x40000000,
                        0x40000001, 0x80000000, 0xbfffffff, 0xc0000000, 0xffffffff};

TEST(Memory, StoresOutOfBoundsDoNothing) {
  const auto program = checked(R"(
program p(read at: u32 @0, read_write to: u32 @1) workgroup(1, 1, 1) {
  for i in 0..len(at) { to[at[i]] = 99; }
})",
                               {});
  Words at = kOutside;
  Guarded to({10, 11, 12});
  std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(at)), to.bytes()};
  ASSERT_TRUE(run(program, host, {}));
  EXPECT_EQ(to.words(), (Words{10, 11, 12}));
  EXPECT_TRUE(to.guards_hold());

  at = {2};
  host[0] = std::as_writable_bytes(std::span(at));
  ASSERT_TRUE(run(program, host, {}));
  EXPECT_EQ(to.words(), (Words{10, 11, 99}));
  EXPECT_TRUE(to.guards_hold());
}

TEST(Memory, AtomicsOutOfBoundsDoNothingAndGiveZero) {
  const auto program = checked(R"(
program p(read at: u32 @0, read_write to: u32 @1, read_write out: u32 @2) workgroup(1, 1, 1) {
  for i in 0..len(at) {
    out[i * 3] = atomic_exchange(to[at[i]], 99);
    out[i * 3 + 1] = atomic_add(to[at[i]], 1);
    out[i * 3 + 2] = atomic_compare_exchange(to[at[i]], 0, 99);
  }
})",
                               {});
  Words at = kOutside;
  Guarded to({10, 11, 12});
  Words out(at.size() * 3, kPoison);
  const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(at)), to.bytes(),
                                                  std::as_writable_bytes(std::span(out))};
  ASSERT_TRUE(run(program, host, {}));
  EXPECT_EQ(out, Words(kOutside.size() * 3, 0));
  EXPECT_EQ(to.words(), (Words{10, 11, 12}));
  EXPECT_TRUE(to.guards_hold());
}

TEST(Memory, TruthIsNormalisedWhenLoaded) {
  // Semantics, "Memory": Bool is a word, loads give 0 or 1. 2 is true, so it equals the 1 beside it.
  EXPECT_EQ(*try_run(checked(R"(
program p(read flags: bool @0, read_write out: u32 @1, read_write copies: bool @2) workgroup(1, 1, 1) {
  for i in 0..5 {
    out[i] = cast<u32>(flags[i]);
    copies[i] = flags[i];
  }
  out[5] = flags[1] == flags[2];
  out[6] = flags[3] && flags[4];
})",
                             {}),
                     {{0, 1, 2, 0x80000000, 0xffffffff}, Words(7, kPoison), Words(5, kPoison)}),
            (std::vector<Words>{{0, 1, 2, 0x80000000, 0xffffffff}, {0, 1, 1, 1, 1, 1, 1}, {0, 1, 1, 1, 1}}));
}

}  // namespace
}  // namespace vyre::ref
