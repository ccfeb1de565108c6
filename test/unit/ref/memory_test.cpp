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

TEST(Memory, LoadsOutOfBoundsGiveZero) {
  const auto program = checked(R"(
program p(read at: u32 @0, read from: u32 @1, read_write out: u32 @2) workgroup(1, 1, 1) {
  for i in 0..len(at) { out[i] = from[at[i]]; }
})",
                               {});
  Words at = kOutside;
  at.push_back(2);  // the last one inside
  Guarded from({10, 11, 12});
  Words out(at.size(), kPoison);
  const std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(at)), from.bytes(),
                                                  std::as_writable_bytes(std::span(out))};
  ASSERT_TRUE(run(program, host, {}));
  Words expected(kOutside.size(), 0);
  expected.push_back(12);
  EXPECT_EQ(out, expected);
}

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

TEST(Memory, BuffersMayBeEmpty) {
  EXPECT_EQ(run_text(R"(
program p(read empty: u32 @0, uniform none: u32 @1, read_write nowhere: u32 @2, read_write out: u32 @3)
    workgroup(1, 1, 1) {
  nowhere[0] = 5;
  out[0] = len(empty);
  out[1] = empty[0];
  out[2] = none[0];
  out[3] = nowhere[0];
  out[4] = atomic_add(nowhere[0], 7);
  out[5] = len(nowhere);
})",
                     {{}, {}, {}, {9, 9, 9, 9, 9, 9}})[3],
            (Words{0, 0, 0, 0, 0, 0}));
}

TEST(Memory, TruthIsNormalisedWhenLoaded) {
  // Semantics, "Memory": Bool is a word, loads give 0 or 1. 2 is true, so it equals the 1 beside it.
  EXPECT_EQ(run_text(R"(
program p(read flags: bool @0, read_write out: u32 @1, read_write copies: bool @2) workgroup(1, 1, 1) {
  for i in 0..5 {
    out[i] = cast<u32>(flags[i]);
    copies[i] = flags[i];
  }
  out[5] = flags[1] == flags[2];
  out[6] = flags[3] && flags[4];
})",
                     {{0, 1, 2, 0x80000000, 0xffffffff}, Words(7, kPoison), Words(5, kPoison)}),
            (std::vector<Words>{{0, 1, 2, 0x80000000, 0xffffffff}, {0, 1, 1, 1, 1, 1, 1}, {0, 1, 1, 1, 1}}));
}

TEST(Memory, BytesAreLittleEndianWords) {
  // ir-types, "Bytes Layout": byte i is in word i / 4, lane i % 4, lane 0 the least significant; len counts
  // words.
  EXPECT_EQ(run_text(R"(
program p(read data: bytes @0, read_write out: u32 @1, read_write copy: bytes @2) workgroup(1, 1, 1) {
  for i in 0..8 { out[i] = (data[i >> 2] >> ((i & 3) * 8)) & 0xff; }
  out[8] = len(data);
  copy[0] = data[1];
})",
                     {{0x04030201, 0x08070605}, Words(9, kPoison), {kPoison}}),
            (std::vector<Words>{{0x04030201, 0x08070605}, {1, 2, 3, 4, 5, 6, 7, 8, 2}, {0x08070605}}));
}

TEST(Memory, WorkgroupMemoryIsZeroForEachWorkgroup) {
  EXPECT_EQ(run_text(R"(
program p(read_write out: u32 @0, workgroup scratch: u32[2], workgroup flags: bool[1]) workgroup(1, 1, 1) {
  let group = workgroup_id.x;
  out[group * 3] = scratch[1];
  scratch[1] = scratch[1] + group + 5;
  out[group * 3 + 1] = scratch[1];
  out[group * 3 + 2] = cast<u32>(flags[0]);
  flags[0] = true;
  scratch[2] = 77;
})",
                     {Words(9, kPoison)}, {.x = 3})[0],
            (Words{0, 5, 0, 0, 6, 0, 0, 7, 0}));
}

TEST(Memory, WorkgroupMemoryHasItsDeclaredSize) {
  EXPECT_EQ(run_text(R"(
program p(read_write out: u32 @0, workgroup a: u32[3], workgroup b: u32[2]) workgroup(1, 1, 1) {
  a[3] = 7;
  b[0xffffffff] = 8;
  out[0] = len(a);
  out[1] = len(b);
  out[2] = a[3];
  out[3] = b[0];
  out[4] = a[2];
})",
                     {Words(5, kPoison)})[0],
            (Words{3, 2, 0, 0, 0}));
}

// In order, invocation i of 6 sees 100 + i.
TEST(Memory, AtomicsOfManyInvocationsAddUp) {
  // vyre-conform-spec, "Atomic Operations": Add returns a consecutive permutation of pre-values and the final
  // value is the initial one plus every operand.
  EXPECT_EQ(run_text(R"(
program p(read_write counter: u32 @0, read_write seen: u32 @1) workgroup(3, 1, 1) {
  seen[invocation_id.x] = atomic_add(counter[0], 1);
})",
                     {{100}, Words(6, kPoison)}, {.x = 2}),
            (std::vector<Words>{{106}, {100, 101, 102, 103, 104, 105}}));
}

TEST(Memory, CompareExchangeSucceedsOnce) {
  // vyre-conform-spec: CompareExchange succeeds at most once for a single expected value: the first one in
  // order.
  EXPECT_EQ(run_text(R"(
program p(read_write lock: u32 @0, read_write seen: u32 @1) workgroup(4, 1, 1) {
  seen[local_id.x] = atomic_compare_exchange(lock[0], 0, local_id.x + 1);
})",
                     {{0}, Words(4, kPoison)}),
            (std::vector<Words>{{1}, {0, 1, 1, 1}}));
}

}  // namespace
}  // namespace vyre::ref
