# Pipelines are run, on backends, which are layers below this one; each file of tests has local functions of the same few names.
target_link_libraries(test_tensor PRIVATE vyre_plan vyre_backend_registry)
set_target_properties(test_tensor PROPERTIES UNITY_BUILD OFF)
