# Reading published values, and judging other code for an operation: nothing in src/ does either.
target_sources(test_admit PRIVATE unit/admit/alternate.cpp unit/admit/corpus.cpp unit/admit/wgsl.cpp)
# Code in WGSL is admitted by a device alone: Dawn on SwiftShader.
set_property(TEST unit.admit PROPERTY ENVIRONMENT "GTEST_FILTER=-AlternateInWgsl.*")
add_test(NAME unit.admit.webgpu COMMAND test_admit --gtest_filter=AlternateInWgsl.* --gtest_brief=1)
vyre_on_dawn(unit.admit.webgpu)
