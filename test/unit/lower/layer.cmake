# What Vulkan promises is among the profiles that rules for floats are tested under.
target_link_libraries(test_lower PRIVATE vyre_lower_spirv)
