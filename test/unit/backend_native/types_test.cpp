// Every data type through native code: bytes in, bytes out, against bytes worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "backend/native/native.h"
#include "oracle.h"
#include "support.h"

VYRE_ORACLE(SpecificationTable, "semantics, \"Memory\", and explain B002");

namespace vyre::backend {
namespace {

using test::checked;

std::unique_ptr<Backend> at_level(int level, unsigned threads = 1) {
  auto backend = make_native({.optimisation = level, .threads = threads});
  EXPECT_TRUE(backend) << test::diagnosis(backend.error());
  return std::move(*backend);
}

/// Bytes from unsigned values of `size` bytes each, least significant byte first.
Bytes bytes_of(size_t size, std::initializer_list<std::initializer_list<uint64_t>> elements) {
  Bytes out;
  for (const auto& parts : elements) {  // of an element: its 64-bit halves, the low one first
    size_t left = size;
    for (const uint64_t part : parts) {
      for (size_t i = 0; i < std::min<size_t>(left, 8); ++i) out.push_back(std::byte(part >> (8 * i)));
      left -= std::min<size_t>(left, 8);
    }
    EXPECT_EQ(left, 0u);
  }
  return out;
}

void append(Bytes& to, std::span<const std::byte> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

constexpr auto kGuard = std::byte{0xa5};

/// Buffers on the host with a guard around each, at any distance from an aligned address.
class Host {
 public:
  Host(const std::vector<Bytes>& buffers, size_t misalignment) {
    for (const Bytes& buffer : buffers) {
      Bytes& room = rooms_.emplace_back(kMargin + misalignment + buffer.size() + kMargin, kGuard);
      std::ranges::copy(buffer, room.begin() + long(kMargin + misalignment));
      starts_.push_back(kMargin + misalignment);
      sizes_.push_back(buffer.size());
    }
  }
  std::vector<std::span<std::byte>> spans() {
    std::vector<std::span<std::byte>> out;
    for (size_t i = 0; i < rooms_.size(); ++i)
      out.push_back(std::span(rooms_[i]).subspan(starts_[i], sizes_[i]));
    return out;
  }
  Bytes buffer(size_t i) {
    const auto span = spans()[i];
    return Bytes(span.begin(), span.end());
  }
  bool guards_hold() const {
    for (size_t i = 0; i < rooms_.size(); ++i) {
      for (size_t k = 0; k < rooms_[i].size(); ++k) {
        const bool inside = k >= starts_[i] && k < starts_[i] + sizes_[i];
        if (!inside && rooms_[i][k] != kGuard) return false;
      }
    }
    return true;
  }

 private:
  static constexpr size_t kMargin = 64;
  std::vector<Bytes> rooms_;
  std::vector<size_t> starts_, sizes_;
};

struct TypeCase {
  const char* type;
  size_t bytes;
  std::initializer_list<std::initializer_list<uint64_t>> elements;  // three of them
  const char* literal;                                              // a value of the type,
  std::initializer_list<uint64_t> bits;                             // and its bits
};

// The bits of the literals are those of IEEE 754: 1.5 is 3e00, 3fc0 and 3fc00000.
const TypeCase kCases[] = {
    {"u32", 4, {{1}, {0xffffffff}, {0x80000000}}, "0x12345678", {0x12345678}},
    {"i32", 4, {{1}, {0xffffffff}, {0x80000000}}, "-2i32", {0xfffffffe}},
    {"u64", 8, {{1}, {~uint64_t{0}}, {0x0123456789abcdef}}, "0xfedcba9876543210u64", {0xfedcba9876543210}},
    {"u128",
     16,
     {{1, 0}, {0x0123456789abcdef, 0xfedcba9876543210}, {0, ~uint64_t{0}}},
     "0x00112233445566778899aabbccddeeffu128",
     {0x8899aabbccddeeff, 0x0011223344556677}},
    {"vec2u32", 8, {{0x0000000200000001}, {0xffffffff00000000}, {7}}, "vec2u32(5, 6)", {0x0000000600000005}},
    {"vec4u32",
     16,
     {{0x0000000200000001, 0x0000000400000003}, {0, 1}, {~uint64_t{0}, 2}},
     "vec4u32(1, 2, 3, 4)",
     {0x0000000200000001, 0x0000000400000003}},
    {"bool", 4, {{1}, {0}, {1}}, "true", {1}},
    {"f16", 2, {{0x7e01}, {0x8000}, {0x0001}}, "1.5f16", {0x3e00}},
    {"bf16", 2, {{0x7f81}, {0xff80}, {0x0001}}, "1.5bf16", {0x3fc0}},
    {"f32", 4, {{0x7fa00001}, {0x80000000}, {0x00000001}}, "1.5f32", {0x3fc00000}},
};

class EveryType : public testing::TestWithParam<TypeCase> {};
INSTANTIATE_TEST_SUITE_P(Native, EveryType, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.type); });

std::string replaced(std::string text, const TypeCase& c) {
  for (const auto& [word, by] : {std::pair{"TYPE", c.type}, std::pair{"LITERAL", c.literal}}) {
    for (size_t at; (at = text.find(word)) != text.npos;) text.replace(at, std::strlen(word), by);
  }
  return text;
}

// Values go through variables, select, workgroup memory across a barrier and a literal, and come out as they
// went in: NaNs with their payloads too.
TEST_P(EveryType, KeepsItsBytes) {
  VYRE_ORACLE(Property, "the bytes themselves");
  const TypeCase& c = GetParam();
  const auto program = checked(replaced(R"(
program p(read a: TYPE @0, read_write out: TYPE @1, workgroup w: TYPE[4]) workgroup(4, 1, 1) {
  let i = local_id.x;
  let v = a[i];
  w[i] = v;
  barrier;
  out[i] = w[i];
  let x = a[0];
  if (i == 1) { x = a[1]; }
  barrier;
  if (i < 3) { out[3 + i] = select(i > 0, w[2], x); }
  if (i == 3) { out[6] = LITERAL; }
})",
                                        c));
  const Bytes a = bytes_of(c.bytes, c.elements);
  ASSERT_EQ(a.size(), 3 * c.bytes);
  const auto element = [&](size_t i) { return std::span(a).subspan(i * c.bytes, c.bytes); };
  // out: a[0], a[1], a[2], then element 3 as lane 3 or lane 0 left it, 4 and 5, the literal, and one
  // untouched.
  Bytes expected = a;
  for (const size_t i : {0u, 2u, 2u}) append(expected, element(i));
  append(expected, bytes_of(c.bytes, {c.bits}));
  expected.insert(expected.end(), c.bytes, std::byte{0x11});
  const Bytes before(8 * c.bytes, std::byte{0x11});
  for (const int level : {0, 2}) {
    const auto pipeline = at_level(level)->compile(program);
    ASSERT_TRUE(pipeline) << test::diagnosis(pipeline.error());
    for (const size_t misalignment : {0u, 1u, 2u, 3u, 4u, 6u, 8u}) {
      Host host({a, before}, misalignment);
      ASSERT_TRUE((*pipeline)->dispatch(host.spans(), {}));
      EXPECT_EQ(host.buffer(1), expected) << "level " << level << ", misaligned by " << misalignment;
      EXPECT_EQ(host.buffer(0), a);
      EXPECT_TRUE(host.guards_hold()) << "level " << level << ", misaligned by " << misalignment;
    }
  }
}

// Guards stand directly behind the last element of buffers of every length.
TEST_P(EveryType, TouchesNothingBeyondItsElements) {
  // Semantics, "Memory": out of bounds a load gives zero and a store does nothing, and an empty buffer has no
  // element at all.
  const TypeCase& c = GetParam();
  const auto program = checked(replaced(R"(
program p(read_write a: TYPE @0, read_write zeros: TYPE @1) workgroup(16, 1, 1) {
  let i = invocation_id.x;
  zeros[i] = a[i + len(a)];
  a[i] = LITERAL;
  a[0 - i - 1] = LITERAL;
})",
                                        c));
  for (const int level : {0, 2}) {
    const auto pipeline = at_level(level)->compile(program);
    ASSERT_TRUE(pipeline) << test::diagnosis(pipeline.error());
    for (size_t count = 0; count <= 9; ++count) {
      Host host({Bytes(count * c.bytes, std::byte{0x33}), Bytes(7 * c.bytes, std::byte{0x33})}, 0);
      ASSERT_TRUE((*pipeline)->dispatch(host.spans(), {}));
      Bytes literals;
      for (size_t i = 0; i < count; ++i) append(literals, bytes_of(c.bytes, {c.bits}));
      EXPECT_EQ(host.buffer(0), literals) << count << " elements, level " << level;
      EXPECT_EQ(host.buffer(1), Bytes(7 * c.bytes, std::byte{0})) << count << " elements, level " << level;
      EXPECT_TRUE(host.guards_hold()) << count << " elements, level " << level;
    }
  }
}

TEST(Native, NeighboursOf16BitsSurviveManyThreads) {
  VYRE_ORACLE(Property,
              "the element number, which each invocation stores in its own 16 bits: threads that share a "
              "word, and a cache line, must not undo one another");
  const auto program = checked(R"(
program p(read_write out: f16 @0) workgroup(1, 1, 1) {
  for round in 0..64 { out[invocation_id.x] = bitcast<f16>(bitcast<bf16>(out[invocation_id.x])); }
})");
  constexpr uint32_t kCount = 65'535;
  for (const int level : {0, 2}) {
    const auto pipeline = at_level(level, 4)->compile(program);
    ASSERT_TRUE(pipeline) << test::diagnosis(pipeline.error());
    std::vector<uint16_t> elements(kCount);
    for (uint32_t i = 0; i < kCount; ++i) elements[i] = uint16_t(i);
    std::vector<std::span<std::byte>> host = {std::as_writable_bytes(std::span(elements))};
    ASSERT_TRUE((*pipeline)->dispatch(host, {kCount, 1, 1}));
    for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(elements[i], i);
  }
}

TEST(Native, RefusesSubgroupOperationsAlone) {
  // explain B002: operations of subgroups are refused by name, and the rest of a batch is none the worse.
  const auto plain = checked("program p(read_write out: u32 @0) workgroup(1, 1, 1) { out[0] = 41 + 1; }");
  auto library = spec::OpTable();
  spec::add_intrinsics(library);
  auto text = text::parse(
      "program p(read_write out: u32 @0) workgroup(64, 1, 1) { out[0] = subgroup.reduce_add(local_id.x); }");
  ASSERT_TRUE(text) << test::diagnosis(text.error());
  const auto subgroups = check::check(std::move(*text), library);
  ASSERT_TRUE(subgroups);
  const check::Checked* const programs[] = {&plain, &*subgroups, &plain};
  const auto backend = at_level(0);
  const auto pipelines = backend->compile_batch(programs);
  ASSERT_FALSE(pipelines[1]);
  EXPECT_EQ(pipelines[1].error().code, DiagCode::B002);
  EXPECT_NE(pipelines[1].error().message.find("subgroup.reduce_add"), std::string::npos);
  for (const size_t i : {0u, 2u}) {
    ASSERT_TRUE(pipelines[i]);
    EXPECT_EQ(test::pipeline_result(**pipelines[i], {{0}}, {})[0][0], 42u);
  }
  for (const spec::IntrinsicInfo& info : spec::kIntrinsics)
    EXPECT_FALSE(backend->has(info.intrinsic)) << info.id;
}

}  // namespace
}  // namespace vyre::backend
