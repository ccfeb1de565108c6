# Every string of three bytes takes minutes: at night.
set_property(TEST unit.check PROPERTY ENVIRONMENT "GTEST_FILTER=-HostileWhole.*")
add_test(NAME unit.check.hostile COMMAND test_check --gtest_filter=HostileWhole.* --gtest_brief=1)
vyre_nightly(unit.check.hostile)
