# A unit of its own: digest.cpp says before OpenSSL's headers that it wants the older interface.
set_source_files_properties(${dir}/base64.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
