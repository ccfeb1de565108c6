# Random programs, shapes and what the reference gives for them come from layers above this one.
target_link_libraries(test_lower_source PRIVATE vyre_verify)
target_compile_definitions(test_lower_source PRIVATE VYRE_CXX="${CMAKE_CXX_COMPILER}")
