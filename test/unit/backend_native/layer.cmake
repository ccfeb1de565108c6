# The table of operators on floats has MPFR's answers too.
target_link_libraries(test_backend_native PRIVATE vyre_dep_mpfr)
