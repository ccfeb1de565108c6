# Cases are run as certification runs them; a suite's tokens are found by RE2.
target_link_libraries(test_opspec PRIVATE vyre_verify vyre_dep_re2)
set_tests_properties(unit.opspec PROPERTIES COST 40)  # not the last to begin
# Published vectors by the evaluator too; on devices at night (test/file).
add_test(NAME unit.opspec.reference COMMAND test_opspec --gtest_brief=1 --gtest_filter=*Vectors*)
set_tests_properties(unit.opspec.reference PROPERTIES ENVIRONMENT VYRE_BACKEND=reference)
