# Drivers without a GPU, opened by the tests in the place of libcuda.so.1; the old one lacks a function.
foreach(fake IN ITEMS fake_cuda old_fake_cuda)
  add_library(${fake} SHARED ${CMAKE_CURRENT_LIST_DIR}/fake/fake_cuda.cpp)
  target_link_libraries(${fake} PRIVATE vyre_options vyre_warnings)
endforeach()
target_compile_definitions(old_fake_cuda PRIVATE VYRE_FAKE_IS_OLD)
target_compile_definitions(test_backend_cuda PRIVATE VYRE_FAKE_CUDA="$<TARGET_FILE:fake_cuda>"
                                                     VYRE_OLD_FAKE_CUDA="$<TARGET_FILE:old_fake_cuda>")
add_dependencies(test_backend_cuda fake_cuda old_fake_cuda)
