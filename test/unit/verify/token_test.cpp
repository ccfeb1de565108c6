// Replay tokens: printing and parsing are inverse, and what is no token is refused with a diagnostic.
#include "verify/token.h"

#include <gtest/gtest.h>

#include "oracle.h"
#include "verify/operation.h"

VYRE_ORACLE(SpecificationTable, "explain C003, the documented length, and mathematics, by hand");

namespace vyre::verify {
namespace {

TEST(Token, ReadsBack) {
  VYRE_ORACLE(Property, "the identity of print and parse");
  for (const Token& token :
       {Token{"primitive.math.add@1", "random", 42, 123456, {}},
        Token{"ir.barriers", "program", UINT64_MAX, UINT64_MAX, {}},
        Token{"ir.operators/add.i32", "edge256", 0, 0, {}},
        Token{"primitive.math.add@1", "law", 0, 3, {0, 1, 0xffffffff}},
        Token{"primitive.math.add@1", "operands", 0, 0, {7, 0}},
        Token{"ir.barriers", "program", 1, 3, {}, {{{"program", 1}}, {{"program", 3}}}}}) {
    const auto back = parse_token(print(token));
    ASSERT_TRUE(back.has_value()) << print(token);
    EXPECT_EQ(*back, token);
    EXPECT_LE(print(token).size(), kMaxToken);
  }
  EXPECT_EQ(print(Token{"primitive.math.add@1", "random", 42, 7, {}}), "primitive.math.add@1:random:42:7");
  EXPECT_EQ(print(Token{"primitive.math.add@1", "random", 42, 3, {}, {{{"edge256", 9}, {"random", 3}}}}),
            "primitive.math.add@1:random:42:3=edge256.9+3");
}

TEST(Token, LeavesOutAScenarioThatIsTooLong) {
  Token token{"primitive.math.add@1", "random", 42, 7, {}, {}};
  token.scenario.resize(1);
  for (uint64_t k = 0; k < 100; ++k) token.scenario[0].push_back({"random", k});
  EXPECT_EQ(print_short(token), "primitive.math.add@1:random:42:7");
}

TEST(Token, RefusesWhatIsNone) {
  for (const std::string& text : {std::string(),
                                  std::string("x"),
                                  std::string("a:b:c:d"),
                                  std::string("a:random:1:"),
                                  std::string("a:random::1"),
                                  std::string("a:random:1:-1"),
                                  std::string("a:random:1:99999999999999999999"),
                                  std::string(":random:1:1"),
                                  std::string("a:law:0:"),
                                  std::string("a:law:0:5"),
                                  std::string("a:law:0:0x1,"),
                                  std::string("a:law:0:0x100000000"),
                                  std::string("a:operands:0:0x12345678123456780"),
                                  std::string("a:operands:0:0x123456781234567g"),
                                  std::string("a:random:1:2:3"),
                                  "a:random:1:" + std::string(200, '1'),
                                  std::string("a:random:1:2="),
                                  std::string("a:random:1:2=3+"),
                                  std::string("a:random:1:2=3,,4"),
                                  std::string("a:random:1:2=.3"),
                                  std::string("a:random:1:2=x")}) {
    const auto token = parse_token(text);
    ASSERT_FALSE(token.has_value()) << text;
    EXPECT_EQ(token.error().code, DiagCode::C003);
  }
}

TEST(Determinism, OddsOfMissing) {
  // (1 - 10^-6)^(10^7) is e^-10 to five digits.
  EXPECT_NEAR(odds_of_missing(1e6, 1e7), 4.54e-5, 1e-7);
}

}  // namespace
}  // namespace vyre::verify
