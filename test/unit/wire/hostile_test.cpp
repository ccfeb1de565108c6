// Bytes from anywhere: every edit of the frozen files, and inputs made to waste memory.
#include <bit>
#include <cstdlib>
#include <new>

#include "corpus.h"
#include "oracle.h"
#include "wire/seal.h"
#include "wire/tags.h"
#include "wire/wire.h"

VYRE_ORACLE(
    Property,
    "memory grows with the file, never with the counts in it; with a digest that fits, an edited body is a "
    "diagnostic or the only encoding of another program; no other edit leaves a valid file");

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

/// A diagnostic, or a module of which these bytes are the encoding. True for a module.
bool expect_answer(std::span<const std::byte> file) {
  auto module = decode_module(file);
  if (!module) {
    EXPECT_EQ(diag_info(module.error().code).name[0], 'W');
    EXPECT_TRUE(module.error().message.starts_with("at byte "));
    return false;
  }
  const Bytes again = encode(*module);
  EXPECT_TRUE(std::ranges::equal(again, file));
  return true;
}

/// The frozen files of all versions.
std::vector<std::filesystem::path> frozen() {
  auto out = files("test/wire/v1", ".vyrb");
  for (const auto& path : files("test/wire/v2", ".vyrb")) out.push_back(path);
  return out;
}
uint32_t version_of(const Bytes& file) { return load_u32(file.data() + kVersionAt); }

TEST(Hostile, NoEditedFileIsAccepted) {
  // W004: the digest covers the version and the body, so no edit of a byte leaves a valid file.
  for (const auto& path : frozen()) {
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

TEST(Hostile, EveryEditedBodyIsRefusedOrCanonical) {
  // With a digest that fits, an edited body is a diagnostic or the only encoding of another program, which
  // check then takes or refuses.
  size_t accepted = 0, refused = 0;
  const auto count = [&](const Bytes& file) { ++(expect_answer(file) ? accepted : refused); };
  for (const auto& path : frozen()) {
    const Bytes file = read_bytes(path);
    const uint32_t version = version_of(file);
    Bytes body(body_of(file).begin(), body_of(file).end());
    for (size_t at = 0; at < body.size(); ++at) {
      const std::byte before = body[at];
      for (int value = 0; value < 256; ++value) {
        // Of modules only what differs in one bit, since nothing else is new in them.
        if (version == kModuleVersion && !std::has_single_bit(unsigned(before) ^ unsigned(value))) continue;
        body[at] = std::byte(value);
        count(seal(body, version));
      }
      body[at] = before;
      count(seal(std::span(body).first(at), version));  // truncated
      Bytes longer = body;
      longer.insert(longer.begin() + std::ptrdiff_t(at), before);  // a byte twice
      count(seal(longer, version));
      longer.erase(longer.begin() + std::ptrdiff_t(at),
                   longer.begin() + std::ptrdiff_t(at) + 2);  // a byte lost
      count(seal(longer, version));
    }
  }
  // Both happen, or the test shows nothing: a binding number may be any number, a tag may not.
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

/// What decoding takes beside the input's share, whatever the input is: the first blocks of its stacks, a
/// message.
constexpr size_t kFixed = 4096;

/// Expects at most 16 bytes of memory for each byte of the file that this body makes.
void expect_small(const Body& body, bool accepted) {
  const Bytes file = seal(std::as_bytes(std::span(body)));
  const size_t before = g_allocated;
  g_peak = before;
  {
    const auto program = decode(file);
    EXPECT_EQ(program.has_value(), accepted) << (program ? "" : program.error().message);
  }
  EXPECT_LE(g_peak - before, 16 * file.size() + kFixed) << file.size() << " bytes";
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

// docs/wire-format.md, "Hostile bytes": at most 16 bytes a byte. Each input makes the most of one
// part of the decoder.
constexpr uint32_t kMany = (1u << 17) + 1;

Body repeated(Body head, uint32_t times, const Body& part, const Body& tail = {}) {
  for (uint32_t i = 0; i < times; ++i) head.insert(head.end(), part.begin(), part.end());
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

TEST(HostileMemory, Statements) {
  Body list = begin(0, kMany);
  put_number(list, kMany);
  expect_small(repeated(list, kMany, {6}), true);
  expect_small(repeated(list, kMany, {7, 0}), true);
  expect_small(repeated(begin(0, kMany), kMany, {1, 7}, {0}), true);  // each in the one before
  // The same, with so many statements behind each: what is open has to be kept.
  for (uint8_t behind = 1; behind < 20; ++behind) {
    Body open = repeated(begin(0, kMany * (1 + behind)), kMany, {uint8_t(1 + behind), 7});
    open.push_back(0);
    expect_small(repeated(open, kMany * behind, {8}), true);
    expect_small(open, false);
  }
}

TEST(HostileMemory, Ifs) {
  const Body condition = {2, 0};
  for (const bool inside_else : {false, true}) {
    Body nested = begin(kMany, kMany);
    for (uint32_t i = 0; i < kMany; ++i) nested.insert(nested.end(), {1, 4, 2, 0, 1});
    nested.push_back(0);
    if (inside_else) {
      nested = begin(kMany, kMany);
      nested.push_back(1);
      for (uint32_t i = 0; i < kMany; ++i) {
        nested.insert(nested.end(), {4, 2, 0, 1, 0});
        if (i + 1 < kMany) nested.push_back(1);
      }
    }
    expect_small(repeated(nested, inside_else ? 1 : kMany, {0}), true);
  }
}

TEST(HostileMemory, Expressions) {
  Body chain = begin(kMany + 1, 1);
  chain.insert(chain.end(), {1, 1, 0});
  expect_small(repeated(chain, kMany, {8, 0x14}, {2, 0}), true);
  Body left =
      begin(2 * kMany + 1, 1);  // additions whose left operand is the next addition: all are open at once
  left.insert(left.end(), {1, 1, 0});
  left = repeated(left, kMany, {8, 0x01});
  expect_small(repeated(left, kMany + 1, {2, 0}), true);
  Body call = begin(kMany + 1, 1);
  call.insert(call.end(), {1, 1, 0, 8, 0x1d, 0, 1});
  put_number(call, kMany);
  expect_small(repeated(call, kMany, {2, 0}), true);
  Body returns = begin(kMany, kMany);  // expressions and statements claimed, and half of the file is neither
  expect_small(repeated(returns, 3 * kMany, {6}), false);
}

TEST(HostileMemory, WideLiterals) {
  for (const uint8_t type : {0x03, 0x04, 0x05, 0x06}) {
    Body call = begin(kMany + 1, 1);
    call.insert(call.end(), {1, 1, 0, 8, 0x1d, 0, 1});
    put_number(call, kMany);
    const bool two_words = type == 0x03 || type == 0x05;
    expect_small(repeated(call, kMany, two_words ? Body{1, type, 0, 0} : Body{1, type, 0, 0, 0, 0}), true);
  }
}

TEST(HostileMemory, Names) {
  Body names;  // as many short names as there are, each used by one buffer
  std::vector<std::string> all = {"p"};
  for (char a = '!'; a <= '~'; ++a) all.push_back({a, a});
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
  Body unused = names;  // the names alone, which is then refused
  put_number(unused, 0);
  expect_small(unused, false);
  put_number(names, uint32_t(all.size()));
  for (uint32_t i = 0; i < all.size(); ++i) {
    put_number(names, i);
    names.insert(names.end(), {1, 1, 0});
  }
  names.insert(names.end(), {1, 1, 1, 0, 0, 0});
  expect_small(names, true);

  Body empty = {0xff, 0xff, 0x07};  // very many empty ones
  expect_small(repeated(empty, 0x1ffff, {0}), false);
  Body pairs;  // all names of two characters, which take three bytes
  put_number(pairs, 94 * 94 + 1);
  pairs.insert(pairs.end(), {1, 'p'});
  for (char a = '!'; a <= '~'; ++a) {
    for (char b = '!'; b <= '~'; ++b) pairs.insert(pairs.end(), {2, uint8_t(a), uint8_t(b)});
  }
  expect_small(pairs, false);
}

TEST(HostileMemory, Tensors) {
  const auto buffers = [](const Body& buffer) {
    Body out = {1, 1, 'p'};
    put_number(out, kMany);
    return repeated(out, kMany, buffer, {1, 1, 1, 0, 0, 0});
  };
  expect_small(buffers({0, 1, 0x0c, 0x01, 0, 0, 0}), true);                    // no dimension
  expect_small(buffers({0, 1, 0x0c, 0x01, 1, 0, 9, 0, 0}), true);              // one
  expect_small(buffers({0, 1, 0x0c, 0x01, 2, 0, 9, 0, 9, 2, 1, 1, 0}), true);  // two, and strides
  Body dims = {1, 1, 'p', 1, 0, 1, 0x0c, 0x01};
  put_number(dims, kMany);
  dims = repeated(dims, kMany, {0, 7});
  put_number(dims, kMany);
  expect_small(repeated(dims, kMany, {7}, {0, 1, 1, 1, 0, 0, 0}), true);
  // As many buffers claimed as may be, and the bytes are tensors.
  Body claimed = {1, 1, 'p'};
  put_number(claimed, kMany * 7 / 4);
  expect_small(repeated(claimed, kMany, {0, 1, 0x0c, 0x01, 0, 0, 0}), false);
}

/// Expects at most 32 bytes of memory for each byte of the module's file, of graphs 64, and 2048 for each
/// item that it counts.
void expect_small_module(const Body& body, size_t items, bool accepted, size_t most = 32) {
  const Bytes file = seal(std::as_bytes(std::span(body)), kModuleVersion);
  const size_t before = g_allocated;
  g_peak = before;
  {
    const auto module = decode_module(file);
    EXPECT_EQ(module.has_value(), accepted) << (module ? "" : module.error().message);
  }
  EXPECT_LE(g_peak - before, most * file.size() + 2048 * items + kFixed) << file.size() << " bytes";
}

/// One operation a() -> u32 that begins with these bytes behind the type of its result.
Body operation(std::initializer_list<uint8_t> rest = {}) {
  Body out = {1, 1, 1, 'a', 1, 0, 0x01};
  out.insert(out.end(), rest);
  return out;
}
const Body kReturnsZero = {1, 0, 0, 1, 0x01, 0};  // one expression, no statement: u32 0
const Body kNothingElse = {0, 0};                 // no programs, no pipelines

Body joined(Body a, const Body& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(HostileMemory, WhatIsSaidOfOperations) {
  const auto many = [](Body begin, const Body& part, const Body& after) {
    put_number(begin, kMany);
    return joined(joined(repeated(std::move(begin), kMany, part, after), kReturnsZero), kNothingElse);
  };
  expect_small_module(many(operation(), {0, 0}, {0, 0}), 1, true);                        // claims
  expect_small_module(many(operation(), {0, 1, 0, 0, 0, 0, 0}, {0, 0}), 1, true);         // of one constant
  expect_small_module(many(operation(), {0, 2, 1, 'x', 1, 1, 'y', 1}, {0, 0}), 1, true);  // of two operations
  expect_small_module(many(operation({1, 0}), {1, 'x', 1}, {0, 0}), 1, true);             // arguments of one
  expect_small_module(many(operation({0}), {0, 0, 0}, {0}), 1, true);                     // denials
  expect_small_module(many(operation({0}), {0, 0, 1, 0x01, 0}, {0}), 1, true);            // of one value
  expect_small_module(many(operation({0, 0}), {0, 0x01, 0}, {}), 1, true);                // rows
  expect_small_module(many(operation({0, 0, 1}), {0x01, 0}, {0x01, 0}), 1, true);         // operands of one
  Body parameters = {1, 1, 1, 'a', 1};
  put_number(parameters, kMany);
  expect_small_module(
      joined(repeated(parameters, kMany, {0, 0x01}, {0x01, 0, 0, 0}), joined(kReturnsZero, kNothingElse)), 1,
      true);
}

TEST(HostileMemory, Commands) {
  const auto pipeline = [](uint32_t expressions, uint32_t commands, uint32_t arguments, Body body) {
    Body out = {0, 0, 1, 1, 1, 'p', 0};
    for (const uint32_t count : {expressions, commands, arguments}) put_number(out, count);
    return joined(out, body);
  };
  const auto list = [&](uint32_t expressions, uint32_t arguments, const Body& command) {
    Body count;
    put_number(count, kMany);
    expect_small_module(
        pipeline(expressions * kMany, kMany, arguments * kMany, repeated(std::move(count), kMany, command)),
        1, true);
  };
  list(1, 0, {2, 0, 2, 0});           // let
  list(1, 0, {1, 0, 1, 2, 0});        // scratch
  list(0, 0, {4, 0, 0, 0});           // run
  list(0, 1, {4, 0, 0, 1, 0, 0, 0});  // of one argument
  list(1, 1, {4, 0, 0, 1, 0, 1, 0, 2, 0});
  list(1, 0, {3, 0, 0, 1, 2, 0});     // dispatch
  list(2, 0, {5, 0, 2, 0, 2, 0, 0});  // for
  list(2, 0, {6, 0, 2, 0, 2, 0, 0});  // repeat
  list(1, 0, {7, 2, 0, 0, 0});        // if
  // Each in the one before.
  expect_small_module(pipeline(kMany, kMany, 0, repeated({}, kMany, {1, 7, 2, 0, 0}, {0})), 1, true);
  Body branches = repeated({}, kMany, {1, 7, 2, 0, 1});
  branches.push_back(0);
  expect_small_module(pipeline(kMany, kMany, 0, repeated(branches, kMany, {0})), 1, true);
  expect_small_module(
      pipeline(kMany, kMany, 0, repeated({1}, kMany - 1, {7, 2, 0, 1, 0, 1}, {7, 2, 0, 0, 0})), 1, true);
  // Claimed and not there.
  expect_small_module(pipeline(kMany, kMany, kMany, repeated({}, kMany, {1, 7, 2, 0, 0, 0, 0})), 1, false);
}

TEST(HostileMemory, Graphs) {
  const auto graph = [](uint32_t expressions, uint32_t steps, const Body& header, const Body& body) {
    Body out = {0, 0, 0, 1, 1, 2, 1, 'g', 1, 'y'};
    for (const uint32_t count : {expressions, steps}) put_number(out, count);
    return joined(joined(joined(out, {1}), header), body);
  };
  const Body header = {0, 1, 1, 0x0b, 0};  // one output: y, f32, no axis
  const auto list = [&](uint32_t expressions, const Body& step) {
    expect_small_module(graph(expressions * kMany, kMany, header, repeated({}, kMany, step)), 1, true, 64);
  };
  const auto one = [&](uint32_t expressions, Body step, const Body& part, const Body& after) {
    put_number(step, kMany);
    expect_small_module(graph(expressions, 1, header, repeated(step, kMany, part, after)), 1, true, 64);
  };
  list(1, {1, 0, 1, 2, 1});                      // y = y
  list(0, {0x0a, 1, 0, 0});                      // index
  list(1, {0x02, 1, 2, 1, 0});                   // transpose
  list(1, {0x02, 1, 2, 1, 1, 0});                // of one axis
  list(2, {0x04, 1, 2, 1, 1, 2, 1});             // broadcast
  list(1, {0x0f, 1, 2, 1, 0});                   // sort
  list(1, {0x0b, 1, 1, 2, 1, 0});                // reduce
  list(1, {0x06, 1, 0, 2, 1, 0});                // concat
  list(2, {0x0e, 1, 2, 1, 2, 1, 0});             // matmul
  one(1, {0x02, 1, 2, 1}, {0}, {});              // axes
  one(kMany, {0x0a, 1}, {2, 1}, {0});            // sizes
  one(kMany + 1, {0x06, 1}, {2, 1}, {2, 1, 0});  // tensors
  one(1, {1}, {1}, {1, 8, 0x1d, 1, 1, 0});       // names of a call
  Body parameters;
  put_number(parameters, kMany);
  expect_small_module(joined(graph(0, 0, repeated(parameters, kMany, {1, 0x0b, 0}, {1, 1, 0x0b, 0}), {}), {}),
                      1, true, 64);
  expect_small_module(graph(2 * kMany, kMany, header, repeated({}, kMany, {1, 0, 1, 2, 1, 2, 1, 2, 1})), 1,
                      false, 64);
}

TEST(HostileMemory, Items) {
  // Memory grows with the file and the items that it counts.
  constexpr uint32_t kItems = 1u << 16;
  const auto of = [](Body begin, uint32_t count, const Body& item, const Body& after) {
    put_number(begin, count);
    return repeated(std::move(begin), count, item, after);
  };
  const Body operation = {1, 0, 1, 0, 0x01, 0, 0, 0, 1, 0, 0, 1, 0x01, 0};
  const Body program = {1, 0, 0, 1, 1, 1, 0, 0, 0};
  const Body pipeline = {1, 0, 0, 0, 0, 0, 0};
  expect_small_module(of({}, kItems, operation, {0, 0}), kItems, true);
  expect_small_module(of({0}, kItems, program, {0}), kItems, true);
  expect_small_module(of({0, 0}, kItems, pipeline, {}), kItems, true);
  expect_small_module(of({0, 0}, kItems + 1, pipeline, {}), 0, false);
  expect_small_module(of({0, 0, 0, 1}, kItems, {1, 0, 0, 0, 1, 0, 0}, {}), kItems, true);
  // A long name that each item refers to: it stands in the table of each.
  Body named = {1, 100};
  named.insert(named.end(), 100, 'n');
  named.insert(named.end(), {1, 0, 1, 0x01, 7, 0, 0, 0, 0});
  expect_small_module(of({0, 0}, 1000, named, {}), 1000, true);
}

TEST(Hostile, CountsOfModulesAreCheckedBeforeAllocating) {
  VYRE_ORACLE(SpecificationTable,
              "a count is checked against the bytes that remain before anything is allocated for it");
  const Body number = {0xff, 0xff, 0xff, 0xff, 0x0f};
  for (const Body& head :
       {Body{}, Body{0}, Body{0, 0}, Body{1, 1, 1, 'a', 1}, operation(), operation({0}), operation({0, 0}),
        operation({1, 0}), operation({0, 0, 1}), Body{0, 0, 1, 1, 0, 0}, Body{0, 0, 1, 1, 0, 0, 0},
        Body{0, 0, 1, 1, 0, 0, 0, 0}, Body{0, 0, 0, 1}, Body{0, 0, 0, 1, 1}, Body{0, 0, 0, 1, 1, 1, 0},
        Body{0, 0, 0, 1, 1, 1, 0, 0}, Body{0, 0, 0, 1, 1, 1, 0, 0, 0, 1},
        Body{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0}, Body{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0x0b}}) {
    Body body = head;
    body.insert(body.end(), number.begin(), number.end());
    body.insert(body.end(), 20, 0);
    const Bytes file = seal(std::as_bytes(std::span(body)), kModuleVersion);
    const size_t before = g_allocated;
    g_peak = before;
    const auto module = decode_module(file);
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().code, DiagCode::W007) << module.error().message;
    EXPECT_LT(g_peak - before, 2048 + kFixed);
  }
}

TEST(Hostile, CountsAreCheckedBeforeAllocating) {
  VYRE_ORACLE(SpecificationTable,
              "a count is checked against the bytes that remain before anything is allocated for it");
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
    EXPECT_LT(g_peak - before, kFixed);
  }
}

}  // namespace
}  // namespace vyre::wire
