# A loader that passes on what is asked of the real one, and fails or lies where a test says so.
add_library(faulty_vulkan SHARED ${CMAKE_CURRENT_LIST_DIR}/faults/faulty_vulkan.cpp)
target_link_libraries(faulty_vulkan PRIVATE vyre_options vyre_warnings vyre_dep_vulkan)
target_compile_definitions(test_backend_vulkan PRIVATE VYRE_FAULTY_VULKAN="$<TARGET_FILE:faulty_vulkan>")
add_dependencies(test_backend_vulkan faulty_vulkan)
vyre_on_lavapipe(unit.backend_vulkan)
