# UBSan's function check reads a signature in front of the function that is called; a library's functions have none.
if(VYRE_SANITIZE)
  file(GLOB calling ${dir}/*.cpp)
  set_source_files_properties(${calling} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS -fno-sanitize=function)
endif()
