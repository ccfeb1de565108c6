#include "backend/plugin/answers.h"

#include <gtest/gtest.h>

#include "base/printable.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "include/vyre/backend.h and diag.def; what each library of plugins/ does");

namespace vyre::backend {
namespace {

TEST(Printable, KeepsTextAndReplacesTheRest) {
  VYRE_ORACLE(ExternalCorpus, "the Unicode standard, table 3-7, well-formed UTF-8");
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("plain ~"), "plain ~");
  EXPECT_EQ(printable("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\nb\x7f"), "a" + bad + "b" + bad);
  EXPECT_EQ(printable("\xc2\x85"), bad + bad);                      // a control character
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");                     // the first that is none
  EXPECT_EQ(printable("\xc0\xaf"), bad + bad);                      // overlong
  EXPECT_EQ(printable("\xe0\x9f\xbf"), bad + bad + bad);            // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), bad + bad + bad);            // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // past U+10FFFF
  EXPECT_EQ(printable("\xf0\x8f\xbf\xbf"), bad + bad + bad + bad);  // overlong
  EXPECT_EQ(printable("\xf8x"), bad + "x");
  EXPECT_EQ(printable("\xe2\x82"), bad + bad);  // cut off
  EXPECT_EQ(printable("\x80"), bad);
}

TEST(Text, EndsAtItsNullOrItsField) {
  const char ended[6] = {'a', 'b', '\0', 'c', 'd', 'e'};
  EXPECT_EQ(text_of(ended), "ab");
  const char lines[] = " no device:\r\n\t\x1b[31mgone\n\n";
  EXPECT_EQ(text_of(lines), "no device: \xef\xbf\xbd[31mgone");
  const char full[3] = {'a', 'b', 'c'};
  EXPECT_EQ(text_of(full), "abc");
}

}  // namespace
}  // namespace vyre::backend
