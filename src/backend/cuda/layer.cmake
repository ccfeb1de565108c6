# UBSan's function check reads a signature in front of the function that is called; a driver's functions have none.
if(VYRE_SANITIZE)
  set_source_files_properties(${dir}/driver.cpp ${dir}/device.cpp ${dir}/device_memory.cpp ${dir}/device_code.cpp
                              TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS -fno-sanitize=function)
endif()
