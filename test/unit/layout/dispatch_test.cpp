// Binding: what the host gives against what the program declares.
#include "layout/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <optional>
#include <string>

#include "oracle.h"
#include "text/text.h"

VYRE_ORACLE(SpecificationTable,
            "dispatch.h, diag.def, ir-types, \"DataType\", and semantics, \"Memory\" and \"Tensors\"; sizes "
            "and strides by hand");

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

TEST_F(Bind, CountsElementsOfEverySize) {
  const std::vector<std::pair<std::string, uint32_t>> counts = {{"u32", 12},
                                                                {"i32", 12},
                                                                {"u64", 6},
                                                                {"u128", 3},
                                                                {"vec2u32", 6},
                                                                {"vec4u32", 3},
                                                                {"bool", 12},
                                                                {"f16", 24},
                                                                {"bf16", 24},
                                                                {"f32", 12},
                                                                {"bytes", 12},
                                                                {"tensor<u32, [4]>", 12},
                                                                {"tensor<f16, [2, 2]>", 24},
                                                                {"tensor<u128, [3]>", 3},
                                                                {"tensor<vec2u32, [1]>", 6}};
  for (const auto& [type, count] : counts) {
    const auto p = program("read data: " + type + " @0");
    const auto result = bind(p, Host{bytes(0, 48)}, {});
    ASSERT_TRUE(result) << type;
    EXPECT_EQ((*result)[0].count, count) << type;
  }
}

TEST_F(Bind, X009WrongNumberOfBuffers) {
  const auto p = program("read a: u32 @0, workgroup w: u32[7], read b: u32 @1");
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 4)}, {})), DiagCode::X009);
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 4), bytes(4, 4), bytes(8, 4)}, {})), DiagCode::X009);
  EXPECT_EQ(code_of(bind(p, Host{}, {})), DiagCode::X009);
  EXPECT_TRUE(bind(p, Host{bytes(0, 4), bytes(4, 4)}, {}));
}

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

TEST_F(Bind, X002OfOtherSizes) {
  // The same, of elements that are no word; the sizes are in the message.
  const std::vector<std::pair<std::string, std::vector<size_t>>> sizes = {
      {"f16", {1, 3, 7}},         {"bf16", {1, 4095}},          {"u64", {1, 4, 12, 4092}},
      {"vec2u32", {4, 7}},        {"u128", {4, 8, 12, 15, 24}}, {"vec4u32", {8, 17}},
      {"tensor<u64, [1]>", {12}}, {"tensor<bf16, [1]>", {3}}};
  for (const auto& [type, wrong] : sizes) {
    const auto p = program("read data: " + type + " @0");
    for (const size_t size : wrong) {
      const auto result = bind(p, Host{bytes(0, size)}, {});
      EXPECT_EQ(code_of(result), DiagCode::X002) << type << " " << size;
      EXPECT_THAT(result.error().message, HasSubstr(std::to_string(size) + " bytes"));
    }
  }
  const auto odd = program("read data: f16 @0");
  EXPECT_TRUE(bind(odd, Host{bytes(0, 6)}, {}));  // three elements: no whole words
}

TEST_F(Bind, X003Overlap) {
  // X003 in diag.def: memory is shared from the first common byte on, in whatever order the buffers are
  // given; neighbours and empty buffers share nothing.
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

TEST_F(Bind, ExtentsOverlapWithinOneSpace) {
  // dispatch.h, "Extent": memory is shared within a space only, and of what a device holds nothing but
  // uniform contents is looked at.
  const auto p = program("read a: u32 @0, read_write b: u32 @1");
  const int space = 0, other = 0;
  using Extents = std::vector<Extent>;
  EXPECT_EQ(code_of(bind(p, Extents{{&space, 0, 16, {}}, {&space, 12, 16, {}}}, {})), DiagCode::X003);
  EXPECT_EQ(code_of(bind(p, Extents{{&space, 12, 16, {}}, {&space, 0, 16, {}}}, {})), DiagCode::X003);
  EXPECT_TRUE(bind(p, Extents{{&space, 0, 16, {}}, {&other, 12, 16, {}}}, {}));
  const auto beside = bind(p, Extents{{&space, 0, 16, {}}, {&space, 16, 20, {}}}, {});
  ASSERT_TRUE(beside);
  EXPECT_EQ((*beside)[0].count, 4u);
  EXPECT_EQ((*beside)[1].count, 5u);
  EXPECT_TRUE((*beside)[1].bytes.empty());
  EXPECT_EQ(code_of(bind(p, Extents{{&space, 0, 16, {}}, {&other, 0, 6, {}}}, {})), DiagCode::X002);
}

TEST_F(Bind, ADimensionOfATensorIsReadFromAUniformExtent) {
  const auto p = program("read t: tensor<u32, [n = size[0]]> @0, uniform size: u32 @1");
  const int space = 0, other = 0;
  const std::vector<std::byte> five = {std::byte{5}, {}, {}, {}};
  using Extents = std::vector<Extent>;
  const auto bound = bind(p, Extents{{&space, 0, 20, {}}, {&other, 0, 4, five}}, {});
  ASSERT_TRUE(bound);
  EXPECT_THAT((*bound)[0].dims, testing::ElementsAre(5u));
  EXPECT_EQ(code_of(bind(p, Extents{{&space, 0, 16, {}}, {&other, 0, 4, five}}, {})), DiagCode::X007);
}

TEST_F(Bind, X004UniformTooLarge) {
  // X004 in diag.def: 64 KiB fit, one word more does not; other buffers may be larger.
  const auto p = program("uniform u: u32 @0");
  EXPECT_TRUE(bind(p, Host{bytes(0, 65536)}, {}));
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 65540)}, {})), DiagCode::X004);
  EXPECT_TRUE(bind(program("read r: u32 @0"), Host{bytes(0, 65540)}, {}));
}

TEST_F(Bind, X005GroupsOutOfRange) {
  const auto p = program("");
  EXPECT_TRUE(bind(p, Host{}, {.x = 65535, .y = 65535, .z = 65535}));
  for (const Groups groups : {Groups{.x = 0}, Groups{.y = 0}, Groups{.z = 0}, Groups{.x = 65536},
                              Groups{.y = 65536}, Groups{.z = UINT32_MAX}}) {
    EXPECT_EQ(code_of(layout::bind(p, Host{}, groups)), DiagCode::X005);
  }
}

// The memory is address space only: binding touches none of it.
TEST_F(Bind, X010TooManyElements) {
  // X010 in diag.def: 2^32 - 1 elements can be counted, 2^32 cannot.
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

using testing::ElementsAre;

/// Words of a buffer that stands at the end of the memory.
class BindTensors : public Bind {
 protected:
  std::span<std::byte> params(const std::vector<uint32_t>& words) {
    const auto at = bytes(100 << 10, words.size() * 4);
    std::memcpy(at.data(), words.data(), at.size());
    return at;
  }
  /// What binding says of one tensor of u32 over so many elements.
  Result<std::vector<Binding>> one(const std::string& shape, size_t elements,
                                   const std::vector<uint32_t>& words = {}) {
    const auto p = program("uniform params: u32 @0, read t: tensor<u32, " + shape + "> @1");
    return bind(p, Host{params(words), bytes(0, elements * 4)}, {});
  }
  std::optional<DiagCode> code(const std::string& shape, size_t elements,
                               const std::vector<uint32_t>& words = {}) {
    const auto result = one(shape, elements, words);
    return result ? std::nullopt : std::optional(result.error().code);
  }
};

TEST_F(BindTensors, DimensionsAndStrides) {
  const auto rows = one("[2, 3, 5]", 30);
  ASSERT_TRUE(rows);
  EXPECT_THAT((*rows)[1].dims, ElementsAre(2, 3, 5));
  EXPECT_THAT((*rows)[1].strides, ElementsAre(15, 5, 1));
  EXPECT_TRUE((*rows)[0].dims.empty());
  const auto columns = one("[2, 3], strides [1, 2]", 6);
  ASSERT_TRUE(columns);
  EXPECT_THAT((*columns)[1].dims, ElementsAre(2, 3));
  EXPECT_THAT((*columns)[1].strides, ElementsAre(1, 2));
  const auto dynamic = one("[n = params[1], 4, m = params[0]]", 7 * 4 * 3, {3, 7});
  ASSERT_TRUE(dynamic);
  EXPECT_THAT((*dynamic)[1].dims, ElementsAre(7, 4, 3));
  EXPECT_THAT((*dynamic)[1].strides, ElementsAre(12, 3, 1));
  const auto repeated = one("[1000, 4], strides [0, 1]", 4);  // every row is the first one
  ASSERT_TRUE(repeated);
  EXPECT_THAT((*repeated)[1].strides, ElementsAre(0, 1));
}

TEST_F(BindTensors, DimensionsFromBytesDeclaredLater) {
  // The words of a bytes buffer name dimensions too; uniforms may stand after the tensor that they serve.
  const auto p = program("read t: tensor<f16, [n = shape[2]]> @1, uniform shape: bytes @0");
  const auto result = bind(p, Host{bytes(0, 10), params({9, 9, 5})}, {});
  ASSERT_TRUE(result);
  EXPECT_THAT((*result)[0].dims, ElementsAre(5));
  EXPECT_EQ(code_of(bind(p, Host{bytes(0, 8), params({9, 9, 5})}, {})), DiagCode::X007);
}

TEST_F(BindTensors, X007LastElementBeyondTheBuffer) {
  // Semantics, "Tensors": the last element is sum of (dimension - 1) * stride, by hand; one element less
  // bound is an error.
  EXPECT_EQ(code("[2, 3, 5]", 30), std::nullopt);
  EXPECT_EQ(code("[2, 3, 5]", 29), DiagCode::X007);
  EXPECT_EQ(code("[2, 3, 5]", 1000), std::nullopt);              // more may be bound
  EXPECT_EQ(code("[2, 3], strides [10, 2]", 15), std::nullopt);  // 10 + 4 is the last
  EXPECT_EQ(code("[2, 3], strides [10, 2]", 14), DiagCode::X007);
  EXPECT_EQ(code("[1]", 0), DiagCode::X007);
  EXPECT_EQ(code("[n = params[0]]", 8, {8}), std::nullopt);
  EXPECT_EQ(code("[n = params[0]]", 8, {9}), DiagCode::X007);
  EXPECT_EQ(code("[n = params[0]]", 8, {UINT32_MAX}), DiagCode::X007);
  const auto named = one("[n = params[0], 2]", 5, {3});
  EXPECT_THAT(named.error().message, HasSubstr("'t' [3, 2] has index 5, and 5 elements are bound"));
}

TEST_F(BindTensors, DimensionsOfZero) {
  // A shape with a 0 has no element, so that no last one can lie outside, whatever the other numbers are.
  EXPECT_EQ(code("[0]", 0), std::nullopt);
  EXPECT_EQ(code("[4294967295, 4294967295, 0]", 0), std::nullopt);
  EXPECT_EQ(code("[0, 4294967295, 4294967295]", 0), std::nullopt);
  EXPECT_EQ(code("[4294967295, n = params[0]], strides [4294967295, 4294967295]", 0, {0}), std::nullopt);
}

TEST_F(BindTensors, X011IndexTooLarge) {
  // diag.def: below 2^32, computed by hand in Python's integers: 65536 * 65536 - 1 is 2^32 - 1; a sum or
  // product that wraps around 32 or 64 bits to a small number is no smaller.
  EXPECT_EQ(code("[65536, 65536]", 4), DiagCode::X007);  // 2^32 - 1: an index, but not in this buffer
  EXPECT_EQ(code("[65536, 65537]", 4), DiagCode::X011);
  EXPECT_EQ(code("[65537, 65536]", 4), DiagCode::X011);  // 2^32 + 65535 wraps to 65535
  EXPECT_EQ(code("[2, 65536, 65536]", 4), DiagCode::X011);
  EXPECT_EQ(code("[1, 65536, 65536]", 4), DiagCode::X007);
  EXPECT_EQ(code("[4294967295, 4294967295]", 4), DiagCode::X011);
  EXPECT_EQ(code("[4294967295, 4294967295, 4294967295, 4294967295, 4294967295]", 4), DiagCode::X011);
  EXPECT_EQ(code("[65536, 65536, 65536, 65536]", 4), DiagCode::X011);     // 2^64 elements
  EXPECT_EQ(code("[2, 2], strides [4294967295, 1]", 4), DiagCode::X011);  // 2^32 wraps to 0
  EXPECT_EQ(code("[2, 2], strides [4294967295, 0]", 4), DiagCode::X007);
  EXPECT_EQ(code("[4294967295, 4294967295], strides [4294967295, 4294967295]", 4), DiagCode::X011);
  EXPECT_EQ(code("[n = params[0], m = params[1]]", 4, {UINT32_MAX, UINT32_MAX}), DiagCode::X011);
  // One element in a direction: its stride is never taken.
  EXPECT_EQ(code("[1, 4], strides [4294967295, 1]", 4), std::nullopt);
}

TEST_F(BindTensors, X012DimensionMissing) {
  EXPECT_EQ(code("[n = params[0]]", 8, {}), DiagCode::X012);
  EXPECT_EQ(code("[n = params[2]]", 8, {1, 1}), DiagCode::X012);
  EXPECT_EQ(code("[n = params[2]]", 8, {1, 1, 8}), std::nullopt);
  EXPECT_EQ(code("[n = params[4294967295]]", 8, {1, 1}), DiagCode::X012);
  const auto missing = one("[4, n = params[2]]", 8, {1, 1});
  EXPECT_THAT(missing.error().message, HasSubstr("'n' of tensor 't' is element 2 of 'params', which has 2"));
}

TEST_F(BindTensors, ManyDimensions) {
  // No limit on the rank but the size of the program: 10,000 dimensions of 1 and one of 3.
  std::string shape = "[3";
  for (int i = 0; i < 10'000; ++i) shape += ", 1";
  EXPECT_EQ(code(shape + "]", 3), std::nullopt);
  EXPECT_EQ(code(shape + "]", 2), DiagCode::X007);
  std::string large = "[2";
  for (int i = 0; i < 100; ++i) large += ", 2";
  EXPECT_EQ(code(large + "]", 3), DiagCode::X011);
}

}  // namespace
}  // namespace vyre::layout
