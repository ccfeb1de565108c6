// One test for each W code, and each way to it, with the byte that the message names.
#include "corpus.h"
#include "oracle.h"
#include "wire/seal.h"
#include "wire/wire.h"

VYRE_ORACLE(SpecificationTable,
            "docs/wire-format.md, with \"Modules\" and \"Hostile bytes\", and diag.def, by hand");

namespace vyre::wire {
namespace {

using Body = std::vector<uint8_t>;

constexpr size_t kHeader = 40;

Bytes sealed(const Body& body, uint32_t version = 1) { return seal(std::as_bytes(std::span(body)), version); }
Bytes xor_file() { return read_bytes(std::filesystem::path(VYRE_SOURCE_DIR) / "test/wire/v1/xor.vyrb"); }

/// Expects the code, and the position in the message; `at` counts from the beginning of the file.
void expect_code(std::span<const std::byte> file, DiagCode code, size_t at) {
  const auto program = decode(file);
  ASSERT_FALSE(program);
  EXPECT_EQ(diag_info(program.error().code).name, diag_info(code).name) << program.error().message;
  EXPECT_TRUE(program.error().message.starts_with("at byte " + std::to_string(at) + ": "))
      << program.error().message;
}
void expect_in_body(const Body& body, DiagCode code, size_t at) {
  SCOPED_TRACE(testing::PrintToString(body));
  expect_code(sealed(body), code, kHeader + at);
}

/// program p() workgroup(1, 1, 1) { } with these pieces: strings, buffers, counts and block, statements.
Body body(std::initializer_list<Body> pieces) {
  Body out;
  for (const Body& piece : pieces) out.insert(out.end(), piece.begin(), piece.end());
  return out;
}
const Body kName = {1, 1, 'p'};
const Body kTwoNames = {2, 1, 'p', 1, 'x'};
const Body kNoBuffers = {0};
const Body kSize = {1, 1, 1};
/// Bytes before the counts, when there is one name and no buffer: 3 + 1 + 3.
constexpr size_t kCounts = 7;

/// let p = <expression>, whose first byte is at kExpression.
Body let(const Body& expression, uint8_t expressions = 1) {
  return body({kName, kNoBuffers, kSize, {expressions, 1, 1, 1, 0}, expression});
}
constexpr size_t kExpression = kCounts + 5;

/// The same for the body of a module; `at` counts from the beginning of the file.
void expect_in_module(const Body& body, DiagCode code, size_t at) {
  SCOPED_TRACE(testing::PrintToString(body));
  const auto module = decode_module(sealed(body, 2));
  ASSERT_FALSE(module);
  EXPECT_EQ(diag_info(module.error().code).name, diag_info(code).name) << module.error().message;
  EXPECT_TRUE(module.error().message.starts_with("at byte " + std::to_string(at) + ": "))
      << module.error().message;
}
/// pipeline p() { <commands> }, whose counts are at 47.
Body pipeline(const Body& counts, const Body& commands) {
  return body({{0, 0, 1}, {1, 1, 'p'}, {0}, counts, commands});
}

// Oracle of all of these: docs/wire-format.md.

TEST(Codes, APlainBodyIsFine) {
  EXPECT_TRUE(decode(sealed(body({kName, kNoBuffers, kSize, {0, 0, 0}}))));
  EXPECT_TRUE(decode(sealed(let({1, 0x01, 5}))));
}

TEST(Codes, W001NotAWireFile) {
  expect_code({}, DiagCode::W001, 0);
  const std::string text = "program p() workgroup(1, 1, 1) { }";
  expect_code(std::as_bytes(std::span(text)), DiagCode::W001, 0);
}

TEST(Codes, W002UnknownVersion) {
  Bytes file = xor_file();
  for (const uint32_t version : {0u, 2u, 257u, 0xffffffffu}) {
    store_u32(file.data() + 4, version);
    expect_code(file, DiagCode::W002, 4);
  }
}

TEST(Codes, W003Truncated) {
  const Bytes file = xor_file();
  for (size_t size = 4; size < kHeader; ++size)
    expect_code(std::span(file).first(size), DiagCode::W003, size);
  expect_in_body({}, DiagCode::W003, 0);
  expect_in_body(body({kName, kNoBuffers, {1, 1}}), DiagCode::W003, 6);
  expect_in_body({0x81}, DiagCode::W003, 1);
  expect_in_body(body({let({2})}), DiagCode::W003, kExpression + 1);
}

TEST(Codes, W004DigestMismatch) {
  Bytes file = xor_file();
  file.back() ^= std::byte{1};
  expect_code(file, DiagCode::W004, 8);
  file = xor_file();
  file[8] ^= std::byte{0x80};
  expect_code(file, DiagCode::W004, 8);
  file = xor_file();
  file.pop_back();
  expect_code(file, DiagCode::W004, 8);
}

TEST(Codes, W005UnknownTag) {
  expect_in_body(body({kName, {1, 0, 0, 1, 0}, kSize, {0, 0, 0}}), DiagCode::W005, 5);          // access 0
  expect_in_body(body({kName, {1, 0, 6, 1, 0}, kSize, {0, 0, 0}}), DiagCode::W005, 5);          // access 6
  expect_in_body(body({kName, {1, 0, 1, 0, 0}, kSize, {0, 0, 0}}), DiagCode::W005, 6);          // type 0
  expect_in_body(body({kName, {1, 0, 1, 0x0f, 0}, kSize, {0, 0, 0}}), DiagCode::W005, 6);       // type 0x0f
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 1, 1, 0}}), DiagCode::W005, kCounts + 3);  // statement 0
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 1, 1, 10}}), DiagCode::W005,
                 kCounts + 3);                                                           // statement 10
  expect_in_body(let({0, 0}), DiagCode::W005, kExpression);                              // expression 0
  expect_in_body(let({10, 0}), DiagCode::W005, kExpression);                             // expression 10
  expect_in_body(let({8, 0}), DiagCode::W005, kExpression + 1);                          // operator 0
  expect_in_body(let({8, 0x7f}), DiagCode::W005, kExpression + 1);                       // operator 0x7f
  expect_in_body(let({8, 0x81, 0x80, 0x04, 0}), DiagCode::W005, kExpression + 1);        // operator 0x10001
  expect_in_body(let({8, 0x1b, 0x01, 5, 1, 1, 0}, 2), DiagCode::W005, kExpression + 3);  // rounding mode 5
  expect_in_body(let({1, 0x08, 0}), DiagCode::W005, kExpression + 1);                    // a literal of bytes
  expect_in_body(let({1, 0x0c, 0}), DiagCode::W005, kExpression + 1);  // a literal of tensor
  const auto tensor = [](const Body& type) {
    return body({kName, {1, 0, 1, 0x0c}, type, {0}, kSize, {0, 0, 0}});
  };
  EXPECT_TRUE(decode(sealed(tensor({0x01, 1, 0, 9, 0}))));
  expect_in_body(tensor({0x0c, 1, 0, 9, 0}), DiagCode::W005, 7);  // a tensor of tensors
  expect_in_body(tensor({0x01, 1, 2, 9, 0}), DiagCode::W005, 9);  // a dimension neither fixed nor dynamic
  // if with a flag that is neither 0 nor 1
  expect_in_body(body({kName, kNoBuffers, kSize, {1, 1, 1, 4, 1, 1, 0, 2, 0}}), DiagCode::W005, kCounts + 7);
}

TEST(Codes, W006NotCanonical) {
  // Numbers in more bytes than needed, or of more than 32 bits.
  expect_in_body(let({1, 0x01, 0x85, 0x00}), DiagCode::W006, kExpression + 2);
  expect_in_body(let({1, 0x01, 0x80, 0x80, 0x00}), DiagCode::W006, kExpression + 2);
  expect_in_body(let({1, 0x01, 0xff, 0xff, 0xff, 0xff, 0x1f}), DiagCode::W006, kExpression + 2);
  expect_in_body(let({1, 0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}), DiagCode::W006, kExpression + 2);
  EXPECT_TRUE(decode(sealed(let({1, 0x01, 0xff, 0xff, 0xff, 0xff, 0x0f}))));
  // Strings: none, a second time, unused, out of the order of their use.
  expect_in_body(body({{0}, kNoBuffers, kSize, {0, 0, 0}}), DiagCode::W006, 0);
  expect_in_body(body({{2, 1, 'p', 1, 'p'}, kNoBuffers, kSize, {0, 0, 0}}), DiagCode::W006, 3);
  expect_in_body(body({{3, 1, 'p', 1, 'x', 1, 'x'}, kNoBuffers, kSize, {0, 0, 0}}), DiagCode::W006, 5);
  expect_in_body(body({kTwoNames, kNoBuffers, kSize, {0, 0, 0}}), DiagCode::W006, 0);
  expect_in_body(body({{3, 1, 'p', 1, 'x', 1, 'y'}, kNoBuffers, kSize, {1, 1, 1, 1, 2, 2, 1}}),
                 DiagCode::W006, 15);
  // Counts that are not those of the body.
  expect_in_body(body({kName, kNoBuffers, kSize, {1, 2, 1, 1, 0, 1, 0x01, 5}}), DiagCode::W006, kCounts);
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 0, 1, 6}}), DiagCode::W006, kCounts);
  expect_in_body(let({1, 0x01, 5}, 0), DiagCode::W006, kCounts);
  expect_in_body(let({1, 0x01, 5, 6}, 2), DiagCode::W008, kExpression + 3);
  expect_in_body(let({2, 0x80, 0x00}, 2), DiagCode::W006, kExpression + 1);
  // Values with bits beyond those of their type, at their first number.
  EXPECT_TRUE(decode(sealed(let({1, 0x09, 0xff, 0xff, 0x03}))));
  for (const uint8_t half : {0x09, 0x0a})
    expect_in_body(let({1, half, 0x80, 0x80, 0x04}), DiagCode::W006, kExpression + 2);
  expect_in_body(let({1, 0x09, 0xff, 0xff, 0xff, 0xff, 0x0f}), DiagCode::W006, kExpression + 2);
  EXPECT_TRUE(decode(sealed(let({1, 0x07, 1}))));
  expect_in_body(let({1, 0x07, 2}), DiagCode::W006, kExpression + 2);
  // A block or an operator that has more than are claimed, before the first of them is read.
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 1, 2, 9, 9}}), DiagCode::W006, kCounts);
  expect_in_body(let({8, 0x01, 9, 9}, 2), DiagCode::W006, kCounts);
}

TEST(Codes, W007CountExceedsTheInput) {
  expect_in_body({2, 1}, DiagCode::W007, 0);       // strings
  expect_in_body({1, 2, 'p'}, DiagCode::W007, 1);  // bytes of a string
  expect_in_body({0xff, 0xff, 0xff, 0xff, 0x0f}, DiagCode::W007, 0);
  expect_in_body(body({kName, {2, 0, 1, 1, 0}, {1, 1}}), DiagCode::W007, 3);                 // buffers
  expect_in_body(body({kName, kNoBuffers, kSize, {2, 0, 0}}), DiagCode::W007, kCounts);      // expressions
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 2, 0}}), DiagCode::W007, kCounts + 1);  // statements
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 0, 1}}), DiagCode::W007, kCounts + 2);  // of a block
  // What is claimed and cannot come any more, found where a block begins.
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 1, 0}}), DiagCode::W007, kCounts + 2);
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 3, 1, 7, 0}}), DiagCode::W007, kCounts + 2);
  expect_in_body(let({3, 0, 2, 1, 1}, 2), DiagCode::W007, kExpression + 2);           // further indices
  expect_in_body(let({8, 0x1d, 0, 1, 2, 1, 1}, 2), DiagCode::W007, kExpression + 4);  // arguments
  // Statements in the bytes that the expressions leave.
  expect_in_body(body({kName, kNoBuffers, kSize, {2, 4, 1, 1, 0, 2, 0, 6}}), DiagCode::W007, kCounts + 1);
  expect_in_body(body({kName, {1, 0, 1, 0x0c, 0x01, 9, 0, 0}, {1, 1}}), DiagCode::W007, 8);  // dimensions
  expect_in_body(body({kName, {1, 0, 1, 0x0c, 0x01, 0, 9, 0}, {1, 1}}), DiagCode::W007, 9);  // strides
}

TEST(Codes, W008TrailingBytes) {
  expect_in_body(body({kName, kNoBuffers, kSize, {0, 0, 0, 0}}), DiagCode::W008, kCounts + 3);
  expect_in_body(body({let({1, 0x01, 5}), {1, 2, 3}}), DiagCode::W008, kExpression + 3);
}

TEST(Codes, W009BadReference) {
  expect_in_body(body({kName, {1, 1, 1, 1, 0}, kSize, {0, 0, 0}}), DiagCode::W009, 4);
  expect_in_body(let({2, 1}), DiagCode::W009, kExpression + 1);
  expect_in_body(let({2, 0xff, 0xff, 0xff, 0xff, 0x0f}), DiagCode::W009, kExpression + 1);
}

TEST(Codes, W010NotAvailableYet) {
  for (const uint8_t type : {0x10, 0x11}) {
    expect_in_body(body({kName, {1, 0, 1, type, 0}, kSize, {0, 0, 0}}), DiagCode::W010, 6);
    expect_in_body(body({kName, {1, 0, 1, 0x0c, type, 0, 0, 0}, kSize, {0, 0, 0}}), DiagCode::W010, 7);
    expect_in_body(let({1, type, 0}), DiagCode::W010, kExpression + 1);
    expect_in_body(let({8, 0x1b, type, 0, 1, 1, 0}, 2), DiagCode::W010, kExpression + 2);
  }
  for (const uint8_t op : {0x5d, 0x5f}) {
    expect_in_body(let({8, op, 2, 0}, 2), DiagCode::W010, kExpression + 1);
    expect_in_body(let({8, 0x3e, 0, op, 0}), DiagCode::W010, kExpression + 3);  // a reduction's operator
  }
  expect_in_body(let({8, 0x3e, 0, 0x60, 0}), DiagCode::W005, kExpression + 3);
  expect_in_body(let({8, 0x3f, 0, 0x29, 2}), DiagCode::W005, kExpression + 4);  // neither a range nor none
  EXPECT_TRUE(decode(sealed(let({8, 0x3f, 0, 0x29, 0}))));
  EXPECT_TRUE(decode(sealed(let({8, 0x5c, 0, 0x29, 64, 0}))));
  EXPECT_TRUE(decode(sealed(let({8, 0x5c, 0, 0x29, 0xff, 0xff, 3, 0}))));
  expect_in_body(let({8, 0x5c, 0, 0x29, 0x80, 0x80, 4, 0}), DiagCode::W006, kExpression + 4);  // 65536 ULP
  EXPECT_TRUE(decode(sealed(let({8, 0x3f, 0, 0x29, 1, 1, 0x01, 0, 1, 0x01, 9}, 3))));
  expect_in_body(let({8, 0x60, 2, 0}, 2), DiagCode::W005, kExpression + 1);
}

TEST(Codes, W011MalformedString) {
  for (const uint8_t byte : {0x00, 0x0a, 0x1b, 0x20, 0x7f, 0x80, 0xff}) {
    expect_in_body(body({{1, 3, 'p', byte, 'q'}, kNoBuffers, kSize, {0, 0, 0}}), DiagCode::W011, 3);
  }
}

TEST(Codes, OfModules) {
  const auto accepted = [](const Body& body) {
    const auto module = decode_module(sealed(body, 2));
    EXPECT_TRUE(module) << module.error().message;
  };
  accepted({0, 0, 0});
  accepted(pipeline({0, 0, 0}, {0}));
  // A version that is none, and one that is no single program's.
  Bytes file = xor_file();
  store_u32(file.data() + 4, 3);
  EXPECT_EQ(decode_module(file).error().code, DiagCode::W002);
  EXPECT_EQ(decode(sealed({0, 0, 0}, 2)).error().code, DiagCode::W002);
  const Body program = body({kName, kNoBuffers, kSize, {0, 0, 0}});
  expect_in_module(body({{0, 1}, program, {0}}), DiagCode::W006, 4);  // one program, which is version 1
  accepted(body({{0, 2}, program, program, {0}}));
  accepted(body({{0, 1}, program, {1, 1, 1, 'p', 0, 0, 0, 0, 0}}));
  // Behind the module, and before its end.
  expect_in_module({0, 0, 0, 0}, DiagCode::W008, 43);
  expect_in_module({0, 0}, DiagCode::W003, 42);
  // Counts of items.
  expect_in_module(body({{1}, Body(12, 0)}), DiagCode::W007, 40);
  expect_in_module(body({{0, 1}, Body(8, 0)}), DiagCode::W007, 41);
  expect_in_module(body({{0, 0, 1}, Body(6, 0)}), DiagCode::W007, 42);
  expect_in_module(body({{0, 0, 0x81, 0x80, 4}, Body(500'000, 0)}), DiagCode::W007, 42);
  // Items end on their own: a string without a use, counts that are not the item's.
  expect_in_module(body({{0, 0, 1, 2, 1, 'p', 1, 'x', 0, 0, 0, 0, 0}}), DiagCode::W006, 43);
  expect_in_module(pipeline({1, 0, 0}, {0, 0, 0}), DiagCode::W006, 47);
  expect_in_module(pipeline({0, 1, 0}, {0, 0, 0}), DiagCode::W006, 47);
  expect_in_module(pipeline({0, 0, 1}, {0, 0, 0, 0}), DiagCode::W006, 47);
  expect_in_module(pipeline({0, 0, 0}, {1, 4, 0, 0, 0}), DiagCode::W006, 47);           // a command too many
  expect_in_module(pipeline({0, 1, 0}, {1, 2, 0, 2, 0}), DiagCode::W006, 47);           // an expression
  expect_in_module(pipeline({0, 1, 0}, {1, 4, 0, 0, 1, 0, 0, 0}), DiagCode::W006, 47);  // an argument
  expect_in_module(pipeline({0, 1, 0}, {2, 4, 0, 0, 0}), DiagCode::W006, 47);
  // Counts that cannot be true.
  expect_in_module(pipeline({9, 0, 0}, {0}), DiagCode::W007, 47);
  expect_in_module(pipeline({0, 9, 0}, {0}), DiagCode::W007, 48);
  expect_in_module(pipeline({0, 0, 9}, {0}), DiagCode::W007, 49);
  expect_in_module(pipeline({0, 0, 0}, {9}), DiagCode::W007, 50);
  // Tags of commands, flags, axes.
  accepted(pipeline({1, 1, 0}, {1, 7, 2, 0, 0, 0}));
  expect_in_module(pipeline({0, 1, 0}, {1, 0, 0, 0}), DiagCode::W005, 51);
  expect_in_module(pipeline({0, 1, 0}, {1, 8, 0, 0}), DiagCode::W005, 51);
  expect_in_module(pipeline({1, 1, 0}, {1, 7, 2, 0, 2, 0}), DiagCode::W005, 54);
  expect_in_module(pipeline({1, 1, 0}, {1, 3, 0, 0, 0, 2, 0}), DiagCode::W005, 54);
  expect_in_module(pipeline({4, 1, 0}, {1, 3, 0, 0, 4, 2, 0, 2, 0, 2, 0, 2, 0}), DiagCode::W005, 54);
  expect_in_module(pipeline({0, 1, 1}, {1, 4, 0, 0, 1, 0, 2, 0}), DiagCode::W005, 56);
  expect_in_module(pipeline({1, 1, 0}, {1, 1, 0, 0x0f, 2, 0}), DiagCode::W005, 53);
  // Values of operations: no literal is of bytes.
  const auto row = [](const Body& value) {
    return body({{1, 1, 1, 'a', 1, 0, 0x01, 0, 0, 1, 0}, value, {1, 0, 0, 1, 0x01, 0, 0, 0}});
  };
  accepted(row({0x01, 7}));
  expect_in_module(row({0x08, 7}), DiagCode::W005, 51);
  expect_in_module(row({0x10, 7}), DiagCode::W010, 51);
  accepted(row({0x0a, 0x80, 0x7f}));
  expect_in_module(row({0x0a, 0x80, 0x80, 0x04}), DiagCode::W006, 52);
  expect_in_module(row({0x07, 2}), DiagCode::W006, 52);
  // A law's name, and an id in it, are strings.
  const auto claim = [](const Body& law) {
    return body({{1, 1, 1, 'a', 1, 0, 0x01, 1}, law, {0, 0, 1, 0, 0, 1, 0x01, 0, 0, 0}});
  };
  accepted(claim({1, 'L', 1, 1, 'o', 1}));
  accepted(claim({0, 1, 0, 1, 2, 3, 4}));
  expect_in_module(claim({1, ' ', 0}), DiagCode::W011, 49);
  expect_in_module(claim({1, 'L', 1, 1, 0x7f, 1}), DiagCode::W011, 52);
  expect_in_module(claim({40, 'L', 0}), DiagCode::W007, 48);
}

}  // namespace
}  // namespace vyre::wire
