# Texts of floats at a type are written by a layer above this one.
target_link_libraries(test_wire PRIVATE vyre_ops)
