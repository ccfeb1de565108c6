# libvyre-llvm.so: the layer lower/llvm and the parts of LLVM that it needs, for what has the property VYRE_LLVM LATE
# (src/lower/codegen/generator.h). The dynamic loader looks for it where the RUNPATH of such a target leads, and that is said
# here alone: beside the target, and where libraries are installed.
#
# vyre_opens_llvm(TARGET FOLDER): TARGET, installed to FOLDER, opens LLVM late.
if(NOT VYRE_LATE_LLVM)
  function(vyre_opens_llvm)
  endfunction()
  return()
endif()
include(GNUInstallDirs)
add_library(vyre_llvm SHARED $<TARGET_OBJECTS:vyre_lower_llvm>)
target_link_libraries(vyre_llvm PRIVATE vyre_lower_llvm)
set(exports ${CMAKE_SOURCE_DIR}/cmake/llvm_exports.map)
target_link_options(vyre_llvm PRIVATE -Wl,--version-script=${exports} -Wl,-z,defs)
set_target_properties(vyre_llvm PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME vyre-llvm LINK_DEPENDS ${exports} VYRE_LLVM STATIC
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin VERSION ${PROJECT_VERSION} SOVERSION ${VYRE_ABI})
function(vyre_opens_llvm target folder)
  set(places $ORIGIN)
  if(NOT folder STREQUAL CMAKE_INSTALL_LIBDIR)
    file(RELATIVE_PATH libraries /prefix/${folder} /prefix/${CMAKE_INSTALL_LIBDIR})
    list(APPEND places $ORIGIN/${libraries})
  endif()
  set_target_properties(${target} PROPERTIES VYRE_LLVM LATE BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${places}"
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  add_dependencies(${target} vyre_llvm)
endfunction()
