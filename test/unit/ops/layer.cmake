# A second opinion on the elementary functions.
target_link_libraries(test_ops PRIVATE vyre_dep_mpfr)
