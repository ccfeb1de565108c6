# cmake --install: the two programs, a shared library and the one that it opens to compile, headers, a CMake package and the
# documentation.
#
# libvyre.so holds every layer from base to api. It exports the C API (vyre_*) and the C++ API (namespace vyre) and
# hides what it is made of, so that its users need neither the headers nor the names of LLVM, oneTBB, fmt or
# OpenSSL. The package has three targets: vyre::c (C99, stable), vyre::vyre (the C++ of the layers, C++23, stable
# within a minor version) and vyre::backend, the header of those who write a backend, which links nothing.
#
# A sanitizer or fuzzing build is not for installing: its library needs a run-time that its users do not have.
if(VYRE_SANITIZE OR VYRE_FUZZ)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(objects)
file(STRINGS ${CMAKE_SOURCE_DIR}/src/LAYERS lines REGEX "^[a-z]")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^[a-z/0-9]+" layer "${line}")
  string(REPLACE "/" "_" target vyre_${layer})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL STATIC_LIBRARY AND NOT (VYRE_LATE_LLVM AND layer STREQUAL "lower/llvm"))
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endif()
  if(layer STREQUAL api)
    break()
  endif()
endforeach()
set(exports ${CMAKE_SOURCE_DIR}/cmake/exports.map)
add_library(vyre_shared SHARED ${objects})
# The layers' objects are in the library already; linking vyre_api adds what they need from outside.
target_link_libraries(vyre_shared PRIVATE vyre_api)
target_link_options(vyre_shared PRIVATE -Wl,--version-script=${exports} -Wl,-z,defs)
target_include_directories(vyre_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(vyre_shared PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME vyre EXPORT_NAME c LINK_DEPENDS ${exports}
                      VERSION ${PROJECT_VERSION} SOVERSION ${VYRE_ABI} INSTALL_RPATH_USE_LINK_PATH ON)
vyre_opens_llvm(vyre_shared ${CMAKE_INSTALL_LIBDIR})

add_library(vyre_cpp INTERFACE)
target_link_libraries(vyre_cpp INTERFACE vyre_shared)
target_compile_features(vyre_cpp INTERFACE cxx_std_23)
target_include_directories(vyre_cpp INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/vyre-cpp>)
set_target_properties(vyre_cpp PROPERTIES EXPORT_NAME vyre)

add_library(vyre_backend_header INTERFACE)
target_include_directories(vyre_backend_header INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(vyre_backend_header PROPERTIES EXPORT_NAME backend)

set_target_properties(vyre vyre-conform vyre-tables PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS vyre vyre-conform vyre-tables RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET vyre_llvm)
  install(TARGETS vyre_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
endif()
install(TARGETS vyre_shared vyre_cpp vyre_backend_header EXPORT vyreTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/vyre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# What README.md leads to, where its links are looked for.
install(FILES LICENSE README.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples editors DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN __pycache__ EXCLUDE)

# The C++ API: the headers that vyre.hpp names and what those include. They need the standard library alone.
set(layer_headers base/arena.h base/bytes.h base/diag.def base/diag.h base/digest.h base/result.h base/vectors.h)
foreach(folder IN ITEMS spec smt ir ops)
  file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src src/${folder}/*.h src/${folder}/*.def)
  list(APPEND layer_headers ${found})
endforeach()
list(APPEND layer_headers text/text.h wire/wire.h check/checked.h layout/dispatch.h ref/ref.h backend/backend.h
     backend/float_form.h backend/native/native.h backend/registry/registry.h host/files.h host/npy.h host/run.h host/values.h check/extent.h check/module.h
     check/tensors.h ref/plan.h plan/pipeline.h)
foreach(header IN LISTS layer_headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vyre-cpp/${folder})
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vyre)
install(EXPORT vyreTargets NAMESPACE vyre:: DESTINATION ${package_dir})
configure_package_config_file(cmake/vyreConfig.cmake.in ${CMAKE_BINARY_DIR}/vyreConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/vyreConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/vyreConfig.cmake ${CMAKE_BINARY_DIR}/vyreConfigVersion.cmake
        DESTINATION ${package_dir})
