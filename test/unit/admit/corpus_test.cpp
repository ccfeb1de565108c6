// The corpora: what others published, against both definitions; and what no corpus may hold.
#include "corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "algebra/law.h"
#include "oracle.h"

VYRE_ORACLE(SpecificationTable, "docs/corpus.md and explain C015, by hand");

namespace vyre::admit {
namespace {

namespace fs = std::filesystem;

std::vector<Vector> all_vectors() {
  std::vector<Vector> all;
  for (const auto& entry : fs::directory_iterator(fs::path(VYRE_SOURCE_DIR) / "test" / "corpus")) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto vectors = read_corpus(text.str());
    if (!vectors) {
      ADD_FAILURE() << entry.path() << ": " << vectors.error().message;
      continue;
    }
    all.insert(all.end(), vectors->begin(), vectors->end());
  }
  return all;
}

TEST(Corpus, HoldsForTheReferenceFunctions) {
  VYRE_ORACLE(ExternalCorpus, "test/corpus");
  const std::vector<Vector> vectors = all_vectors();
  EXPECT_GE(vectors.size(), 90u);
  for (const Vector& v : vectors) {
    EXPECT_EQ(v.operation->reference(v.operands.data()), v.expected) << v.operation->id << ": " << v.citation;
  }
}

TEST(Corpus, HoldsForTheCompositions) {
  VYRE_ORACLE(ExternalCorpus, "test/corpus");
  algebra::CompositionEvaluator evaluator(ops::op_table());
  for (const Vector& v : all_vectors()) {
    std::vector<const uint32_t*> inputs;
    for (const uint32_t& word : v.operands) inputs.push_back(&word);
    uint32_t result = 0;
    const auto ran = evaluator.apply(*v.operation, inputs, &result, 1);
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(result, v.expected) << v.operation->id << ": " << v.citation;
  }
}

TEST(Corpus, IsReadAsItIsWritten) {
  const auto vectors = read_corpus(
      "// for people\n\n"
      "primitive.math.add 1 0x10 = 17 # Somebody, Some Book, page 3\n"
      "  primitive.compare.select 0 5 7=7# Somebody, Some Book, page 4\r\n");
  ASSERT_TRUE(vectors) << vectors.error().message;
  ASSERT_EQ(vectors->size(), 2u);
  EXPECT_EQ((*vectors)[0].operation->id, "primitive.math.add");
  EXPECT_EQ((*vectors)[0].operands, (std::vector<uint32_t>{1, 16}));
  EXPECT_EQ((*vectors)[0].expected, 17u);
  EXPECT_EQ((*vectors)[0].citation, "Somebody, Some Book, page 3");
  EXPECT_EQ((*vectors)[1].line, 4u);
  EXPECT_EQ((*vectors)[1].operands, (std::vector<uint32_t>{0, 5, 7}));
}

// covers: OR-05
TEST(Corpus, RefusesWhatIsNoVector) {
  const std::pair<const char*, const char*> cases[] = {
      {"primitive.math.add 1 2 = 3\n", "line 1: there is no citation"},
      {"primitive.math.add 1 2 = 3 #\n", "there is no citation"},
      {"primitive.math.add 1 2 = 3 # me\n", "there is no citation"},
      {"\nprimitive.math.add 1 2 # Somebody, Some Book = 3\n", "line 2: nothing is expected"},
      {"primitive.math.plus 1 2 = 3 # Somebody, Some Book\n", "is no operation"},
      {"primitive.bitwise.add 1 2 = 3 # Somebody, Some Book\n", "`primitive.math.add` is one"},
      {"primitive.math.add 1 = 3 # Somebody, Some Book\n", "takes 2 operands, and there are 1"},
      {"primitive.math.add 1 0x100000000 = 3 # Somebody, Some Book\n", "`0x100000000` is no word"},
      {"primitive.math.add 1 -2 = 3 # Somebody, Some Book\n", "`-2` is no word"},
      {"primitive.math.add 1 2 = # Somebody, Some Book\n", "that is no vector"},
      {"float.f16.neg 0x10000 = 0 # Somebody, Some Book\n", "is no f16"},
      {"primitive.math.add 1 2 = 3 # Somebody, Some Book\nprimitive.math.add 1 2 = 4 # Another, Some Book\n",
       "line 2: another vector of the file says otherwise"},
  };
  for (const auto& [text, words] : cases) {
    const auto vectors = read_corpus(text);
    ASSERT_FALSE(vectors) << text;
    EXPECT_EQ(vectors.error().code, DiagCode::C015);
    EXPECT_THAT(vectors.error().message, testing::HasSubstr(words));
    EXPECT_FALSE(vectors.error().help.empty());
  }
}

}  // namespace
}  // namespace vyre::admit
