# Cases are run as certification runs them; a suite's tokens are found by RE2.
target_link_libraries(test_opspec PRIVATE vyre_verify vyre_dep_re2)
set_tests_properties(unit.opspec PROPERTIES COST 40)  # not the last to begin
# 10^5 malformed inputs of each group of operations, the engines one of them.
add_test(NAME unit.opspec.malformed COMMAND test_opspec --gtest_brief=1 --gtest_filter=*MalformedCases*)
vyre_nightly(unit.opspec.malformed)
set_tests_properties(unit.opspec.malformed PROPERTIES ENVIRONMENT VYRE_CASES_A_GROUP=100000)
add_test(NAME unit.opspec.malformed.vulkan
         COMMAND test_opspec --gtest_brief=1 --gtest_filter=*MalformedCases*engine_*)
vyre_weekly(unit.opspec.malformed.vulkan)
vyre_on_lavapipe(unit.opspec.malformed.vulkan)
set_property(TEST unit.opspec.malformed.vulkan APPEND PROPERTY ENVIRONMENT
             "VYRE_CASES_A_GROUP=100000;VYRE_BACKEND=vulkan")
# Published vectors by the evaluator too; on devices at night (test/file).
add_test(NAME unit.opspec.reference COMMAND test_opspec --gtest_brief=1 --gtest_filter=*Vectors*)
set_tests_properties(unit.opspec.reference PROPERTIES ENVIRONMENT VYRE_BACKEND=reference)
