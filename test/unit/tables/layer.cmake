# RE2 judges expressions beside the tests' own matcher.
target_link_libraries(test_tables PRIVATE vyre_dep_re2)
