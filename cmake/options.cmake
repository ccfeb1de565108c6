# Compiler flags that the whole project shares.
option(VYRE_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(VYRE_FUZZ "libFuzzer targets (clang only)" OFF)
option(VYRE_LATE_LLVM "vyre and libvyre.so open LLVM when something is to be compiled; else LLVM's shared library starts with all programs" ON)

add_library(vyre_options INTERFACE)
# Contraction of a*b+c is g++'s default under -march=native; vyre's own numbers must not depend on it.
target_compile_options(vyre_options INTERFACE -ffp-contract=off -fno-fast-math)
target_include_directories(vyre_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)

# Warnings are for our own code and errors there.
add_library(vyre_warnings INTERFACE)
target_compile_options(vyre_warnings INTERFACE -Wall -Wextra -Wpedantic -Werror -Wswitch-enum -Wshadow
                       -Wno-missing-field-initializers -Wno-unknown-warning-option)

if(VYRE_SANITIZE)
  target_compile_options(vyre_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
  target_link_options(vyre_options INTERFACE -fsanitize=address,undefined)
endif()
if(VYRE_FUZZ)
  target_compile_options(vyre_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(VYRE_CCACHE ccache)
if(VYRE_CCACHE)
  # Build folders share what they compile: no output depends on where it was built but for a path in debug information.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_SLOPPINESS=include_file_mtime,include_file_ctime,time_macros,pch_defines ${VYRE_CCACHE})
endif()
find_program(VYRE_MOLD mold)
if(VYRE_MOLD)
  target_link_options(vyre_options INTERFACE -fuse-ld=mold)
endif()
# One link at a time is plenty on a small machine; LLVM users are few.
set_property(GLOBAL PROPERTY JOB_POOLS link=2)
set(CMAKE_JOB_POOL_LINK link)

# Building from nothing is mostly reading headers again and again. So the standard library's and fmt's are compiled
# once (cmake/precompiled.h), and files of a layer share units. Off (preset dev), an edit compiles one file, and a file
# that relies on what another one includes does not compile.
option(VYRE_TOGETHER "units of several files, and precompiled headers" ON)
if(VYRE_TOGETHER)
  target_compile_options(vyre_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")   # or ccache never finds anything
endif()
# vyre_read_headers_once(TARGET OWNER [HEADER...]): TARGET has the precompiled headers of OWNER, which makes them of HEADER.
function(vyre_read_headers_once target owner)
  if(NOT VYRE_TOGETHER)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
