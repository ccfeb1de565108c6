# External libraries, by the short names that src/LAYERS uses: vyre_dep_<name>.
find_package(Threads REQUIRED)

function(vyre_dependency name)
  add_library(vyre_dep_${name} INTERFACE)
  target_link_libraries(vyre_dep_${name} INTERFACE ${ARGN})
endfunction()

find_package(fmt REQUIRED)
vyre_dependency(fmt fmt::fmt)

find_package(OpenSSL REQUIRED COMPONENTS Crypto)
vyre_dependency(crypto OpenSSL::Crypto)

find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
add_library(vyre_dep_random123 INTERFACE)
target_include_directories(vyre_dep_random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE})

# LLVM's version file wants the same minor, so the minor is named.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)
add_library(vyre_dep_llvm INTERFACE)
target_include_directories(vyre_dep_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
# Which of LLVM a target links its property VYRE_LLVM says: nothing, LLVM's shared library, which starts slowest; STATIC, the
# parts that are needed, in the target itself; LATE, what names the CPU, and for all else libvyre-llvm.so (cmake/llvm.cmake).
llvm_map_components_to_libnames(llvm_parts native NVPTX jitlink passes)
set(llvm_of "$<TARGET_PROPERTY:VYRE_LLVM>")
target_link_libraries(vyre_dep_llvm INTERFACE "$<$<STREQUAL:${llvm_of},>:LLVM>" "$<$<STREQUAL:${llvm_of},STATIC>:${llvm_parts}>"
                      "$<$<STREQUAL:${llvm_of},LATE>:LLVMTargetParser>")
# Libraries that LLVM names and nothing here calls.
target_link_options(vyre_dep_llvm INTERFACE "$<$<NOT:$<STREQUAL:${llvm_of},>>:-Wl,--as-needed>")

# SPIR-V: the numbers from Khronos' headers; SPIRV-Tools validates and disassembles.
find_package(SPIRV-Headers REQUIRED CONFIG)
find_package(SPIRV-Tools REQUIRED CONFIG)
vyre_dependency(spirv SPIRV-Headers::SPIRV-Headers SPIRV-Tools-static)

# Vulkan's types alone: the loader is opened at run time.
find_path(VULKAN_INCLUDE vulkan/vulkan_core.h REQUIRED)
add_library(vyre_dep_vulkan INTERFACE)
target_include_directories(vyre_dep_vulkan SYSTEM INTERFACE ${VULKAN_INCLUDE})
target_compile_definitions(vyre_dep_vulkan INTERFACE VK_NO_PROTOTYPES)

find_package(TBB REQUIRED)
vyre_dependency(tbb TBB::tbb)

find_package(nlohmann_json REQUIRED)
vyre_dependency(json nlohmann_json::nlohmann_json)

# Of its headers alone: the library would only save time in compiling.
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
add_library(vyre_dep_toml INTERFACE)
target_include_directories(vyre_dep_toml SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE})

find_package(CLI11 REQUIRED)
vyre_dependency(cli11 CLI11::CLI11)

find_package(GTest REQUIRED)

# Functions of any precision: what the interpreter's oracle for floats ends in, and a second opinion in tests.
find_library(MPFR_LIBRARY mpfr REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)
vyre_dependency(mpfr ${MPFR_LIBRARY} ${GMP_LIBRARY})

# Balls of any precision: the reference functions of floats. Since FLINT 3 they are in FLINT itself.
find_path(ARB_INCLUDE arb.h PATH_SUFFIXES flint REQUIRED)
find_library(ARB_LIBRARY NAMES flint-arb arb flint REQUIRED)
find_library(FLINT_LIBRARY flint REQUIRED)
vyre_dependency(arb ${ARB_LIBRARY} ${FLINT_LIBRARY})
target_include_directories(vyre_dep_arb SYSTEM INTERFACE ${ARB_INCLUDE})

# References of operations on buffers: they judge, and nothing that runs calls them.
find_package(ZLIB REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
find_library(LZ4_LIBRARY lz4 REQUIRED)
vyre_dependency(hashes ZLIB::ZLIB ${XXHASH_LIBRARY} ${LZ4_LIBRARY})

# Regular expressions, as tests of those of src/tables judge them.
find_library(RE2_LIBRARY re2 REQUIRED)
vyre_dependency(re2 ${RE2_LIBRARY})
