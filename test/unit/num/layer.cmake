# A second opinion on floats.
target_link_libraries(test_num PRIVATE vyre_dep_mpfr)
