// Binding: what the host gives against what the program declares.
#include "layout/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "text/text.h"

namespace vyre::layout {
namespace {

using testing::HasSubstr;
using Host = std::vector<std::span<std::byte>>;

check::Checked program(std::string_view buffers) {
  auto parsed = text::parse("program p(" + std::string(buffers) + ") workgroup(1, 1, 1) { }");
  auto result = check::check(*std::move(parsed), spec::OpTable{});
  EXPECT_TRUE(result.has_value());
  return *std::move(result);
}

/// 128 KiB of host memory to cut buffers from.
class Bind : public testing::Test {
 protected:
  std::span<std::byte> bytes(size_t at, size_t size) { return std::span(memory_).subspan(at, size); }
  std::vector<std::byte> memory_ = std::vector<std::byte>(128 << 10);
};

DiagCode code_of(const Result<std::vector<Binding>>& result) {
  EXPECT_FALSE(result.has_value());
  return result.has_value() ? DiagCode{} : result.error().code;
}

// Oracle: dispatch.h: in the order of declaration without workgroup memory, counts in elements of one word.
TEST_F(Bind, CountsElements) {
  const auto p = program(
      "read a: u32 @3, workgroup w: u32[7], read_write b: bytes @0, uniform c: bool @1, read d: i32 @2");
  const auto result = bind(p, Host{bytes(0, 12), bytes(16, 4), bytes(64, 8), bytes(32, 0)}, {});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->size(), 4u);
  EXPECT_EQ((*result)[0].count, 3u);
  EXPECT_EQ((*result)[1].count, 1u);
  EXPECT_EQ((*result)[2].count, 2u);
  EXPECT_EQ((*result)[3].count, 0u);
  EXPECT_EQ((*result)[0].bytes.data(), memory_.data());
  EXPECT_EQ((*result)[2].bytes.data(), memory_.data() + 64);
}

// Oracle: X009 in diag.def.
TEST_F(Bind, X009WrongNumberOfBuffers) {
  const auto p = program("read a: u32 @0, workgroup w: u32[7], read b: u32 @1");
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 4)}, {})), DiagCode::X009);
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 4), bytes(4, 4), bytes(8, 4)}, {})), DiagCode::X009);
  EXPECT_EQ(code_of(bind(p, Host{}, {})), DiagCode::X009);
  EXPECT_TRUE(bind(p, Host{bytes(0, 4), bytes(4, 4)}, {}));
}

// Oracle: X002 in diag.def: whole elements.
TEST_F(Bind, X002NotWholeElements) {
  for (const std::string type : {"u32", "i32", "bool", "bytes"}) {
    const auto p = program("read data: " + type + " @0");
    for (const size_t size : {1, 2, 3, 5, 4095}) {
      const auto result = bind(p, Host{bytes(0, size)}, {});
      EXPECT_EQ(code_of(result), DiagCode::X002) << type << " " << size;
      EXPECT_THAT(result.error().message, HasSubstr("'data'"));
    }
  }
}

// Oracle: X003 in diag.def: memory is shared from the first common byte on, in whatever order the buffers are
// given; neighbours and empty buffers share nothing.
TEST_F(Bind, X003Overlap) {
  const auto p = program("read a: u32 @0, read b: u32 @1, read_write c: u32 @2");
  const auto far = bytes(1000, 4);
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 16), far, bytes(12, 16)}, {})), DiagCode::X003);
  EXPECT_EQ(code_of(bind(p, Host{bytes(12, 16), far, bytes(0, 16)}, {})), DiagCode::X003);
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 64), bytes(16, 4), far}, {})), DiagCode::X003);
  EXPECT_EQ(code_of(bind(p, Host{far, bytes(16, 4), bytes(16, 4)}, {})), DiagCode::X003);
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 8), far, bytes(7, 8)}, {})), DiagCode::X003);
  const auto named = bind(p, Host{bytes(12, 16), far, bytes(0, 16)}, {});
  EXPECT_THAT(named.error().message, HasSubstr("'a' and 'c'"));
  EXPECT_TRUE(bind(p, Host{bytes(0, 16), bytes(32, 16), bytes(16, 16)}, {}));
  EXPECT_TRUE(bind(p, Host{bytes(0, 16), bytes(8, 0), bytes(8, 0)}, {}));
}

// Oracle: X004 in diag.def: 64 KiB fit, one word more does not; other buffers may be larger.
TEST_F(Bind, X004UniformTooLarge) {
  const auto p = program("uniform u: u32 @0");
  EXPECT_TRUE(bind(p, Host{bytes(0, 65536)}, {}));
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 65540)}, {})), DiagCode::X004);
  EXPECT_TRUE(bind(program("read r: u32 @0"), Host{bytes(0, 65540)}, {}));
}

// Oracle: X005 in diag.def: 1 to 65,535 an axis.
TEST_F(Bind, X005GroupsOutOfRange) {
  const auto p = program("");
  EXPECT_TRUE(bind(p, {}, {.x = 65535, .y = 65535, .z = 65535}));
  for (const Groups groups : {Groups{.x = 0}, Groups{.y = 0}, Groups{.z = 0}, Groups{.x = 65536},
                              Groups{.y = 65536}, Groups{.z = UINT32_MAX}}) {
    EXPECT_EQ(code_of(bind(p, {}, groups)), DiagCode::X005);
  }
}

// Oracle: X010 in diag.def: 2^32 - 1 elements can be counted, 2^32 cannot. The memory is address space only:
// binding touches none of it.
TEST_F(Bind, X010TooManyElements) {
  constexpr size_t kSize = 4ull << 32;
  void* const at = mmap(nullptr, kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) GTEST_SKIP() << "no 16 GiB of address space here";
  auto* const data = static_cast<std::byte*>(at);
  const auto p = program("read big: u32 @0");
  const auto fits = bind(p, Host{{data, kSize - 4}}, {});
  ASSERT_TRUE(fits);
  EXPECT_EQ((*fits)[0].count, UINT32_MAX);
  EXPECT_EQ(code_of(bind(p, Host{{data, kSize}}, {})), DiagCode::X010);
  munmap(at, kSize);
}

}  // namespace
}  // namespace vyre::layout
