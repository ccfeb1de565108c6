# The stamp of all that decides code: a digest of the sources of the layers up to lower/llvm. It is made when one of them
# changed, and what is kept on disk is then kept for another generator.
target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
set(sources ${CMAKE_SOURCE_DIR}/src/LAYERS)
foreach(layer IN LISTS layers)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${layer}/*.h ${CMAKE_SOURCE_DIR}/src/${layer}/*.cpp
       ${CMAKE_SOURCE_DIR}/src/${layer}/*.def ${CMAKE_SOURCE_DIR}/src/${layer}/*.inc ${CMAKE_SOURCE_DIR}/src/${layer}/*.vyre)
  list(APPEND sources ${found})
  if(layer STREQUAL lower/llvm)
    break()
  endif()
endforeach()
list(REMOVE_DUPLICATES sources)
set(generated ${CMAKE_BINARY_DIR}/generated/lower/codegen)
list(JOIN sources "\n" lines)
file(CONFIGURE OUTPUT ${generated}/sources.txt CONTENT "${lines}\n" @ONLY)
add_custom_command(OUTPUT ${generated}/stamp.cpp
                   COMMAND ${CMAKE_COMMAND} -DSOURCES=${generated}/sources.txt -DFOLDER=${CMAKE_SOURCE_DIR} -DABI=${VYRE_ABI}
                           -DOUT=${generated}/stamp.cpp -P ${dir}/stamp.cmake
                   DEPENDS ${sources} ${generated}/sources.txt ${dir}/stamp.cmake VERBATIM)
target_sources(${target} PRIVATE ${generated}/stamp.cpp)
set_source_files_properties(${generated}/stamp.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
