// What is said of engines beside their cases holds of what their references leave: records are in order,
// there is none twice where cases are tagged, outputs that are too short change nothing but how many there
// are, and what is called unwritten keeps its contents.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "library/library.h"
#include "opspec/engine.h"
#include "opspec/items.h"
#include "oracle.h"

VYRE_ORACLE(CpuReference,
            "src/opspec: the references of the engines, and src/library/engines.def: what they promise");

namespace vyre {
namespace {

using opspec::Buffers;
using opspec::Record;

TEST(Engines, EachHasOneSpec) {
  ASSERT_EQ(library::engines().size(), opspec::engine_specs().size());
  for (const library::Engine& engine : library::engines()) {
    EXPECT_NE(opspec::find_engine_spec(engine.id), nullptr) << engine.id;
    EXPECT_NE(library::find(engine.id), nullptr) << engine.id;
  }
}

class EngineSpecs : public testing::TestWithParam<opspec::EngineSpec> {
 protected:
  static constexpr uint64_t kCases = 60;
  const opspec::EngineSpec& spec() const { return GetParam(); }
  const opspec::OperationSpec& operation() const { return *opspec::find_operation(spec().id); }
  bool promises(library::Invariant one) const { return library::find_engine(spec().id)->promises.has(one); }
  Buffers left(Buffers buffers) const {
    operation().reference(buffers);
    return buffers;
  }
  Buffers tagged(uint64_t number) const {
    if (spec().tagged == nullptr) return opspec::make_case(operation(), 1, number);
    RandomStream random(1, number);
    return spec().tagged(random, uint32_t(number * number));
  }
};

TEST_P(EngineSpecs, RecordsAreInOrderAndThereOnce) {
  size_t several = 0;
  for (uint64_t number = 0; number < kCases; ++number) {
    const std::vector<Record> records = spec().records(left(tagged(number)));
    if (promises(library::Invariant::Ordered)) EXPECT_TRUE(std::ranges::is_sorted(records)) << number;
    if (promises(library::Invariant::NoDuplicate))
      EXPECT_EQ(std::ranges::adjacent_find(records), records.end()) << number;
    several += records.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 0u);
}

TEST_P(EngineSpecs, ShorterOutputsNeedAsMuch) {
  size_t cut = 0;
  for (uint64_t number = 0; number < kCases; ++number) {
    Buffers input = opspec::make_case(operation(), 1, number);
    const Buffers whole = left(input);
    spec().shorten(input);
    const Buffers less = left(input);
    EXPECT_EQ(spec().needed(less), spec().needed(whole)) << number;
    const std::vector<Record> all = spec().records(whole), some = spec().records(less);
    EXPECT_LE(all.size(), spec().needed(whole)) << number;
    ASSERT_LE(some.size(), all.size()) << number;
    cut += some.size() < all.size() ? 1 : 0;
    EXPECT_TRUE(std::ranges::equal(some, std::span(all).first(some.size()))) << number;
  }
  EXPECT_GT(cut, 0u);
}

TEST_P(EngineSpecs, UnwrittenKeepsItsContents) {
  for (uint64_t number = 0; number < kCases; ++number) {
    const bool malformed = number % 4 == 3;
    const Buffers input = malformed ? opspec::make_malformed_case(operation(), 1, number)
                                    : opspec::make_case(operation(), 1, number);
    const Buffers after = left(input);
    const std::vector<uint64_t> written = spec().written(after);
    ASSERT_EQ(written.size(), input.size());
    for (size_t b = 0; b < input.size(); ++b) {
      ASSERT_LE(written[b], input[b].size());
      const auto from = ptrdiff_t(written[b]);
      EXPECT_TRUE(std::equal(input[b].begin() + from, input[b].end(), after[b].begin() + from))
          << number << ", buffer " << b;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EngineSpecs,
                         testing::ValuesIn(opspec::engine_specs().begin(), opspec::engine_specs().end()),
                         [](const auto& of) {
                           std::string name(of.param.id);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace vyre
