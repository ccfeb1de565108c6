# A second opinion on the operators on floats.
target_link_libraries(test_ref PRIVATE vyre_dep_mpfr)
