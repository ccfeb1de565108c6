# Dawn on SwiftShader, and libraries that pass on what is asked of it, and fail or lie where a test says so.
foreach(library IN ITEMS faulty_webgpu faulty_webgpu_lacking faulty_webgpu_older faulty_webgpu_polled)
  string(TOUPPER ${library} macro)
  target_compile_definitions(test_backend_webgpu PRIVATE VYRE_${macro}="$<TARGET_FILE:${library}>")
  add_dependencies(test_backend_webgpu ${library})
endforeach()
vyre_on_dawn(unit.backend_webgpu)
