#Random programs come from a layer above this one.
target_link_libraries(test_lower_wgsl PRIVATE vyre_generate)
