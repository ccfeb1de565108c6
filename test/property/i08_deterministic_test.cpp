// I8, Deterministic: an engine leaves equal bytes of equal inputs.
//
// Engines are many dispatches over scratch memory that is kept from run to run. What an earlier run left
// there, of the same engine or of another one on the same device, must not show: a case is run, then a
// malformed case of the same operation and a case of another, then the first one again.
// Source: vyre-conform-spec, "spec/invariant.rs", "verify/determinism.rs".
#include "oracle.h"
#include "property/listings.h"

VYRE_ORACLE(Property,
            "vyre-conform-spec, \"verify/determinism.rs\": same input N times, same output N times");

namespace vyre::test {
namespace {

TEST(Property, I08Deterministic) {
  for_each_case(300, [](const PropertyCase& c) {
    const ListingCase one = listing_case(c, library::Invariant::Deterministic);
    const ListingCase other = listing_case({c.seed, c.number + 1}, library::Invariant::Deterministic);
    const opspec::Buffers first = one.got();
    run_of(one.operation, opspec::make_malformed_case(one.operation, c.seed, c.number));
    other.got();
    EXPECT_EQ(judge_of(one.operation).difference(first, one.got()), std::nullopt) << one.listing.id;
  });
}

}  // namespace
}  // namespace vyre::test
