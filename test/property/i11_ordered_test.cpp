// I11, Ordered: the records of an engine stand in the declared order.
//
// Records are numbers, what is compared first in front, so that the declared order, ties and all, is the
// lexicographic one, whatever the order in which invocations found them.
// Source: vyre-conform-spec, "spec/invariant.rs".
#include <algorithm>

#include "oracle.h"
#include "property/listings.h"

VYRE_ORACLE(Property, "vyre-conform-spec, \"spec/invariant.rs\": Ordered; the order of numbers");

namespace vyre::test {
namespace {

TEST(Property, I11Ordered) {
  for_each_case(400, [](const PropertyCase& c) {
    const ListingCase one = listing_case(c, library::Invariant::Ordered);
    EXPECT_TRUE(std::ranges::is_sorted(one.listing.records(one.got()))) << one.listing.id;
  });
}

}  // namespace
}  // namespace vyre::test
