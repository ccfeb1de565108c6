// Files, values and comparisons of the host layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "host/files.h"
#include "host/run.h"
#include "host/values.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable,
            "commands, \"--compare\", \"SPEC\" and \"--get\", semantics, \"Casts\", and IEEE 754, by hand");

namespace vyre::host {
namespace {

using spec::DataType;
using testing::HasSubstr;

Buffers one_buffer(DataType type, bool writable, std::vector<uint32_t> words) {
  Buffers buffers;
  buffers.order = {"out"};
  buffers.by_name["out"] = {type, writable, to_bytes(words)};
  return buffers;
}

TEST(ExpectEqual, NamesTheFirstElementThatDiffers) {
  const Buffers a = one_buffer(DataType::I32, true, {1, 2, 3, 4});
  const Buffers b = one_buffer(DataType::I32, true, {1, 2, 0xffffffff, 5});
  const auto result = expect_equal(a, "reference", b, "native");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, DiagCode::X008);
  EXPECT_EQ(result.error().message, "out[2]: reference has 3 (0x00000003), native has -1 (0xffffffff)");
  EXPECT_TRUE(expect_equal(a, "reference", a, "native"));
  EXPECT_NE(digest_outputs(a), digest_outputs(b));
}

TEST(ExpectEqual, IgnoresBuffersThatAreNotWritten) {
  const Buffers a = one_buffer(DataType::U32, false, {1});
  const Buffers b = one_buffer(DataType::U32, false, {2});
  EXPECT_TRUE(expect_equal(a, "x", b, "y"));
  EXPECT_EQ(digest_outputs(a), digest_outputs(b));
}

TEST(Spec, LiteralsAreElements) {
  EXPECT_EQ(to_words(*parse_spec("1,0x2,-3,0x80000000,-2147483648", DataType::I32)),
            (std::vector<uint32_t>{1, 2, 0xfffffffd, 0x80000000, 0x80000000}));
  EXPECT_EQ(to_words(*parse_spec("", DataType::U32)), std::vector<uint32_t>{});
  for (const char* bad :
       {"-1", "4294967296", "0x100000000", "1,,2", "1,", "1 2", "x", "0x", "-", "1.5", "inf"}) {
    EXPECT_FALSE(parse_spec(bad, DataType::U32)) << bad;
  }
  for (const char* bad : {"2147483648", "-2147483649", "99999999999999999999"}) {
    EXPECT_FALSE(parse_spec(bad, DataType::I32)) << bad;
  }
  EXPECT_FALSE(parse_spec("1", DataType::Bool));
  EXPECT_EQ(parse_spec("zeros:3", DataType::Bool)->size(), 12u);
}

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(std::byte(value));
  return out;
}

TEST(Spec, FloatsAndWideIntegers) {
  // Commands, "SPEC", and IEEE 754, by hand: hexadecimals are bits, decimals are rounded to nearest.
  EXPECT_EQ(to_words(*parse_spec("1,-3,1.5,inf,-inf,nan,-0,0x7fc00001,1e30,0.1,1E-45", DataType::F32)),
            (std::vector<uint32_t>{0x3f800000, 0xc0400000, 0x3fc00000, 0x7f800000, 0xff800000, 0x7fc00000,
                                   0x80000000, 0x7fc00001, 0x7149f2ca, 0x3dcccccd, 1}));
  EXPECT_EQ(*parse_spec("1,-2,0x7e01", DataType::F16), bytes_of({0, 0x3c, 0, 0xc0, 1, 0x7e}));
  EXPECT_EQ(*parse_spec("nan,inf,1.5", DataType::BF16), bytes_of({0xc0, 0x7f, 0x80, 0x7f, 0xc0, 0x3f}));
  EXPECT_EQ(to_words(*parse_spec("1,18446744073709551615,0x100000002", DataType::U64)),
            (std::vector<uint32_t>{1, 0, ~0u, ~0u, 2, 1}));
  EXPECT_EQ(
      to_words(*parse_spec("340282366920938463463374607431768211455,0x10000000000000000", DataType::U128)),
      (std::vector<uint32_t>{~0u, ~0u, ~0u, ~0u, 0, 0, 1, 0}));
  for (const char* bad : {"1.", ".5", "1e", "1e39", "-1e39", "0x100000000", "-0x1", "--1", "infinity", "NaN",
                          "-nan", "1f", "1_0", "+1", "e1", "0x", "-", "1.5.2", "1e1.5"}) {
    EXPECT_FALSE(parse_spec(bad, DataType::F32)) << bad;
  }
  for (const char* bad : {"65520", "0x10000"}) EXPECT_FALSE(parse_spec(bad, DataType::F16)) << bad;
  for (const char* bad : {"-1", "18446744073709551616", "0x10000000000000000", "1.0"}) {
    EXPECT_FALSE(parse_spec(bad, DataType::U64)) << bad;
  }
  for (const char* bad : {"340282366920938463463374607431768211456", "0x100000000000000000000000000000000",
                          "680564733841876926926749214863536422912"}) {  // 2^128, 2^128, 2^129
    EXPECT_FALSE(parse_spec(bad, DataType::U128)) << bad;
  }
}

TEST(Spec, IotaIsConverted) {
  EXPECT_EQ(to_words(*parse_spec("iota:3", DataType::F32)),
            (std::vector<uint32_t>{0, 0x3f800000, 0x40000000}));
  EXPECT_EQ(to_words(*parse_spec("iota:2", DataType::U64)), (std::vector<uint32_t>{0, 0, 1, 0}));
  EXPECT_EQ(to_words(*parse_spec("iota:2", DataType::U128)), (std::vector<uint32_t>{0, 0, 0, 0, 1, 0, 0, 0}));
  const Bytes halves = *parse_spec("iota:65521", DataType::F16);
  ASSERT_EQ(halves.size(), 131042u);
  const auto half = [&](size_t i) { return unsigned(halves[2 * i]) | unsigned(halves[2 * i + 1]) << 8; };
  EXPECT_EQ(half(1), 0x3c00u);
  EXPECT_EQ(half(2049), 0x6800u);   // a tie between 2048 and 2050, to even
  EXPECT_EQ(half(2051), 0x6802u);   // a tie between 2050 and 2052, to even
  EXPECT_EQ(half(65519), 0x7bffu);  // the largest
  EXPECT_EQ(half(65520), 0x7c00u);  // rounds to infinity
  EXPECT_EQ(*parse_spec("iota:2", DataType::BF16), bytes_of({0, 0, 0x80, 0x3f}));
}

TEST(Spec, RandomIsRawBits) {
  VYRE_ORACLE(
      ExternalCorpus,
      "Philox's known answer for counter 0 and key 0 (Random123's kat_vectors), as raw little-endian bits");
  const std::vector<uint32_t> known = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  EXPECT_EQ(*parse_spec("random:1:0", DataType::U128), to_bytes(known));
  EXPECT_EQ(*parse_spec("random:4:0", DataType::F32), to_bytes(known));
  EXPECT_EQ(*parse_spec("random:3:0", DataType::F16), bytes_of({0xd5, 0xe8, 0x27, 0x66, 0x8d, 0xc5}));
}

TEST(Spec, UniformIsTheTopBitsOfAWordAnElement) {
  VYRE_ORACLE(
      ExternalCorpus,
      "the same known answer; by hand: its top 24, 11 or 8 bits times 2^-24, 2^-11, 2^-8, which is exact");
  const double words[] = {0x6627e8d5p0, 0xe169c58dp0, 0xbc57ac4cp0, 0x9b00dbd8p0};
  const Bytes singles = *parse_spec("uniform:4:0", DataType::F32);
  for (size_t i = 0; i < 4; ++i) {
    float value = 0;
    std::memcpy(&value, singles.data() + 4 * i, 4);
    EXPECT_EQ(double(value), std::floor(words[i] / 256) / 16777216);
  }
  // 0x6627e8d5 >> 21 = 0x331 = 817 = 1.1001100010b * 2^9, so 2^-2 of that: exponent 13, fraction 0x262 in
  // f16. 0xe169c58d >> 21 = 0x70b = 1.1100001011b * 2^10: exponent 14, fraction 0x30b.
  EXPECT_EQ(*parse_spec("uniform:2:0", DataType::F16), bytes_of({0x62, 0x36, 0x0b, 0x3b}));
  // 0x66 = 1.100110b * 2^6: exponent 125, fraction 0x4c in bf16. 0xe1 = 1.1100001b * 2^7: 126, 0x61.
  EXPECT_EQ(*parse_spec("uniform:2:0", DataType::BF16), bytes_of({0xcc, 0x3e, 0x61, 0x3f}));
  for (const DataType type : {DataType::U32, DataType::I32, DataType::U128, DataType::Bytes, DataType::Bool})
    EXPECT_FALSE(parse_spec("uniform:1:0", type));
  EXPECT_THAT(parse_spec("uniform:1:0", DataType::U32).error().message, HasSubstr("random:COUNT:SEED"));
  EXPECT_THAT(parse_spec("uniform:1", DataType::F32).error().message, HasSubstr("uniform:COUNT:SEED"));
  EXPECT_EQ(announced_bytes("uniform:5:0", DataType::F16), 10u);
}

TEST(Spec, VectorsAndBool) {
  // Commands: vectors and bool take only files and zeros; directives of file tests write them out.
  for (const DataType type : {DataType::Vec2U32, DataType::Vec4U32, DataType::Bool}) {
    EXPECT_EQ(parse_spec("zeros:3", type)->size(), 3u * spec::info(type).bytes);
    for (const char* bad : {"(1,2)", "1", "true", "iota:1", "random:1:1"})
      EXPECT_FALSE(parse_spec(bad, type)) << bad;
  }
  Bytes out;
  EXPECT_TRUE(parse_element("(1,0xffffffff)", DataType::Vec2U32, out));
  EXPECT_TRUE(parse_element("(1,2,3,4)", DataType::Vec4U32, out));
  EXPECT_TRUE(parse_element("true", DataType::Bool, out));
  EXPECT_EQ(to_words(out), (std::vector<uint32_t>{1, 0xffffffff, 1, 2, 3, 4, 1}));
  for (const char* bad :
       {"1", "()", "(1)", "(1,2,3)", "(1,)", "(,1)", "(1,-1)", "(1,4294967296)", "1,2", "(1,2", "((1,2)"}) {
    EXPECT_FALSE(parse_element(bad, DataType::Vec2U32, out)) << bad;
  }
}

/// One buffer as --get prints it.
std::string shown(DataType type, const Bytes& bytes, bool hex) {
  return format_buffer("b", bytes, type, hex);
}

TEST(Format, EveryType) {
  const auto words = [](std::vector<uint32_t> w) { return to_bytes(w); };
  const Bytes floats =
      words({0x3f800000, 0x7149f2ca, 0x7f800000, 0xff800000, 0xffc00001, 0x80000000, 0x3dcccccd});
  EXPECT_EQ(shown(DataType::F32, floats, false), "b: 1 1e+30 inf -inf nan -0 0.1");
  EXPECT_EQ(shown(DataType::F32, words({1}), true), "b: 0x00000001");
  EXPECT_EQ(shown(DataType::F16, bytes_of({0, 0x3c, 0x66, 0x2e, 0xff, 0x7b}), false), "b: 1 0.1 65504");
  EXPECT_EQ(shown(DataType::F16, bytes_of({0, 0x3c}), true), "b: 0x3c00");
  EXPECT_EQ(shown(DataType::BF16, bytes_of({0xc0, 0x3f, 1, 0x7f}), true), "b: 0x3fc0 0x7f01");
  EXPECT_EQ(shown(DataType::U64, words({1, 1, ~0u, ~0u}), false), "b: 4294967297 18446744073709551615");
  EXPECT_EQ(shown(DataType::U64, words({1, 1}), true), "b: 0x0000000100000001");
  EXPECT_EQ(shown(DataType::U128, words({0, 0, 0, 0, 0, 0, 1, 0, ~0u, ~0u, ~0u, ~0u}), false),
            "b: 0 18446744073709551616 340282366920938463463374607431768211455");
  EXPECT_EQ(shown(DataType::U128, words({1, 2, 3, 4}), true), "b: 0x00000004000000030000000200000001");
  EXPECT_EQ(shown(DataType::Vec2U32, words({1, 2, 3, ~0u}), false), "b: (1,2) (3,4294967295)");
  EXPECT_EQ(shown(DataType::Vec4U32, words({1, 2, 3, 4}), true),
            "b: (0x00000001,0x00000002,0x00000003,0x00000004)");
  EXPECT_EQ(shown(DataType::I32, words({~0u}), false), "b: -1");
  EXPECT_EQ(shown(DataType::Bool, words({0, 1}), false), "b: false true");
}

TEST(Format, SixteenBitFloatsReadBack) {
  VYRE_ORACLE(Property, "every pattern reads back; NaN but for its bits, which hexadecimals keep");
  for (const DataType type : {DataType::F16, DataType::BF16}) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const Bytes element = bytes_of({int(bits & 0xff), int(bits >> 8)});
      for (const bool hex : {false, true}) {
        const std::string text = format_element(element.data(), type, hex);
        Bytes back;
        ASSERT_TRUE(parse_element(text, type, back)) << text;
        if (text != "nan") ASSERT_EQ(back, element) << text;
      }
    }
  }
}

TEST(WriteFile, IsWholeOrNotThere) {
  // A file that cannot be written whole is not written at all.
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "vyre_host_test";
  fs::create_directories(folder);
  const std::string path = (folder / "file").string();
  ASSERT_TRUE(write_file(path, std::string_view("first")));
  ASSERT_TRUE(write_file(path, std::string_view("second")));
  EXPECT_EQ(read_file(path, 6)->size(), 6u);
  const auto failed = write_file((folder / "missing" / "file").string(), std::string_view("x"));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("cannot write"));
  EXPECT_FALSE(write_file(folder.string(), std::string_view("x")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "a part was left behind";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace vyre::host
