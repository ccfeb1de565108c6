// Value cases: a pure function of their number, of values that the types have, with what breaks wide
// arithmetic.
#include "verify/value_cases.h"

#include <gtest/gtest.h>

#include <set>

#include "backend/backend.h"
#include "oracle.h"
#include "verify/examine.h"
#include "verify/families.h"

VYRE_ORACLE(SpecificationTable,
            "semantics, \"Types\": a bool is 0 or 1, a 16-bit float has 16 bits; the planted fault");

namespace vyre::verify {
namespace {

using generate::Strategy;
using spec::DataType;
using Words = std::vector<uint32_t>;

/// Cases first .. first + count - 1, each as its words.
std::vector<Words> take(const ValueCases& cases, uint64_t first, size_t count, size_t words) {
  std::vector<Words> columns(words, Words(count));
  std::vector<uint32_t*> out;
  for (Words& column : columns) out.push_back(column.data());
  cases.fill(first, count, out);
  std::vector<Words> tuples(count);
  for (size_t i = 0; i < count; ++i) {
    for (const Words& column : columns) tuples[i].push_back(column[i]);
  }
  return tuples;
}

const std::vector<DataType> kMixed = {DataType::U128, DataType::F16, DataType::Bool, DataType::U64};

TEST(ValueCases, HoldOnlyValuesOfTheirTypes) {
  for (const Strategy strategy : {Strategy::Adversarial, Strategy::Random}) {
    const ValueCases cases("mixed", kMixed, strategy, 5);
    ASSERT_GE(cases.size(), 5000u);
    for (const Words& tuple : take(cases, 0, 5000, 8)) {
      EXPECT_LE(tuple[4], 0xffffu);
      EXPECT_LE(tuple[5], 1u);
    }
  }
}

TEST(ValueCases, AreAddressable) {
  VYRE_ORACLE(Property, "case k is a pure function of name, seed and k, however it is asked for");
  for (const Strategy strategy : {Strategy::Adversarial, Strategy::Random}) {
    const ValueCases cases("mixed", kMixed, strategy, 5), again("mixed", kMixed, strategy, 5);
    const auto all = take(cases, 100, 50, 8);
    for (size_t k = 0; k < all.size(); ++k) EXPECT_EQ(take(again, 100 + k, 1, 8).front(), all[k]);
  }
  const auto of = [](std::string_view name, uint64_t seed) {
    return take(ValueCases(name, kMixed, Strategy::Random, seed), 0, 100, 8);
  };
  EXPECT_NE(of("mixed", 5), of("mixed", 6));
  EXPECT_NE(of("mixed", 5), of("other", 5));
}

TEST(ValueCases, CrossEverySeamOfWideIntegers) {
  VYRE_ORACLE(
      Property,
      "what long carries, borrows and quotients are made of: every pair of full, empty and single-bit words");
  const std::vector<DataType> pair = {DataType::U128, DataType::U128};
  const ValueCases cases("pair", pair, Strategy::Adversarial, 0);
  const auto all = take(cases, 0, size_t(cases.size()), 8);
  const std::set<Words> seen(all.begin(), all.end());
  EXPECT_EQ(seen.size(), all.size());
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_TRUE(seen.contains({kOnes, kOnes, kOnes, kOnes, 1, 0, 0, 0}));
  EXPECT_TRUE(seen.contains({0, 0, 0, 0x80000000, kOnes, kOnes, kOnes, kOnes}));
  EXPECT_TRUE(seen.contains({kOnes, kOnes, 0, 0, 0, 0, 1, 0}));
  EXPECT_TRUE(seen.contains({0, 0, 0, 1, 10, 0, 0, 0}));
}

// A right backend, but that one word of every third element of the output is wrong.
class Flips final : public backend::Backend {
 public:
  Flips(size_t element_words, size_t word) : element_words_(element_words), word_(word) {}
  class Flipping final : public backend::Pipeline {
   public:
    Flipping(std::unique_ptr<backend::Pipeline> inner, const Flips& of) : inner_(std::move(inner)), of_(of) {}
    Result<void> dispatch(std::span<const std::span<std::byte>> host, layout::Groups groups) override {
      VYRE_CHECK(inner_->dispatch(host, groups));
      const size_t elements = host.front().size() / (of_.element_words_ * 4);
      for (size_t i = 0; i < elements; i += 3) {
        host.back()[(i * of_.element_words_ + of_.word_) * 4] ^= std::byte{1};
      }
      return {};
    }

   private:
    std::unique_ptr<backend::Pipeline> inner_;
    const Flips& of_;
  };
  backend::Identity identity() const override { return inner_->identity(); }
  backend::Limits limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<backend::Pipeline>> compile(const check::Checked& program) override {
    VYRE_TRY(pipeline, inner_->compile(program));
    return std::make_unique<Flipping>(std::move(pipeline), *this);
  }

 private:
  size_t element_words_, word_;
  std::unique_ptr<backend::Backend> inner_ = backend::make_reference();
};

TEST(WideSubjects, AreComparedInEveryWord) {
  // The planted fault: a third of all answers is wrong, whichever word of them it is in.
  for (const Subject& subject : elementwise_subjects(Family::Operators)) {
    if (!subject.name.ends_with("/add.u128")) continue;
    for (size_t word = 0; word < 4; ++word) {
      Flips flips(4, word);
      const std::vector<CaseRange> ranges = {{"random", 300, 1}};
      Verdict verdict;
      Subject without_rows = subject;
      without_rows.rows.clear();
      auto pipelines = make_pipelines(flips, without_rows, {{kWorkgroup}}, 1, verdict);
      ASSERT_TRUE(pipelines);
      const Monitor monitor;
      Examiner examiner(flips, without_rows, pipelines->all, 1, monitor, verdict);
      ASSERT_TRUE(check_parity(without_rows, examiner, ranges, 1, monitor, verdict));
      EXPECT_EQ(verdict.failure_count, 100u);
      EXPECT_EQ(verdict.canaries_broken, 0u);
      ASSERT_FALSE(verdict.failures.empty());
      EXPECT_EQ(verdict.failures[0].input.size(), 8u);
      EXPECT_EQ(verdict.failures[0].actual[word] ^ 1, verdict.failures[0].expected[word]);
    }
    return;
  }
  FAIL() << "add.u128 is no subject";
}

}  // namespace
}  // namespace vyre::verify
