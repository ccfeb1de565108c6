# Plugins for the tests, good and bad: one library a way of being unusable, of the same source.
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/unit/${name}/plugins)
foreach(variant IN ITEMS good older newer no_abi no_entry refuses hole short_table first_table second_table no_engines)
  add_library(plugin_${variant} MODULE ${folder}/plugin.cpp)
  string(TOUPPER ${variant} upper)
  target_compile_definitions(plugin_${variant} PRIVATE VYRE_TEST_${upper})
  target_link_libraries(plugin_${variant} PRIVATE vyre_options vyre_warnings)
  set_target_properties(plugin_${variant} PROPERTIES CXX_VISIBILITY_PRESET hidden PREFIX ""
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/plugins)
  add_dependencies(test_${name} plugin_${variant})
endforeach()
target_compile_definitions(test_${name} PRIVATE VYRE_PLUGINS="${CMAKE_BINARY_DIR}/test/plugins")
target_include_directories(test_${name} PRIVATE ${folder})
