# Whatever links this layer and does not open it late takes it in, so that lower/codegen finds it there.
target_link_options(${target} INTERFACE "$<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:VYRE_LLVM>,LATE>>:-Wl,-u,vyre_code_generator>")
