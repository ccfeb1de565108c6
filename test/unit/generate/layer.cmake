# What programs use of the language is counted by the tests.
target_link_libraries(test_generate PRIVATE vyre_random)
# Generated engines: more of them at night.
add_test(NAME unit.generate.engines COMMAND test_generate --gtest_brief=1 --gtest_filter=GeneratedEngines.Run*)
set_tests_properties(unit.generate.engines PROPERTIES ENVIRONMENT VYRE_ENGINES=300)
vyre_nightly(unit.generate.engines)
