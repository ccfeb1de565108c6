# UBSan's function check reads a signature in front of the function that is called; machine code made at run time has
# none, and where it starts a page there is nothing to read.
if(VYRE_SANITIZE)
  set_source_files_properties(${dir}/native.cpp TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS -fno-sanitize=function)
endif()
