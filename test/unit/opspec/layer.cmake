# Cases are run as certification runs them.
target_link_libraries(test_opspec PRIVATE vyre_verify)
set_tests_properties(unit.opspec PROPERTIES COST 200)  # one of the longest: not the last to begin
