// Bytes from anywhere: every edit of the frozen files, and inputs made to waste memory.
#include <cstdlib>
#include <new>

#include "corpus.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

namespace {

// What operator new has given out and not taken back, and the most it ever was.
size_t g_allocated = 0;
size_t g_peak = 0;
constexpr size_t kPrefix = 16;  // keeps the alignment of malloc

}  // namespace

void* operator new(size_t size) {
  auto* const at = static_cast<std::byte*>(std::malloc(size + kPrefix));
  if (at == nullptr) std::abort();
  std::memcpy(at, &size, sizeof size);
  g_allocated += size;
  g_peak = std::max(g_peak, g_allocated);
  return at + kPrefix;
}
void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  auto* const begin = static_cast<std::byte*>(at) - kPrefix;
  size_t size;
  std::memcpy(&size, begin, sizeof size);
  g_allocated -= size;
  std::free(begin);
}
void operator delete(void* at, size_t) noexcept { operator delete(at); }

namespace vyre::wire {
namespace {

using Body = std::vector<uint8_t>;

std::span<const std::byte> body_of(const Bytes& file) { return std::span(file).subspan(kBodyAt); }

/// A diagnostic, or a program of which these bytes are the encoding. True for a program.
bool expect_answer(std::span<const std::byte> file) {
  auto program = decode(file);
  if (!program) {
    EXPECT_EQ(diag_info(program.error().code).name[0], 'W');
    EXPECT_TRUE(program.error().message.starts_with("at byte "));
    return false;
  }
  const Bytes again = encode(*program);
  EXPECT_TRUE(std::ranges::equal(again, file));
  return true;
}

// Oracle: W004: the digest covers the version and the body, so no edit of a byte leaves a valid file.
TEST(Hostile, NoEditedFileIsAccepted) {
  for (const auto& path : files("test/wire/v1", ".vyrb")) {
    Bytes file = read_bytes(path);
    for (std::byte& byte : file) {
      const std::byte before = byte;
      for (int flip = 1; flip < 256; flip <<= 1) {
        byte = before ^ std::byte(flip);
        EXPECT_FALSE(expect_answer(file));
      }
      byte = before;
    }
    for (size_t size = 0; size < file.size(); ++size)
      EXPECT_FALSE(expect_answer(std::span(file).first(size)));
    EXPECT_TRUE(expect_answer(file));
  }
}

// Oracle: with a digest that fits, an edited body is a diagnostic or the only encoding of another program,
// which check then takes or refuses.
TEST(Hostile, EveryEditedBodyIsRefusedOrCanonical) {
  size_t accepted = 0, refused = 0;
  const auto count = [&](const Bytes& file) { ++(expect_answer(file) ? accepted : refused); };
  for (const auto& path : files("test/wire/v1", ".vyrb")) {
    const Bytes file = read_bytes(path);
    Bytes body(body_of(file).begin(), body_of(file).end());
    for (size_t at = 0; at < body.size(); ++at) {
      const std::byte before = body[at];
      for (int value = 0; value < 256; ++value) {
        body[at] = std::byte(value);
        count(seal(body));
      }
      body[at] = before;
      count(seal(std::span(body).first(at)));  // truncated
      Bytes longer = body;
      longer.insert(longer.begin() + std::ptrdiff_t(at), before);  // a byte twice
      count(seal(longer));
      longer.erase(longer.begin() + std::ptrdiff_t(at),
                   longer.begin() + std::ptrdiff_t(at) + 2);  // a byte lost
      count(seal(longer));
    }
  }
  // Both happen, or the test shows nothing: a binding number may be any number, a tag may not.
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

/// The most memory that decoding the body takes, in bytes an input byte.
double memory_factor(const Body& body, bool accepted) {
  const Bytes file = seal(std::as_bytes(std::span(body)));
  const size_t before = g_allocated;
  g_peak = before;
  {
    const auto program = decode(file);
    EXPECT_EQ(program.has_value(), accepted) << (program ? "" : program.error().message);
  }
  return double(g_peak - before) / double(file.size());
}

void put_number(Body& out, uint32_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(uint8_t(value | 0x80));
  out.push_back(uint8_t(value));
}
/// program p() workgroup(1, 1, 1) with so many expressions and statements, up to the body's block.
Body begin(uint32_t expressions, uint32_t statements) {
  Body out = {1, 1, 'p', 0, 1, 1, 1};
  put_number(out, expressions);
  put_number(out, statements);
  return out;
}

// Oracle: wire.h: memory is linear in the input's size; docs/wire-format.md: at most 64 bytes a byte. Each
// input makes the most of one part of the decoder.
TEST(Hostile, MemoryIsLinearInTheInput) {
  constexpr uint32_t kMany = (1u << 17) + 1;

  Body returns = begin(0, kMany);
  put_number(returns, kMany);
  returns.insert(returns.end(), kMany, 6);
  EXPECT_LE(memory_factor(returns, true), 64);

  Body blocks = begin(0, kMany);
  for (uint32_t i = 0; i < kMany; ++i) blocks.insert(blocks.end(), {1, 7});
  blocks.push_back(0);
  EXPECT_LE(memory_factor(blocks, true), 64);

  Body empty_blocks = begin(0, kMany);
  put_number(empty_blocks, kMany);
  for (uint32_t i = 0; i < kMany; ++i) empty_blocks.insert(empty_blocks.end(), {7, 0});
  EXPECT_LE(memory_factor(empty_blocks, true), 64);

  Body deep = begin(kMany + 1, 1);
  deep.insert(deep.end(), {1, 1, 0});
  for (uint32_t i = 0; i < kMany; ++i) deep.insert(deep.end(), {8, 0x14});
  deep.insert(deep.end(), {2, 0});
  EXPECT_LE(memory_factor(deep, true), 64);

  Body wide = begin(kMany + 1, 1);
  wide.insert(wide.end(), {1, 1, 0, 8, 0x1d, 0, 1});
  put_number(wide, kMany);
  for (uint32_t i = 0; i < kMany; ++i) wide.insert(wide.end(), {2, 0});
  EXPECT_LE(memory_factor(wide, true), 64);

  Body names;  // as many short names as there are, each used by one buffer
  std::vector<std::string> all = {"p"};
  for (char a = '!'; a <= '~'; ++a) {
    for (char b = '!'; b <= '~'; ++b) {
      for (char c = '!'; c <= '~' && all.size() < kMany; ++c) all.push_back({a, b, c});
    }
  }
  put_number(names, uint32_t(all.size()));
  for (const std::string& name : all) {
    names.push_back(uint8_t(name.size()));
    names.insert(names.end(), name.begin(), name.end());
  }
  put_number(names, uint32_t(all.size()));
  for (uint32_t i = 0; i < all.size(); ++i) {
    put_number(names, i);
    names.insert(names.end(), {1, 1, 0});
  }
  names.insert(names.end(), {1, 1, 1, 0, 0, 0});
  EXPECT_LE(memory_factor(names, true), 64);

  Body unused(names.begin(), names.end() - 6);  // the names alone, which is then refused
  put_number(unused, 0);
  EXPECT_LE(memory_factor(unused, false), 64);
}

// Oracle: a count is checked against the bytes that remain before anything is allocated for it.
TEST(Hostile, CountsAreCheckedBeforeAllocating) {
  const Body number = {0xff, 0xff, 0xff, 0xff, 0x0f};
  for (const Body& head : {Body{}, Body{1}, Body{1, 1, 'p'}, Body{1, 1, 'p', 0, 1, 1, 1},
                           Body{1, 1, 'p', 0, 1, 1, 1, 0}, Body{1, 1, 'p', 0, 1, 1, 1, 0, 0}}) {
    Body body = head;
    body.insert(body.end(), number.begin(), number.end());
    const Bytes file = seal(std::as_bytes(std::span(body)));
    const size_t before = g_allocated;
    g_peak = before;
    const auto program = decode(file);
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, DiagCode::W007) << program.error().message;
    EXPECT_LT(g_peak - before, 4096u);
  }
}

}  // namespace
}  // namespace vyre::wire
