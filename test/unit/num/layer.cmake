# A second opinion on floats.
target_link_libraries(test_num PRIVATE vyre_dep_mpfr)
# num_functions: the oracle for elementary functions against MPFR, as far as one counts; a few inputs of each are a test.
add_executable(num_functions ${CMAKE_CURRENT_SOURCE_DIR}/unit/num/functions_sweep.cpp)
target_link_libraries(num_functions PRIVATE vyre_num vyre_dep_mpfr vyre_dep_cli11 vyre_warnings)
add_test(NAME sweep.functions COMMAND num_functions --count 100000)
add_test(NAME sweep.functions.nightly COMMAND num_functions --count 10000000 --threads 2)
vyre_nightly(sweep.functions.nightly)
