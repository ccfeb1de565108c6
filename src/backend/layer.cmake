# Identity::version of every backend.
target_compile_definitions(${target} PUBLIC VYRE_VERSION="${PROJECT_VERSION}")
