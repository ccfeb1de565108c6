# All specification rows are looked at while rows.cpp is compiled, which is more work than compilers do unasked.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(more_steps -fconstexpr-steps=100000000)
else()
  set(more_steps -fconstexpr-ops-limit=1000000000)
endif()
set_source_files_properties(${dir}/rows.cpp PROPERTIES COMPILE_OPTIONS ${more_steps})
