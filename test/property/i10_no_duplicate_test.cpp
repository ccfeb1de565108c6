// I10, NoDuplicate: an engine lists nothing more often than the reference does.
//
// Together with NoOutputLost it says that a run lists exactly what it should, in whatever order; apart they
// say on which side it is wrong. Source: vyre-conform-spec, "spec/invariant.rs".
#include "oracle.h"
#include "property/listings.h"

VYRE_ORACLE(CpuReference, "src/opspec: the records that references list");

namespace vyre::test {
namespace {

TEST(Property, I10NoDuplicate) {
  for_each_case(400, [](const PropertyCase& c) {
    const ListingCase one = listing_case(c, library::Invariant::NoDuplicate);
    EXPECT_EQ(more_often(sorted_records(one.listing, one.got()), sorted_records(one.listing, one.wanted())),
              "")
        << one.listing.id;
  });
}

}  // namespace
}  // namespace vyre::test
