// I12, Bounded: an engine writes its outputs, as far as it has something to say, and nothing else.
//
// Guard words stand before, between and behind the buffers of a run, and what lies in an output behind its
// last record, or in an input, is noise that must be kept.
// Source: vyre-conform-spec, "spec/invariant.rs".
#include <algorithm>

#include "oracle.h"
#include "property/listings.h"

VYRE_ORACLE(Property,
            "vyre-conform-spec, \"spec/invariant.rs\": Bounded; guard words, contents that are kept");

namespace vyre::test {
namespace {

/// How many bytes a run changed that it may not change, and guard words.
uint64_t strayed(const ListingCase& c) {
  const uint64_t before = judge_of(c.operation).broken();
  const opspec::Buffers got = c.got();
  uint64_t stray = judge_of(c.operation).broken() - before;
  const std::vector<uint64_t> written = c.listing.written(got);
  for (size_t b = 0; b < got.size(); ++b) {
    for (size_t at = size_t(written[b]); at < got[b].size(); ++at) stray += got[b][at] != c.input[b][at];
  }
  return stray;
}

TEST(Property, I12Bounded) {
  for_each_case(400, [](const PropertyCase& c) {
    const ListingCase one = listing_case(c, library::Invariant::Bounded);
    EXPECT_EQ(strayed(one), 0u) << one.listing.id;
  });
}

}  // namespace
}  // namespace vyre::test
