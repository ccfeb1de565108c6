# What a page shows and runs stands in files of its own, with the names that browsers and editors know; the library
# holds them as strings, so that the program needs no files beside it.
set(page_files index.html style.css digest.js judge.js runner.js page.js)
set(page_sources ${page_files})
list(TRANSFORM page_sources PREPEND ${dir}/)
list(JOIN page_files "," page_names)
set(generated ${CMAKE_BINARY_DIR}/generated/web/page_files.cpp)
add_custom_command(OUTPUT ${generated} DEPENDS ${page_sources} ${dir}/embed.cmake VERBATIM
                   COMMAND ${CMAKE_COMMAND} -D FOLDER=${dir} -D NAMES=${page_names} -D OUT=${generated}
                           -P ${dir}/embed.cmake)
target_sources(${target} PRIVATE ${generated})
