# What programs use of the language is counted by the tests.
target_link_libraries(test_generate PRIVATE vyre_random)
