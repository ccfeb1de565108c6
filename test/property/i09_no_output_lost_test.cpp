// I9, NoOutputLost: what an engine has to list is listed.
//
// Every record of the reference is among those that a run lists, as often as there. Where the outputs have no
// room for all, those that fit are there, and the number that is needed is said as if there were room: so a
// caller can come back with enough. Half of the cases have outputs of half the size.
// Source: vyre-conform-spec, "spec/invariant.rs".
#include "oracle.h"
#include "property/listings.h"

VYRE_ORACLE(CpuReference, "src/opspec: the records that references list");

namespace vyre::test {
namespace {

/// What a run lists too little of: a record, or the number that is needed; empty where nothing is lost.
std::string lost(const ListingCase& c, uint64_t needed) {
  const opspec::Buffers got = c.got();
  if (c.listing.needed(got) != needed)
    return fmt::format("{} are needed, not {}", needed, c.listing.needed(got));
  return more_often(sorted_records(c.listing, c.wanted()), sorted_records(c.listing, got));
}

TEST(Property, I09NoOutputLost) {
  for_each_case(400, [](const PropertyCase& c) {
    ListingCase one = listing_case(c, library::Invariant::NoOutputLost);
    const uint64_t needed = one.listing.needed(one.wanted());
    if (c.random(9).chance(2)) one.listing.shorten(one.input);
    EXPECT_EQ(lost(one, needed), "") << one.listing.id;
  });
}

}  // namespace
}  // namespace vyre::test
