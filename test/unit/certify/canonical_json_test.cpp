// Canonical JSON: the vectors of RFC 8785 and of its authors' test data, as far as they have no fractions.
#include "certify/canonical_json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "oracle.h"

VYRE_ORACLE(ExternalCorpus,
            "RFC 8785, sections 3.2.2 and 3.2.3: the samples and their results; "
            "github.com/cyberphone/json-canonicalization, testdata");

namespace vyre::certify {
namespace {

using nlohmann::json;

std::string canonical(std::string_view text) {
  const auto printed = print_canonical(json::parse(text));
  return printed ? *printed : "refused: " + printed.error();
}

TEST(CanonicalJson, EscapesAsTheRfcDoes) {
  // RFC 8785, section 3.2.2: the sample without its numbers, and its result.
  EXPECT_EQ(canonical(R"({
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  })"),
            R"({"literals":[null,true,false],"string":"€$\u000f\nA'B\"\\\\\"/"})");
}

TEST(CanonicalJson, SortsByUtf16CodeUnits) {
  EXPECT_EQ(
      canonical(R"({
    "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"})"),
      "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\",\"\xc3\xb6\":\"Latin Small Letter "
      "O With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\",\"\xf0\x9f\x98\x80\":\"Emoji: Grinning "
      "Face\",\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(CanonicalJson, AgreesWithTheTestDataOfItsAuthors) {
  // github.com/cyberphone/json-canonicalization, testdata: french, structures (56.0 as 56), unicode, weird;
  // values without its fractions.
  EXPECT_EQ(canonical(R"({"1": {"f": {"f": "hi","F": 5} ,"\n": 56}, "10": { }, "": "empty", "a": { },
                          "111": [ { } ], "A": { }})"),
            R"({"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}})");
  EXPECT_EQ(canonical(R"({"Unnormalized Unicode":"A\u030a"})"), "{\"Unnormalized Unicode\":\"A\xcc\x8a\"}");
  EXPECT_EQ(canonical(R"({"peach": "This sorting order", "péché": "is wrong according to French",
                          "pêche": "but canonicalization MUST", "sin": "ignore locale"})"),
            R"({"peach":"This sorting order","péché":"is wrong according to French",)"
            R"("pêche":"but canonicalization MUST","sin":"ignore locale"})");
  EXPECT_EQ(
      canonical(R"({"\u20ac": "Euro Sign", "1": "One", "\u0080": "Control\u007f", "\ud83d\ude02": "Smiley",
    "\u00f6": "Latin Small Letter O With Diaeresis", "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "</script>": "Browser Challenge"})"),
      "{\"1\":\"One\",\"</script>\":\"Browser Challenge\",\"\xc2\x80\":\"Control\x7f\",\"\xc3\xb6\":\"Latin "
      "Small Letter O With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\",\"\xf0\x9f\x98\x82\":\"Smiley\","
      "\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(CanonicalJson, PrintsIntegersUpToTheLastThatIsSafe) {
  VYRE_ORACLE(
      SpecificationTable,
      "RFC 8785, appendix B: 0 and -0 are \"0\"; section 6 and RFC 7493, 2.2: larger integers are strings");
  EXPECT_EQ(*print_canonical(json(0)), "0");
  EXPECT_EQ(*print_canonical(json(-1)), "-1");
  EXPECT_EQ(*print_canonical(json(9007199254740991)), "9007199254740991");
  EXPECT_EQ(*print_canonical(json(-9007199254740991)), "-9007199254740991");
  for (const json& refused :
       {json(9007199254740992), json(-9007199254740992), json(UINT64_MAX), json(INT64_MIN), json(1.5),
        json(1.0), json::binary({1}), json("\xff"), json{{"\xc0\x80", 1}}, json("\xed\xa0\x80"),
        json("\xf4\x90\x80\x80"), json("\xe2\x82")}) {
    EXPECT_FALSE(print_canonical(json::array({refused})).has_value()) << refused.type_name();
  }
  EXPECT_EQ(decimal(UINT64_MAX), json("18446744073709551615"));
}

TEST(CanonicalJson, IsReadBackAsItIs) {
  VYRE_ORACLE(Property, "parse(print(x)) = x, for values of every type and a string of every character");
  json x = {{"null", nullptr}, {"list", {1, -2, "three", {{"4", false}}}}, {"empty", json::object()}};
  for (uint32_t c = 0; c < 0x800; ++c) {
    std::string s(1, c < 0x80 ? char(c) : char(0xc0 | c >> 6));
    if (c >= 0x80) s.push_back(char(0x80 | (c & 0x3f)));
    x["list"].push_back(s);
    x[s + "!"] = c;
  }
  const auto text = print_canonical(x);
  ASSERT_TRUE(text.has_value()) << text.error();
  const auto back = parse_canonical(*text, 8);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, x);
}

TEST(CanonicalJson, RefusesEveryOtherText) {
  VYRE_ORACLE(SpecificationTable,
              "RFC 8785, section 3.2: no white space, one order of keys, one form of a string");
  for (const char* other : {" 1",
                            "1 ",
                            "1\n",
                            "-0",
                            "1.0",
                            "1e3",
                            "[1, 2]",
                            "{\"b\":1,\"a\":2}",
                            "{\"a\":1,\"a\":1}",
                            "\"\\u0041\"",
                            "\"\\/\"",
                            "\"\\u000A\"",
                            "\"\\u000F\"",
                            "\"\\u20ac\"",
                            "\"\xf0\x9f\x98\x80\xef\xac\xb3\" ",
                            "{\"\xef\xac\xb3\":1,\"\xf0\x9f\x98\x80\":2}",
                            "\xef\xbb\xbf"
                            "1",
                            "9007199254740993",
                            "1e400",
                            "99999999999999999999"}) {
    const auto parsed = parse_canonical(other, 8);
    ASSERT_FALSE(parsed.has_value()) << other;
    EXPECT_FALSE(parsed.error().message.empty());
  }
  for (const char* none :
       {"", "[1", "\"\xff\"", "\"\\ud800\"", "[1,]", "nan", "\"\n\"", "[[[[[[[[[1]]]]]]]]]"}) {
    const auto parsed = parse_canonical(none, 8);
    ASSERT_FALSE(parsed.has_value()) << none;
    EXPECT_FALSE(parsed.error().is_json) << none;
  }
  EXPECT_TRUE(parse_canonical("[[[[[[[1]]]]]]]", 8).has_value());
}

}  // namespace
}  // namespace vyre::certify
