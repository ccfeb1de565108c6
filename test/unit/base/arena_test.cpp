// Arenas: what they write and what they leave alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/arena.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "base/arena.h, by hand");

namespace vyre {
namespace {

TEST(Arena, ResizeLeavesNewElementsAsTheyAre) {
  // base/arena.h: elements without a value are not written, and those with one keep it.
  Arena<uint32_t> arena;
  arena.reserve(64);
  std::memset(arena.data(), 0xab, 64 * sizeof(uint32_t));
  arena.resize(32);
  arena.resize(40, 7);
  EXPECT_EQ(arena.front(), 0xababababu);
  EXPECT_EQ(arena[31], 0xababababu);
  EXPECT_EQ(arena[32], 7u);
  EXPECT_EQ(arena.back(), 7u);
}

// Sizes on both sides of where large pages are asked for, and no multiple of them.
TEST(Arena, GrowsCopiesAndMovesLikeAVector) {
  VYRE_ORACLE(CpuReference, "std::vector");
  for (const size_t size : {0uz, 1uz, 1000uz, (4uz << 18) - 1, (4uz << 18) + 1, 3'000'001uz}) {
    Arena<uint32_t> arena;
    for (size_t i = 0; i < size; ++i) arena.push_back(uint32_t(i));
    std::vector<uint32_t> expected(size);
    std::iota(expected.begin(), expected.end(), 0);
    const Arena<uint32_t> copy = arena;
    const Arena<uint32_t> moved = std::move(arena);
    EXPECT_TRUE(std::ranges::equal(copy, expected)) << size;
    EXPECT_TRUE(std::ranges::equal(moved, expected)) << size;
  }
}

TEST(Arena, RefusesASizeThatOverflows) {
  // No memory of that size exists.
  EXPECT_THROW(ArenaAllocator<uint64_t>().allocate(SIZE_MAX / 4), std::bad_array_new_length);
}

}  // namespace
}  // namespace vyre
