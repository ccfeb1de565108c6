target_sources(test_verify PRIVATE unit/verify/compositional.cpp)   # laws of composites, which the library does not derive
# Whole domains of 2^32 inputs take minutes: at night.
set_property(TEST unit.verify PROPERTY ENVIRONMENT "GTEST_FILTER=-WholeDomainsForReal.*")
add_test(NAME unit.verify.whole_domains COMMAND test_verify --gtest_filter=WholeDomainsForReal.* --gtest_brief=1)
vyre_weekly(unit.verify.whole_domains)
